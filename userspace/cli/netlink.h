/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netlink through libnl, with the kernel's own words for a refusal. */
#ifndef FRESHLINK_NETLINK_H
#define FRESHLINK_NETLINK_H

#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct netlink - a netlink socket and its last refusal
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
 * @protocol: NETLINK_ROUTE or NETLINK_GENERIC
 * @netns: file descriptor of the namespace, -1 for the current one
 *
 * Return: whether it worked; @nl->error says why not
 */
bool netlink_open(struct netlink *nl, int protocol, int netns);

/** netlink_close - close the socket */
void netlink_close(struct netlink *nl);

/** netlink_reason - the last refusal in words, the kernel's own if it has said any */
const char *netlink_reason(const struct netlink *nl);

/**
 * netlink_request - send a request and wait for the answer
 * @nl: the socket
 * @msg: the request; still the caller's
 *
 * Return: whether the kernel took it; if not, @nl says why
 */
bool netlink_request(struct netlink *nl, struct nl_msg *msg);

/**
 * netlink_refused_attr - which attribute of a request the kernel pointed at
 * @nl: the socket after the refusal
 * @msg: the request
 *
 * Return: the attribute, 0 if it pointed at none
 */
uint16_t netlink_refused_attr(const struct netlink *nl, struct nl_msg *msg);

/**
 * netlink_ask - send a request and see its answer
 * @nl: the socket
 * @msg: the request; still the caller's
 * @see: called with the answer
 * @arg: passed on to @see
 *
 * Return: as netlink_request()
 */
bool netlink_ask(struct netlink *nl, struct nl_msg *msg,
		 nl_recvmsg_msg_cb_t see, void *arg);

/**
 * netlink_dump - send a dump request and see each answer
 * @nl: the socket
 * @msg: the request; still the caller's
 * @each: called with each message
 * @arg: passed on to @each
 *
 * Return: as netlink_request(); with @nl->error EAGAIN what was told changed
 * meanwhile, and the answers do not belong together
 */
bool netlink_dump(struct netlink *nl, struct nl_msg *msg,
		  nl_recvmsg_msg_cb_t each, void *arg);

/**
 * netlink_tell - send a request that is not acknowledged
 * @nl: the socket; a refusal comes as a message
 * @msg: the request; still the caller's
 *
 * Return: whether it went; @nl says why not
 */
bool netlink_tell(struct netlink *nl, struct nl_msg *msg);

/**
 * netlink_listen - hear multicast groups from now on
 * @nl: the socket; it is for no requests any more but those of netlink_tell()
 * @groups: numbers of the groups, up to a 0
 * @each: called with each message by netlink_receive()
 * @arg: passed on to @each
 *
 * Return: whether it worked; @nl says why not
 */
bool netlink_listen(struct netlink *nl, const int *groups,
		    nl_recvmsg_msg_cb_t each, void *arg);

/**
 * netlink_receive - take a message that has come, without waiting
 * @nl: a socket that listens
 *
 * Return: whether there was one; with @nl->error EAGAIN there was none, with
 * ENOBUFS those that came behind what is still to be taken were lost
 */
bool netlink_receive(struct netlink *nl);

#endif
