// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests to the gate (<linux/lpd_genl.h>), and their answers. */

#include <linux/lpd_genl.h>
#include <net/genetlink.h>
#include "sim.h"

static struct genl_family *sim_family;
static struct net sim_net;

int genl_register_family(struct genl_family *family)
{
	sim_family = family;
	write_pnet(&sim_dev.nd_net, &sim_net);
	write_pnet(&sim_sock.sk_net, &sim_net);
	return 0;
}

int genl_unregister_family(const struct genl_family *family)
{
	return 0;
}

struct net_device *dev_get_by_index_rcu(struct net *net, int index)
{
	return &sim_dev;
}

struct sk_buff *__alloc_skb(unsigned int size, gfp_t gfp, int flags, int node)
{
	return sim_no_memory ? NULL : sim_skb_empty(size);
}

/* Leaves space for the headers of the answer. */
void *genlmsg_put(struct sk_buff *skb, u32 port, u32 seq, const struct genl_family *family, int flags,
		  u8 cmd)
{
	u32 len = NLMSG_HDRLEN + GENL_HDRLEN + family->hdrsize;

	memset(skb->data, 0, len);
	skb->tail += len;
	skb->len += len;
	return skb_tail_pointer(skb);
}

int netlink_unicast(struct sock *sk, struct sk_buff *skb, u32 port, int nonblock)
{
	sim_say(" answer %016llx", sim_skb_bytes(skb));
	sim_skb_free(skb);
	return 1;
}

static void sim_put_number(struct sk_buff *request, int attribute, u64 value, u32 len)
{
	sim_say(" %d=%llu", attribute, value);
	nla_put(request, attribute, len, &value);
}

static const struct genl_ops *sim_gate_ops(u8 cmd)
{
	u32 i;

	for (i = 0; i < sim_family->n_ops; i++)
		if (sim_family->ops[i].cmd == cmd)
			return &sim_family->ops[i];
	sim_fail("the family lacks command %d", cmd);
}

/* Returns a random request that opens the gate for some bytes. */
static struct sk_buff *sim_gate_request(u8 cmd)
{
	struct sk_buff *request = sim_skb_empty(1024);

	sim_put_number(request, LPD_A_IFINDEX, 1, sizeof(u32));
	if (cmd != LPD_CMD_GATE_SET)
		return request;
	sim_put_number(request, LPD_A_WINDOW, sim_pick_wide(1000000), sizeof(u64));
	if (sim_percent(50))
		sim_put_number(request, LPD_A_RATE, 1 + sim_pick_wide(10000000), sizeof(u64));
	if (sim_percent(50))
		sim_put_number(request, LPD_A_DELAY, sim_pick_wide(100000000), sizeof(u64));
	if (sim_percent(30))
		sim_put_number(request, LPD_A_PROBE, sim_below(20), sizeof(u32));
	return request;
}

/* Sends a random request to the gate. */
void sim_gate(void)
{
	static const u8 commands[] = {
		LPD_CMD_GATE_SET, LPD_CMD_GATE_SET, LPD_CMD_GATE_SET, LPD_CMD_GATE_GET,
		LPD_CMD_GATE_DEL,
	};
	static struct netlink_ext_ack extack;
	struct nlattr *attrs[LPD_A_MAX + 1];
	struct genl_info info = { .attrs = attrs, .family = sim_family, .extack = &extack };
	u8 cmd = sim_pick(commands);
	struct sk_buff *request;

	sim_say(" gate %u", cmd);
	request = sim_gate_request(cmd);
	__nla_parse(attrs, LPD_A_MAX, (void *)request->data, request->len, NULL, 0, NULL);
	write_pnet(&info._net, &sim_net);
	sim_say(" = %d", sim_gate_ops(cmd)->doit(request, &info));
	sim_skb_free(request);
}
