/* SPDX-License-Identifier: GPL-2.0 */
/* The generic netlink family "xlo". */
#ifndef _XLO_NETLINK_H
#define _XLO_NETLINK_H

#include <net/genetlink.h>
#include "config.h"

extern struct genl_family xlo_genl_family;

/* A refusal: which attribute, and why. */
#define XLO_REFUSE(info, attr, err, why)				\
	({								\
		struct genl_info *info_ = (info);			\
									\
		NL_SET_ERR_MSG_ATTR(info_->extack, info_->attrs[attr],	\
				    "xlo: " why);			\
		-(err);							\
	})

#define XLO_MISSING(info, name)						\
	({								\
		GENL_SET_ERR_MSG(info, "xlo: " name " is missing");	\
		-EINVAL;						\
	})

int xlo_netlink_init(void);
void xlo_netlink_exit(void);

int xlo_no_change(struct genl_info *info);
int xlo_change(struct genl_info *info, struct xlo_config *config);
void *xlo_dump_put(struct sk_buff *skb, struct netlink_callback *cb,
		   enum xlo_cmd cmd);

extern const struct nla_policy xlo_profile_policy[XLO_A_MAX + 1];
extern const struct nla_policy xlo_name_policy[XLO_A_MAX + 1];
int xlo_profile_add_doit(struct sk_buff *skb, struct genl_info *info);
int xlo_profile_del_doit(struct sk_buff *skb, struct genl_info *info);
int xlo_profile_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

extern const struct nla_policy xlo_cap_policy[XLO_A_MAX + 1];
extern const struct nla_policy xlo_ifindex_policy[XLO_A_MAX + 1];
int xlo_cap_set_doit(struct sk_buff *skb, struct genl_info *info);
int xlo_cap_del_doit(struct sk_buff *skb, struct genl_info *info);
int xlo_cap_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
void xlo_cap_device_gone(struct net *net, int ifindex);

int xlo_put_profile(struct sk_buff *msg, const struct xlo_profile *profile);
int xlo_put_cap(struct sk_buff *msg, const struct xlo_cap *cap);
int xlo_put_settings(struct sk_buff *msg, struct xlo_net *xn);

#endif /* _XLO_NETLINK_H */
