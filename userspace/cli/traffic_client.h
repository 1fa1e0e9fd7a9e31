/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TCP connections of sources and clients. The functions wait, and check for signals and for the
 * time about once a second. If a signal or the time ends a wait, the function fails with EINTR.
 */
#ifndef FRESHLINK_TRAFFIC_CLIENT_H
#define FRESHLINK_TRAFFIC_CLIENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/**
 * traffic_connect - open a connection, which sends packets without waiting for more data
 * @to: address of the server
 * @len: its length
 * @until: end of the wait, CLOCK_MONOTONIC in ns, or FL_NEVER
 *
 * Return: the socket, or -1 with errno
 */
int traffic_connect(const struct sockaddr_storage *to, socklen_t len, int64_t until);

/**
 * traffic_write - write data to a socket of traffic_connect()
 * @fd: the socket
 * @data: the data
 * @len: its length
 * @until: end of the wait for space, CLOCK_MONOTONIC in ns, or FL_NEVER
 * @written: the number of written bytes is added, also after an error
 *
 * Return: true if all data was written, or false with errno
 */
bool traffic_write(int fd, const void *data, size_t len, int64_t until, uint64_t *written);

#endif
