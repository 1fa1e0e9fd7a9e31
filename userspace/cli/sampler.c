// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sample of packets: see sampler.h.
 *
 * recv() copies the packet. So its sender cannot change the bytes between two looks at them.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sampler.h"

#define SNAP	256	/* bytes of a packet that are copied: the headers */
#define MOST	512	/* packets of a call, so that the keyboard gets its turn */

static bool set_filter(int fd, uint32_t one_in)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, SKF_AD_OFF + SKF_AD_PKTTYPE),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACKET_OUTGOING, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SKF_AD_OFF + SKF_AD_RANDOM),
		BPF_STMT(BPF_ALU | BPF_MOD | BPF_K, one_in),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SNAP),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return !setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

int sampler_open(uint32_t one_in)
{
	int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int on = 1, error;

	if (fd < 0 || (set_filter(fd, one_in) &&
		       !setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on))))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

bool sampler_bind(int fd, unsigned int ifindex)
{
	struct sockaddr_ll where = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = ifindex,
	};

	return !bind(fd, (struct sockaddr *)&where, sizeof(where));
}

/* The filter cuts packets. The kernel tells the length before that beside the packet. */
static uint32_t whole_length(struct msghdr *msg, uint32_t got)
{
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(msg);
	struct tpacket_auxdata aux;

	if (!cmsg || cmsg->cmsg_level != SOL_PACKET || cmsg->cmsg_type != PACKET_AUXDATA)
		return got;
	memcpy(&aux, CMSG_DATA(cmsg), sizeof(aux));
	return aux.tp_len;
}

/* Returns whether there was a packet. */
static bool read_one(int fd, struct top_sample *sample)
{
	uint8_t bytes[SNAP], control[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	struct sockaddr_ll from = { 0 };
	struct iovec to = { bytes, sizeof(bytes) };
	struct msghdr msg = { .msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &to,
			      .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = sizeof(control) };
	ssize_t got = recvmsg(fd, &msg, 0);
	struct flow flow;

	if (got < 0)
		return errno == EINTR || errno == ENETDOWN;
	flow_read(&flow, ntohs(from.sll_protocol), bytes, got);
	top_sample_add(sample, &flow, from.sll_ifindex, whole_length(&msg, got));
	return true;
}

void sampler_read(int fd, struct top_sample *sample)
{
	for (int i = 0; i < MOST; i++)
		if (!read_one(fd, sample))
			return;
}
