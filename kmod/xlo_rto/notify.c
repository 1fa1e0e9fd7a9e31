// SPDX-License-Identifier: GPL-2.0
/*
 * XRTO_CMD_NOTIFY: a message that a program wants sent, by the same way as a link's own. What is
 * not sent is refused, with the reason.
 */

#include <linux/skbuff.h>
#include <linux/xlo_rto.h>
#include "notify.h"
#include "outbox.h"

const struct nla_policy xrto_notify_policy[XRTO_A_MAX + 1] = {
	[XRTO_A_CODE]	= { .type = NLA_U8 },
	[XRTO_A_PACKET]	= { .type = NLA_BINARY },
};

/* Why there is no message about the packet, and the error that says so. */
static const struct {
	int err;
	const char *text;
} xrto_notify_refusals[XRTO_NOTICES_MAX + 1] = {
	[XRTO_NOTICES_MALFORMED] = {
		-EINVAL, "xlo_rto: packet must be IP from its header on, with TCP's flags" },
	[XRTO_NOTICES_FRAGMENT] = {
		-EINVAL, "xlo_rto: packet must not be a fragment but the first" },
	[XRTO_NOTICES_ICMP] = { -EINVAL, "xlo_rto: packet must not be ICMP" },
	[XRTO_NOTICES_ADDRESS] = {
		-EINVAL, "xlo_rto: packet must be from one host to one host" },
	[XRTO_NOTICES_NOT_TCP] = {
		-EINVAL, "xlo_rto: packet must be TCP unless code is discarded" },
	[XRTO_NOTICES_SYN] = { -EINVAL, "xlo_rto: packet must not be a SYN" },
	[XRTO_NOTICES_RST] = { -EINVAL, "xlo_rto: packet must not be a RST" },
	[XRTO_NOTICES_NO_OPTION] = {
		-EINVAL, "xlo_rto: packet must carry the cross-layer option where code is defer" },
	[XRTO_NOTICES_HOST_LIMIT] = {
		-EBUSY, "xlo_rto: too many messages to this host, 10 a second may be" },
	[XRTO_NOTICES_LIMIT] = {
		-EBUSY, "xlo_rto: too many messages, 1000 a second may be" },
	[XRTO_NOTICES_QUEUE_FULL] = { -EBUSY, "xlo_rto: too many messages wait" },
	[XRTO_NOTICES_NOMEM] = { -ENOMEM, "xlo_rto: no memory" },
};

static int xrto_notify_check(struct genl_info *info)
{
	const struct nlattr *code = info->attrs[XRTO_A_CODE];
	const struct nlattr *packet = info->attrs[XRTO_A_PACKET];

	if (!code || nla_get_u8(code) > XRTO_CODE_LINK_UP) {
		NL_SET_ERR_MSG_ATTR(info->extack, code,
				    "xlo_rto: code must be 0 to 3");
		return -ERANGE;
	}
	if (!packet || !nla_len(packet) || nla_len(packet) > XRTO_PACKET_MAX) {
		NL_SET_ERR_MSG_ATTR(info->extack, packet,
				    "xlo_rto: packet must have 1 to 1500 bytes");
		return -ERANGE;
	}
	return 0;
}

static int xrto_notify_refuse(struct genl_info *info, enum xrto_notices refusal)
{
	NL_SET_BAD_ATTR(info->extack, info->attrs[XRTO_A_PACKET]);
	info->extack->_msg = xrto_notify_refusals[refusal].text;
	return xrto_notify_refusals[refusal].err;
}

/**
 * xrto_notify_doit() - XRTO_CMD_NOTIFY
 * @skb: the request
 * @info: likewise
 *
 * Return: 0 if a message waits to be sent, else an error
 */
int xrto_notify_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[XRTO_A_PACKET];
	enum xrto_notices refusal;
	struct sk_buff *packet;
	int err;

	err = xrto_notify_check(info);
	if (err)
		return err;
	packet = alloc_skb(nla_len(attr), GFP_KERNEL);
	if (!packet)
		return -ENOMEM;
	skb_put_data(packet, nla_data(attr), nla_len(attr));
	refusal = xrto_outbox_add(genl_info_net(info), packet, 0,
				  nla_get_u8(info->attrs[XRTO_A_CODE]));
	kfree_skb(packet);
	return refusal ? xrto_notify_refuse(info, refusal) : 0;
}
