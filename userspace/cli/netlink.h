/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netlink through libnl, with the kernel's own text for a refusal. */
#ifndef FRESHLINK_NETLINK_H
#define FRESHLINK_NETLINK_H

#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct netlink - a netlink socket and its last refusal
 * @sock: libnl's socket
 * @error: errno value, 0 after a success
 * @text: the kernel's extended acknowledgement, or ""
 * @offset: offset of the refused attribute in the request, 0 if unknown
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
 * Return: whether it worked; if not, @nl->error has the reason
 */
bool netlink_open(struct netlink *nl, int protocol, int netns);

/** netlink_close - close the socket */
void netlink_close(struct netlink *nl);

/** netlink_reason - the last refusal as text, the kernel's own if there is one */
const char *netlink_reason(const struct netlink *nl);

/**
 * netlink_request - send a request and wait for the answer
 * @nl: the socket
 * @msg: the request; the caller frees it
 *
 * Return: whether the kernel accepted it; if not, @nl has the reason
 */
bool netlink_request(struct netlink *nl, struct nl_msg *msg);

/**
 * netlink_refused_attr - the attribute of a request that the kernel refused
 * @nl: the socket after the refusal
 * @msg: the request
 *
 * Return: the attribute, 0 if the kernel named none
 */
uint16_t netlink_refused_attr(const struct netlink *nl, struct nl_msg *msg);

/**
 * netlink_ask - send a request and receive its answer
 * @nl: the socket
 * @msg: the request; the caller frees it
 * @see: called with the answer
 * @arg: passed on to @see
 *
 * Return: as netlink_request()
 */
bool netlink_ask(struct netlink *nl, struct nl_msg *msg,
		 nl_recvmsg_msg_cb_t see, void *arg);

/**
 * netlink_dump - send a dump request and receive each answer
 * @nl: the socket
 * @msg: the request; the caller frees it
 * @each: called with each message
 * @arg: passed on to @each
 *
 * Return: as netlink_request(); @nl->error EAGAIN means that the state changed
 * during the dump, so the answers are inconsistent
 */
bool netlink_dump(struct netlink *nl, struct nl_msg *msg,
		  nl_recvmsg_msg_cb_t each, void *arg);

/**
 * netlink_tell - send a request that is not acknowledged
 * @nl: the socket; a refusal arrives as a message
 * @msg: the request; the caller frees it
 *
 * Return: whether it was sent; if not, @nl has the reason
 */
bool netlink_tell(struct netlink *nl, struct nl_msg *msg);

/**
 * netlink_listen - join multicast groups
 * @nl: the socket; from now on only netlink_tell() may send requests on it
 * @groups: numbers of the groups, up to a 0
 * @each: called with each message by netlink_receive()
 * @arg: passed on to @each
 *
 * Return: whether it worked; if not, @nl has the reason
 */
bool netlink_listen(struct netlink *nl, const int *groups,
		    nl_recvmsg_msg_cb_t each, void *arg);

/**
 * netlink_receive - receive a message without waiting
 * @nl: a socket after netlink_listen()
 *
 * Return: whether there was a message. @nl->error EAGAIN means that there was
 * none. ENOBUFS means that messages after those still in the socket were lost
 */
bool netlink_receive(struct netlink *nl);

#endif
