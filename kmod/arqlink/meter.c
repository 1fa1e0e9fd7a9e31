// SPDX-License-Identifier: GPL-2.0
/*
 * Counts the frames that the lower device has and has not sent yet.
 *
 * Each frame belongs to a socket of the kernel, which nobody else uses. A device releases the
 * socket of a frame when it has sent the frame, as for the frames of a program. The core then calls
 * sk_write_space(). Frames can stay in the lower device longer than arqlink exists. They keep the
 * socket, and the socket keeps the module.
 */

#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <net/net_namespace.h>
#include <net/sock.h>
#include "meter.h"

/**
 * struct arql_meter - a socket that counts
 * @sk: the socket; first, because the core allocates and frees it
 * @frames: frames that the lower device has
 * @waits: a frame waits until the lower device has sent another frame
 * @napi: scheduled when @waits is set and the lower device has sent a frame; NULL after the end of
 *	the link; RCU
 */
struct arql_meter {
	struct sock sk;
	atomic_t frames;
	bool waits;
	struct napi_struct __rcu *napi;
};

static struct proto arql_meter_proto = {
	.name		= "ARQLINK",
	.owner		= THIS_MODULE,
	.obj_size	= sizeof(struct arql_meter),
};

/* The core calls this function once for each frame. */
static void arql_meter_sent(struct sock *sk)
{
	struct arql_meter *meter = container_of(sk, struct arql_meter, sk);
	struct napi_struct *napi;

	rcu_read_lock();
	/* the full barrier pairs with arql_meter_is_full() */
	atomic_dec_return(&meter->frames);
	napi = rcu_dereference(meter->napi);
	if (napi && READ_ONCE(meter->waits)) {
		WRITE_ONCE(meter->waits, false);
		napi_schedule(napi);
	}
	rcu_read_unlock();
}

/**
 * arql_meter_alloc() - create a meter
 * @napi: scheduled when the lower device has sent a frame
 *
 * Process context. The socket is in the initial network namespace, because frames can be in a
 * device after their own namespace has ended.
 *
 * Return: the meter, NULL if memory is short
 */
struct arql_meter *arql_meter_alloc(struct napi_struct *napi)
{
	struct arql_meter *meter;
	struct sock *sk;

	sk = sk_alloc(&init_net, AF_UNSPEC, GFP_KERNEL, &arql_meter_proto, 1);
	if (!sk)
		return NULL;
	sock_init_data(NULL, sk);
	sk->sk_write_space = arql_meter_sent;
	meter = container_of(sk, struct arql_meter, sk);
	atomic_set(&meter->frames, 0);
	RCU_INIT_POINTER(meter->napi, napi);
	return meter;
}

/**
 * arql_meter_free() - end a meter
 * @meter: the meter; NULL is valid
 *
 * Process context. Frames that are still in the lower device keep the memory. After the next grace
 * period, the meter does not use its napi any more.
 */
void arql_meter_free(struct arql_meter *meter)
{
	if (!meter)
		return;
	RCU_INIT_POINTER(meter->napi, NULL);
	sock_put(&meter->sk);
}

/**
 * arql_meter_add() - count a frame that goes to the lower device
 * @meter: the meter
 * @skb: the frame, which belongs to no other socket
 */
void arql_meter_add(struct arql_meter *meter, struct sk_buff *skb)
{
	atomic_inc(&meter->frames);
	skb_set_owner_w(skb, &meter->sk);
}

/**
 * arql_meter_is_full() - check whether the lower device has a number of frames
 * @meter: the meter
 * @limit: the number
 *
 * Return: true if it has, and then the meter schedules its napi when the lower device has sent a
 * frame
 */
bool arql_meter_is_full(struct arql_meter *meter, unsigned int limit)
{
	if (atomic_read(&meter->frames) < limit)
		return false;
	WRITE_ONCE(meter->waits, true);
	/* pairs with arql_meter_sent(): it sees @waits, or the following line sees its decrement */
	smp_mb();
	return atomic_read(&meter->frames) >= limit;
}
