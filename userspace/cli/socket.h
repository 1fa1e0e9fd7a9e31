/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sockets that receive on a port. */
#ifndef FRESHLINK_SOCKET_H
#define FRESHLINK_SOCKET_H

#include <stdint.h>

/**
 * socket_bind - open a socket that receives on a port, over IPv4 and IPv6
 * @type: SOCK_DGRAM or SOCK_STREAM
 * @port: the port
 *
 * Return: the socket, or -1 with errno. On a kernel without IPv6 the socket is of the family
 * AF_INET, and otherwise of the family AF_INET6.
 */
int socket_bind(int type, uint16_t port);

/**
 * socket_enlarge - let a socket hold more packets that were not read yet
 * @fd: the socket
 * @bytes: of packets with the kernel's overhead; only root can exceed net.core.rmem_max
 */
void socket_enlarge(int fd, int bytes);

/** socket_drops - number of packets that the socket has dropped, such as those of a full buffer */
uint32_t socket_drops(int fd);

#endif
