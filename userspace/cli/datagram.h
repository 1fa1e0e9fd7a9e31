/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UDP packets, with the information that the kernel has about them. */
#ifndef FRESHLINK_DATAGRAM_H
#define FRESHLINK_DATAGRAM_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define DATAGRAM_MAX	65535	/* bytes of the longest packet's payload */

/**
 * struct datagram - a received packet, and its answer
 * @peer: the other host in the format of the socket, for the answer
 * @peer_len: length of @peer
 * @from: address of the other host, an IPv4 address in its mapped form
 * @port: UDP port of the other host
 * @to: local address that the packet was sent to
 * @is_unicast: the packet was not sent by broadcast or multicast
 * @tos: type of service (IPv4) or traffic class (IPv6)
 * @ttl: time to live (IPv4) or hop limit (IPv6) at the packet's arrival
 * @received_ns: time of arrival at this host, CLOCK_REALTIME
 * @len: length of the payload in bytes
 * @bytes: the payload
 */
struct datagram {
	struct sockaddr_storage peer;
	socklen_t peer_len;
	struct in6_addr from;
	uint16_t port;
	struct in6_addr to;
	bool is_unicast;
	uint8_t tos;
	uint8_t ttl;
	int64_t received_ns;
	size_t len;
	uint8_t bytes[DATAGRAM_MAX];
};

/**
 * datagram_prepare - make a socket of socket_bind() report all fields of struct datagram
 * @fd: the socket
 *
 * Return: true on success, or false with errno
 */
bool datagram_prepare(int fd);

/**
 * datagram_receive - receive a packet without waiting
 * @fd: a prepared socket
 * @d: written
 *
 * Return: whether a packet has arrived
 */
bool datagram_receive(int fd, struct datagram *d);

/**
 * datagram_answer - send the payload back to its sender without waiting
 * @fd: the socket
 * @d: the received packet, with the payload of the answer. The answer's source is the address
 *	that the packet was sent to.
 * @tos: type of service or traffic class of the answer
 *
 * Return: true on success, or false with errno
 */
bool datagram_answer(int fd, const struct datagram *d, uint8_t tos);

#endif
