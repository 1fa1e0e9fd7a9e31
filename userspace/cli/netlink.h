/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netlink through libnl, with the text that the kernel gives as the reason for a refusal. */
#ifndef FRESHLINK_NETLINK_H
#define FRESHLINK_NETLINK_H

#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct netlink - a netlink socket and its last refusal
 * @sock: libnl's socket
 * @error: errno value of the last refusal or failure, 0 after a success
 * @text: text of the kernel's extended acknowledgement, or of libnl after a failure, or ""
 * @offset: offset of the refused attribute in the request, 0 if the kernel gave no offset
 * @refused: nlmsg_type of the last refused request
 */
struct netlink {
	struct nl_sock *sock;
	int error;
	char text[256];
	uint32_t offset;
	uint16_t refused;
};

/**
 * netlink_open - open a socket in a network namespace
 * @nl: written
 * @protocol: NETLINK_ROUTE or another protocol
 * @netns: file descriptor of the namespace, -1 for the current namespace
 *
 * Return: true if the socket is open, or false with the reason in @nl->error
 */
bool netlink_open(struct netlink *nl, int protocol, int netns);

/** netlink_close - close the socket */
void netlink_close(struct netlink *nl);

/** netlink_reason - return the reason for the last refusal as text */
const char *netlink_reason(const struct netlink *nl);

/**
 * netlink_request - send a request and wait for the answer
 * @nl: the socket
 * @msg: the request, which the caller frees
 *
 * Return: true if the kernel accepted the request, or false with the reason in @nl
 */
bool netlink_request(struct netlink *nl, struct nl_msg *msg);

/**
 * netlink_refused_attr - return the attribute that the kernel refused in a request
 * @nl: the socket after the refusal
 * @msg: the request
 *
 * Return: the number of the attribute, or 0 if the kernel did not name an attribute
 */
uint16_t netlink_refused_attr(const struct netlink *nl, struct nl_msg *msg);

/**
 * netlink_ask - send a request and receive its answer
 * @nl: the socket
 * @msg: the request, which the caller frees
 * @see: function that is called with the answer
 * @arg: argument of @see
 *
 * Return: as netlink_request()
 */
bool netlink_ask(struct netlink *nl, struct nl_msg *msg,
		 nl_recvmsg_msg_cb_t see, void *arg);

/**
 * netlink_dump - send a dump request and receive each answer
 * @nl: the socket
 * @msg: the request, which the caller frees
 * @each: function that is called with each message
 * @arg: argument of @each
 *
 * Return: the same values as netlink_request(). If @nl->error is EAGAIN, the kernel's state
 * changed during the dump and the answers are inconsistent
 */
bool netlink_dump(struct netlink *nl, struct nl_msg *msg,
		  nl_recvmsg_msg_cb_t each, void *arg);

/**
 * netlink_tell - send a request that is not acknowledged
 * @nl: the socket. A refusal arrives as a message
 * @msg: the request, which the caller frees
 *
 * Return: true if the request was sent, or false with the reason in @nl
 */
bool netlink_tell(struct netlink *nl, struct nl_msg *msg);

/**
 * netlink_listen - join multicast groups
 * @nl: the socket. After this function only netlink_tell() may send requests on the socket
 * @groups: numbers of the groups, in an array that ends with 0
 * @each: function that netlink_receive() calls with each message
 * @arg: argument of @each
 *
 * Return: true if the socket has joined all groups, or false with the reason in @nl
 */
bool netlink_listen(struct netlink *nl, const int *groups,
		    nl_recvmsg_msg_cb_t each, void *arg);

/**
 * netlink_receive - receive a message without waiting
 * @nl: a socket after netlink_listen()
 *
 * Return: true if there was a message. False with EAGAIN in @nl->error means that there was no
 * message. False with ENOBUFS means that the socket has lost messages after the messages that are
 * still in its queue
 */
bool netlink_receive(struct netlink *nl);

#endif
