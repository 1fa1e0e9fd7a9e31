/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rtnetlink through libnl, with the kernel's own words for a refusal. */
#ifndef FRESHLINK_NETLINK_H
#define FRESHLINK_NETLINK_H

#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct netlink - an rtnetlink socket and its last refusal
 * @sock: libnl's
 * @error: errno value, 0 after a success
 * @text: the kernel's extended acknowledgement, or ""
 * @offset: where in the request the refused attribute is, 0 if not said
 */
struct netlink {
	struct nl_sock *sock;
	int error;
	char text[256];
	uint32_t offset;
};

/**
 * netlink_open - open a socket in a network namespace
 * @nl: written
 * @netns: file descriptor of the namespace, -1 for the current one
 *
 * Return: whether it worked; @nl->error says why not
 */
bool netlink_open(struct netlink *nl, int netns);

/** netlink_close - close the socket */
void netlink_close(struct netlink *nl);

/**
 * netlink_request - send a request and wait for the answer
 * @nl: the socket
 * @msg: the request; still the caller's
 *
 * Return: whether the kernel took it; if not, @nl says why
 */
bool netlink_request(struct netlink *nl, struct nl_msg *msg);

/**
 * netlink_dump - send a dump request and see each answer
 * @nl: the socket
 * @msg: the request; still the caller's
 * @each: called with each message
 * @arg: passed on to @each
 *
 * Return: as netlink_request()
 */
bool netlink_dump(struct netlink *nl, struct nl_msg *msg,
		  nl_recvmsg_msg_cb_t each, void *arg);

#endif
