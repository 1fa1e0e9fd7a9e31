/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes and their answers: test packets of STAMP (RFC 8762), or ICMP echo requests.
 *
 * An answer counts once, and only if the answer is from the asked host and has the number and
 * the nonce of a probe.
 */
#ifndef FRESHLINK_PROBER_H
#define FRESHLINK_PROBER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "../lib/options.h"
#include "../stamp/packet.h"

#define PROBER_HOSTS	8
#define PROBER_ASKED	256	/* maximum number of unanswered probes, as in lpd */
#define PROBER_DATAGRAM	65507	/* greatest payload of UDP */

/* Rows for options that commands with a reflector have. */
#define PROBER_ROW_PORT							\
	{ .word = "--port", .type = FL_COUNT, .min = 1, .max = 65535,	\
	  .def = STAMP_PORT, .help = "UDP port of the reflectors" }
#define PROBER_ROW_KEY							\
	{ .word = "--key", .type = FL_TEXT, .unit = "file",		\
	  .def = FL_NO_DEFAULT,						\
	  .help = "file with the key of the reflectors, 32 to 128 hexadecimal digits" }

/**
 * struct prober_host - a host that answers
 * @name: as typed
 * @address: its address; all hosts have the same family
 */
struct prober_host {
	char name[256];
	struct sockaddr_storage address;
};

/**
 * struct asked - a probe
 * @number: its number
 * @id: number that the kernel gave to the probe; lpd identifies the probe by this number
 * @nonce: time stamp with random low bits
 * @host: index of the asked host
 * @waits: the probe was sent and is still unanswered
 */
struct asked {
	uint32_t number;
	uint32_t id;
	uint64_t nonce;
	unsigned int host;
	bool waits;
};

/**
 * struct prober - sends probes and receives answers
 * @hosts: the hosts
 * @count: number of hosts
 * @key: key of the authenticated mode of STAMP, or NULL
 * @echo: ICMP echo instead of STAMP
 * @ordinary: the packets wait in lpd as other packets do, so lpd does not know their numbers
 * @datagram: bytes of the payload of UDP, with zeroes behind the fields; 0 for the fields only.
 *	Only with @ordinary
 * @fd: the socket
 * @asked: the last probes, by their number
 */
struct prober {
	struct prober_host hosts[PROBER_HOSTS];
	unsigned int count;
	const struct stamp_key *key;
	bool echo;
	bool ordinary;
	size_t datagram;
	int fd;
	struct asked asked[PROBER_ASKED];
};

/**
 * struct prober_answer - an answer
 * @number: number of the probe
 * @id: number that the kernel gave to the probe
 * @host: index of the host that answered
 * @heard: time of arrival, CLOCK_MONOTONIC in ns
 * @has_times: the answer contains the host's time
 * @reached: time at which the host received the probe, on the host's clock, in ns
 */
struct prober_answer {
	uint32_t number;
	uint32_t id;
	unsigned int host;
	int64_t heard;
	bool has_times;
	int64_t reached;
};

/**
 * enum prober_event - what prober_receive() found
 * @PROBER_NOTHING: nothing more
 * @PROBER_ANSWER: an answer
 * @PROBER_OTHER: a packet that is not an answer
 */
enum prober_event {
	PROBER_NOTHING,
	PROBER_ANSWER,
	PROBER_OTHER,
};

/**
 * prober_find - find the addresses of hosts
 * @prober: @count, @hosts are written
 * @who: prefix of error messages
 * @list: HOST[,HOST]...
 * @port: UDP port
 *
 * Return: true on success, or false after a message on standard error
 */
bool prober_find(struct prober *prober, const char *who, const char *list,
		 uint16_t port);

/**
 * prober_read_key - read the key of the authenticated mode
 * @prober: @key is written
 * @who: prefix of error messages
 * @value: the option of PROBER_ROW_KEY; without a value there is no key
 *
 * Return: true on success, or false after a message on standard error
 */
bool prober_read_key(struct prober *prober, const char *who, const struct fl_value *value);

/**
 * prober_open - open a socket for probes over a device
 * @prober: @fd is written
 * @ifindex: index of the device
 *
 * Needs CAP_NET_ADMIN unless the packets are @ordinary, because lpd lets probes pass before all
 * other packets.
 *
 * Return: true on success, or false with errno
 */
bool prober_open(struct prober *prober, unsigned int ifindex);

/** prober_close - close the socket */
void prober_close(struct prober *prober);

/** prober_bytes - the greatest length of a probe, as counted by lpd */
uint32_t prober_bytes(const struct prober *prober);

/**
 * prober_send - send a probe
 * @prober: the prober
 * @number: its number
 * @host: index of the host
 *
 * Return: whether the kernel accepted the probe
 */
bool prober_send(struct prober *prober, uint32_t number, unsigned int host);

/**
 * prober_receive - receive without waiting
 * @prober: the prober
 * @answer: written if the function returns PROBER_ANSWER
 */
enum prober_event prober_receive(struct prober *prober,
				 struct prober_answer *answer);

#endif
