/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shim over <net/rtnetlink.h>; from 6.15 on only the macros are needed.
 *
 * A kind of link whose newlink() makes a peer device uses RTNL_NEWLINK_PEER(newlink,
 * attribute) once, and RTNL_NEWLINK(newlink, attribute) in its struct rtnl_link_ops. A kind of link
 * without peers uses RTNL_NEWLINK_ALONE(newlink) and RTNL_NEWLINK_OP(newlink).
 */
#ifndef _COMPAT_NET_RTNETLINK_H
#define _COMPAT_NET_RTNETLINK_H

#include_next <net/rtnetlink.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
#include <linux/capability.h>
#include <net/net_namespace.h>

struct rtnl_newlink_params {
	struct net *src_net;
	struct net *peer_net;
	struct nlattr **tb;
	struct nlattr **data;
};

static inline struct net *
rtnl_newlink_peer_net(struct rtnl_newlink_params *params)
{
	return params->peer_net;
}

/* Before 6.15, the core passed the namespace of the link as src_net. */
static inline struct net *
rtnl_newlink_link_net(struct rtnl_newlink_params *params)
{
	return params->src_net;
}

typedef int (*compat_newlink_fn)(struct net_device *dev,
				 struct rtnl_newlink_params *params,
				 struct netlink_ext_ack *extack);

/* The namespace that the attributes name, if the caller may configure it. In 7.2 the core also
 * checks the privilege of the process that opened the request's socket. The shim does not know the
 * process that opened the socket. If an unprivileged program makes a privileged program write to
 * its socket, the shim checks only the privilege of the writer.
 */
static inline struct net *compat_peer_net(struct net *src_net,
					  struct nlattr **tb)
{
	struct net *net = rtnl_link_get_net(src_net, tb);

	if (IS_ERR(net) || ns_capable(net->user_ns, CAP_NET_ADMIN))
		return net;
	put_net(net);
	return ERR_PTR(-EPERM);
}

/* Before 6.15, each kind of link looked up its peer's namespace itself. */
static inline int compat_newlink(compat_newlink_fn newlink, u16 peer_type,
				 struct net_device *dev,
				 struct rtnl_newlink_params *params,
				 struct netlink_ext_ack *extack)
{
	struct nlattr *peer_tb[IFLA_MAX + 1], **tb = params->tb;
	const struct nlattr *peer;
	int err;

	peer = params->data ? params->data[peer_type] : NULL;
	if (peer) {
		err = rtnl_nla_parse_ifinfomsg(peer_tb, peer, extack);
		if (err < 0)
			return err;
		tb = peer_tb;
	}
	params->peer_net = compat_peer_net(params->src_net, tb);
	if (IS_ERR(params->peer_net))
		return PTR_ERR(params->peer_net);
	err = newlink(dev, params, extack);
	put_net(params->peer_net);
	return err;
}

#define RTNL_NEWLINK_PEER(newlink, peer_type)				\
static int newlink##_compat(struct net *src_net, struct net_device *dev,	\
			    struct nlattr *tb[], struct nlattr *data[],	\
			    struct netlink_ext_ack *extack)		\
{									\
	struct rtnl_newlink_params params = {				\
		.src_net = src_net, .tb = tb, .data = data,		\
	};								\
									\
	return compat_newlink(newlink, peer_type, dev, &params, extack);	\
}

#define RTNL_NEWLINK_ALONE(newlink)					\
static int newlink##_compat(struct net *src_net, struct net_device *dev,	\
			    struct nlattr *tb[], struct nlattr *data[],	\
			    struct netlink_ext_ack *extack)		\
{									\
	struct rtnl_newlink_params params = {				\
		.src_net = src_net, .tb = tb, .data = data,		\
	};								\
									\
	return newlink(dev, &params, extack);				\
}

#define RTNL_NEWLINK(_newlink, _peer_type)	.newlink = _newlink##_compat
#define RTNL_NEWLINK_OP(_newlink)		.newlink = _newlink##_compat
#else
#define RTNL_NEWLINK_ALONE(newlink)
#define RTNL_NEWLINK_OP(_newlink)		.newlink = _newlink
#define RTNL_NEWLINK_PEER(newlink, peer_type)
#define RTNL_NEWLINK(_newlink, _peer_type)				\
	.newlink = _newlink, .peer_type = _peer_type
#endif

#endif /* _COMPAT_NET_RTNETLINK_H */
