// SPDX-License-Identifier: GPL-2.0
/* The notifier chain, which tells other modules and the family what happens to packets. */

#include "notice.h"

static ATOMIC_NOTIFIER_HEAD(arql_notices);

/**
 * arql_notifier_register() - follow what happens to the packets of all arqlink devices
 * @nb: its function is called with an event of enum arqlink_cmd and a struct arql_notice
 *
 * The function is called under RCU, with bottom halves off, and under the lock of the link. It must
 * not sleep, nor call a function of the device. Its result is ignored. Devices of all network
 * namespaces are followed.
 *
 * Context: any
 *
 * Return: 0, or -EEXIST if @nb is registered
 */
int arql_notifier_register(struct notifier_block *nb)
{
	return atomic_notifier_chain_register(&arql_notices, nb);
}

/**
 * arql_notifier_unregister() - do not follow packets any more
 * @nb: from arql_notifier_register(). It is not called after the function has returned
 *
 * Context: process, may sleep
 *
 * Return: 0, or -ENOENT if @nb is not registered
 */
int arql_notifier_unregister(struct notifier_block *nb)
{
	return atomic_notifier_chain_unregister(&arql_notices, nb);
}

/**
 * arql_notice_tell() - call the functions of the chain
 * @event: enum arqlink_cmd
 * @notice: what has happened
 *
 * Context: under the lock of the link
 */
void arql_notice_tell(u8 event, struct arql_notice *notice)
{
	atomic_notifier_call_chain(&arql_notices, event, notice);
}
