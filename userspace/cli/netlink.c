// SPDX-License-Identifier: GPL-2.0-or-later
/* netlink through libnl: see netlink.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/socket.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netlink.h"

#define LISTEN_BUFFER	(1 << 20)

/* Saves the content of an error message. The attributes directly follow struct nlmsgerr,
 * because the socket option NETLINK_CAP_ACK makes the kernel leave out the request.
 */
static int keep_error(struct sockaddr_nl *from, struct nlmsgerr *err, void *arg)
{
	struct nlmsghdr *hdr = (void *)((char *)err - NLMSG_HDRLEN);
	struct nlattr *attrs[NLMSGERR_ATTR_MAX + 1] = { NULL };
	struct netlink *nl = arg;

	(void)from;
	nl->error = -err->error;
	nl->refused = err->msg.nlmsg_type;
	if (hdr->nlmsg_flags & NLM_F_ACK_TLVS)
		nla_parse(attrs, NLMSGERR_ATTR_MAX, (void *)(err + 1),
			  hdr->nlmsg_len - NLMSG_HDRLEN - sizeof(*err), NULL);
	if (attrs[NLMSGERR_ATTR_MSG])
		snprintf(nl->text, sizeof(nl->text), "%s",
			 nla_get_string(attrs[NLMSGERR_ATTR_MSG]));
	if (attrs[NLMSGERR_ATTR_OFFS])
		nl->offset = nla_get_u32(attrs[NLMSGERR_ATTR_OFFS]);
	return NL_STOP;
}

static bool connect_socket(struct netlink *nl, int protocol)
{
	int on = 1, fd;

	nl->sock = nl_socket_alloc();
	if (!nl->sock) {
		nl->error = ENOMEM;
		return false;
	}
	if (nl_connect(nl->sock, protocol)) {
		nl->error = errno;
		netlink_close(nl);
		return false;
	}
	fd = nl_socket_get_fd(nl->sock);
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	nl_socket_modify_err_cb(nl->sock, NL_CB_CUSTOM, keep_error, nl);
	return true;
}

/* The function opens the socket in another namespace, and then returns to its own namespace.
 * The socket stays in the other namespace.
 */
bool netlink_open(struct netlink *nl, int protocol, int netns)
{
	int home;

	*nl = (struct netlink){ 0 };
	if (netns < 0)
		return connect_socket(nl, protocol);
	home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (home < 0) {
		nl->error = errno;
		return false;
	}
	if (setns(netns, CLONE_NEWNET)) {
		nl->error = errno;
	} else {
		connect_socket(nl, protocol);
		if (setns(home, CLONE_NEWNET)) {
			nl->error = errno;
			netlink_close(nl);
		}
	}
	close(home);
	return nl->sock;
}

void netlink_close(struct netlink *nl)
{
	nl_socket_free(nl->sock);
	nl->sock = NULL;
}

/* Converts an error number of libnl to an errno value. For ENOBUFS, libnl has NLE_NOMEM. */
static int to_errno(int err)
{
	switch (err) {
	case -NLE_AGAIN:
	case -NLE_DUMP_INTR:
		return EAGAIN;
	case -NLE_NOMEM:
		return ENOBUFS;
	default:
		return EIO;
	}
}

/* Returns whether a function of libnl succeeded. After a failure without an answer of the
 * kernel, the error of libnl is saved.
 */
static bool check(struct netlink *nl, int err)
{
	if (err < 0 && !nl->error) {
		nl->error = to_errno(err);
		snprintf(nl->text, sizeof(nl->text), "%s", nl_geterror(err));
	}
	return !nl->error;
}

static void forget_error(struct netlink *nl)
{
	nl->error = 0;
	nl->text[0] = '\0';
	nl->offset = 0;
}

const char *netlink_reason(const struct netlink *nl)
{
	return *nl->text ? nl->text : strerror(nl->error);
}

bool netlink_request(struct netlink *nl, struct nl_msg *msg)
{
	int err;

	forget_error(nl);
	err = nl_send_auto(nl->sock, msg);
	if (err >= 0)
		err = nl_wait_for_ack(nl->sock);
	return check(nl, err);
}

bool netlink_tell(struct netlink *nl, struct nl_msg *msg)
{
	int err;

	forget_error(nl);
	nl_socket_disable_auto_ack(nl->sock);
	err = nl_send_auto(nl->sock, msg);
	nl_socket_enable_auto_ack(nl->sock);
	return check(nl, err);
}

uint16_t netlink_refused_attr(const struct netlink *nl, struct nl_msg *msg)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);

	if (nl->offset < NLMSG_HDRLEN ||
	    nl->offset + NLA_HDRLEN > hdr->nlmsg_len)
		return 0;
	return nla_type((struct nlattr *)((char *)hdr + nl->offset));
}

static int converse(struct netlink *nl, struct nl_msg *msg,
		    nl_recvmsg_msg_cb_t each, void *arg)
{
	int err;

	forget_error(nl);
	nl_socket_modify_cb(nl->sock, NL_CB_VALID, NL_CB_CUSTOM, each, arg);
	err = nl_send_auto(nl->sock, msg);
	return err < 0 ? err : nl_recvmsgs_default(nl->sock);
}

/* Sends a request and receives its answer. The acknowledgment follows the answer. */
bool netlink_ask(struct netlink *nl, struct nl_msg *msg,
		 nl_recvmsg_msg_cb_t see, void *arg)
{
	int err = converse(nl, msg, see, arg);

	if (err >= 0)
		err = nl_wait_for_ack(nl->sock);
	return check(nl, err);
}

bool netlink_dump(struct netlink *nl, struct nl_msg *msg,
		  nl_recvmsg_msg_cb_t each, void *arg)
{
	nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_DUMP;
	return check(nl, converse(nl, msg, each, arg));
}

bool netlink_listen(struct netlink *nl, const int *groups,
		    nl_recvmsg_msg_cb_t each, void *arg)
{
	int err = 0;

	forget_error(nl);
	/* an event does not have the sequence number of a request */
	nl_socket_disable_seq_check(nl->sock);
	nl_socket_modify_cb(nl->sock, NL_CB_VALID, NL_CB_CUSTOM, each, arg);
	/* net.core.rmem_max limits the size */
	nl_socket_set_buffer_size(nl->sock, LISTEN_BUFFER, 0);
	nl_socket_set_nonblocking(nl->sock);
	for (; *groups && err >= 0; groups++)
		err = nl_socket_add_membership(nl->sock, *groups);
	return check(nl, err);
}

bool netlink_receive(struct netlink *nl)
{
	forget_error(nl);
	return check(nl, nl_recvmsgs_default(nl->sock));
}
