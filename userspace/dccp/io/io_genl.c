// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Asks the module xlo for its setting txtime. The two requests are written out here, because libnl
 * would become a dependency of each program that uses the library.
 */
#include "io.h"

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/xlo_genl.h>
#include <string.h>
#include <unistd.h>

/**
 * struct question - a request with at most one attribute
 * @nlh: header of netlink
 * @genl: header of generic netlink
 * @attr: the attribute
 * @text: its content
 */
struct question {
	struct nlmsghdr nlh;
	struct genlmsghdr genl;
	struct nlattr attr;
	char text[16];
};

union answer {
	struct nlmsghdr nlh;
	char room[4096];
};

/* Sends a request and reads the answer. The kernel answers before sendto() returns. */
static bool ask(int fd, const struct question *q, union answer *answer)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	ssize_t len;

	if (sendto(fd, q, q->nlh.nlmsg_len, 0, (const void *)&kernel, sizeof(kernel)) < 0)
		return false;
	len = recv(fd, answer, sizeof(*answer), MSG_DONTWAIT);
	return len >= (ssize_t)(NLMSG_HDRLEN + GENL_HDRLEN) &&
	       answer->nlh.nlmsg_len <= (size_t)len && answer->nlh.nlmsg_type != NLMSG_ERROR;
}

/* Finds an attribute of an answer. Return: its content of at least @size bytes, or NULL. */
static const void *find(const union answer *answer, uint16_t type, size_t size)
{
	size_t at = NLMSG_HDRLEN + GENL_HDRLEN, end = answer->nlh.nlmsg_len;
	struct nlattr attr;

	while (at + NLA_HDRLEN <= end) {
		memcpy(&attr, answer->room + at, sizeof(attr));
		if (attr.nla_len < NLA_HDRLEN || attr.nla_len > end - at)
			return NULL;
		if ((attr.nla_type & NLA_TYPE_MASK) == type)
			return attr.nla_len >= NLA_HDRLEN + size ?
			       answer->room + at + NLA_HDRLEN : NULL;
		at += NLA_ALIGN(attr.nla_len);
	}
	return NULL;
}

/* The number of the family xlo, 0 if the module is not loaded. */
static uint16_t find_family(int fd)
{
	struct question q = {
		.nlh = {
			.nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN + NLA_HDRLEN +
				     NLA_ALIGN(sizeof(XLO_GENL_NAME)),
			.nlmsg_type = GENL_ID_CTRL,
			.nlmsg_flags = NLM_F_REQUEST,
		},
		.genl = { .cmd = CTRL_CMD_GETFAMILY, .version = 1 },
		.attr = { NLA_HDRLEN + sizeof(XLO_GENL_NAME), CTRL_ATTR_FAMILY_NAME },
		.text = XLO_GENL_NAME,
	};
	union answer answer;
	const void *id;
	uint16_t family;

	if (!ask(fd, &q, &answer))
		return 0;
	id = find(&answer, CTRL_ATTR_FAMILY_ID, sizeof(family));
	if (!id)
		return 0;
	memcpy(&family, id, sizeof(family));
	return family;
}

bool fdccp_xlo_txtime(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	struct question q = {
		.nlh = {
			.nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN,
			.nlmsg_flags = NLM_F_REQUEST,
		},
		.genl = { .cmd = XLO_CMD_GET, .version = XLO_GENL_VERSION },
	};
	const uint8_t *txtime = NULL;
	union answer answer;

	if (fd < 0)
		return false;
	q.nlh.nlmsg_type = find_family(fd);
	if (q.nlh.nlmsg_type && ask(fd, &q, &answer))
		txtime = find(&answer, XLO_A_TXTIME, sizeof(*txtime));
	close(fd);
	return txtime && *txtime;
}
