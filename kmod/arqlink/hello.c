// SPDX-License-Identifier: GPL-2.0
/* The connection. Documentation/arqlink.rst, "Connection", has the rules. */

#include <linux/etherdevice.h>
#include <linux/random.h>
#include "hello.h"
#include "receiver.h"
#include "sender.h"

/* With fewer bytes a frame might have no byte behind an Ethernet header and all words. */
#define ARQL_PIECE_MIN		(ETH_HLEN + ARQLINK_WORDS_MAX * ARQLINK_WORD_LEN + 1)
#define ARQL_HELLO_EVERY	((s64)NSEC_PER_SEC)
#define ARQL_HELLO_PAUSE	((s64)100 * NSEC_PER_MSEC)

/* Prepares a HELLO. It replaces a HELLO that waits. */
static void arql_hello_to(struct arql_link *link, u32 session,
			  const u8 *address, u8 flags)
{
	link->hello_session = session;
	link->hello_flags = flags;
	ether_addr_copy(link->hello_address, address);
	arql_job_add(link, &link->hello);
}

/**
 * arql_hello_begin() - choose a session and look for a peer
 * @link: the link, locked
 */
void arql_hello_begin(struct arql_link *link)
{
	link->connected = false;
	netif_carrier_off(link->dev);
	link->session.peer = 0;
	do {
		link->session.own = get_random_u32();
	} while (!link->session.own);
	ether_addr_copy(link->peer_address, link->cfg.remote);
	if (is_zero_ether_addr(link->cfg.remote))
		eth_broadcast_addr(link->peer_address);
	link->at[ARQL_EVENT_HELLO] = 0;
}

/**
 * arql_hello_again() - send HELLO, and again after a second if the peer has not answered
 * @link: the link, locked
 * @now: the time
 */
void arql_hello_again(struct arql_link *link, s64 now)
{
	link->at[ARQL_EVENT_HELLO] = now + ARQL_HELLO_EVERY;
	/* the session is 0 while no peer is known */
	arql_hello_to(link, link->session.peer, link->peer_address, ARQLINK_FLAG_ASK);
}

/**
 * arql_hello_resized() - tell the peer that our window has changed
 * @link: the link, locked and up
 *
 * While a HELLO has no answer, the answer or the next HELLO is soon enough.
 */
void arql_hello_resized(struct arql_link *link)
{
	if (link->at[ARQL_EVENT_HELLO] == ARQL_NEVER)
		link->at[ARQL_EVENT_HELLO] = 0;
}

/* The peer has answered. If our window has changed after our HELLO, the peer is told again. */
static void arql_hello_answered(struct arql_link *link)
{
	link->at[ARQL_EVENT_HELLO] =
		link->told_window == link->cfg.window ? ARQL_NEVER : 0;
}

/* May the answer to a stranger wait for the lower device? A HELLO to the peer's address has
 * priority, so that the answers to a third node do not delay it.
 */
static bool arql_hello_has_place(const struct arql_link *link, const u8 *address)
{
	return !arql_job_waits(&link->hello) ||
	       (ether_addr_equal(address, link->peer_address) &&
		!ether_addr_equal(link->hello_address, link->peer_address));
}

/**
 * arql_hello_stranger() - answer a frame that does not belong to the connection
 * @link: the link, locked
 * @frame: the header
 * @address: the sender's address
 * @now: the time
 *
 * A HELLO is answered by one HELLO, so that a flood is not amplified. The answer to other frames
 * tells a peer that we have restarted, or that we have not heard from it since it restarted.
 */
void arql_hello_stranger(struct arql_link *link, const struct arql_frame *frame,
			 const u8 *address, s64 now)
{
	if (frame->type != ARQLINK_HELLO) {
		if (now - link->asked_at < ARQL_HELLO_PAUSE)
			return;
		link->asked_at = now;
	}
	if (arql_hello_has_place(link, address))
		arql_hello_to(link, frame->source, address, ARQLINK_FLAG_ASK);
}

/* Opens a connection with a new peer. Its first frame has the number 0, and so has ours. Packets
 * that still wait in the ring go to the new peer.
 */
static void arql_connect(struct arql_link *link, u32 peer, s64 now)
{
	arql_sender_reset(link);
	arql_receiver_reset(link);
	arql_job_del(&link->ack);
	arql_job_del(&link->nack);
	link->at[ARQL_EVENT_ACK] = ARQL_NEVER;
	link->at[ARQL_EVENT_HELLO] = ARQL_NEVER;
	link->session.peer = peer;
	link->connected = true;
	link->stats[ARQLINK_STATS_CONNECTIONS]++;
	netif_carrier_on(link->dev);
	arql_sender_fill(link, now);
}

/**
 * arql_hello_heard() - handle a HELLO with our session
 * @link: the link, locked
 * @frame: the header
 * @hello: the payload
 * @address: the sender's address
 * @now: the time
 *
 * Return: the counter of the frame
 */
int arql_hello_heard(struct arql_link *link, const struct arql_frame *frame,
		     const struct arql_hello *hello, const u8 *address,
		     s64 now)
{
	if (!hello->window || hello->piece < ARQL_PIECE_MIN)
		return ARQLINK_STATS_MALFORMED;
	link->peer = *hello;
	ether_addr_copy(link->peer_address, address);
	if (frame->source != link->session.peer)
		arql_connect(link, frame->source, now);
	else
		arql_sender_fill(link, now);
	if (frame->flags & ARQLINK_FLAG_ASK)
		arql_hello_to(link, frame->source, address, 0);
	else
		arql_hello_answered(link);
	return ARQLINK_STATS_IN_HELLO;
}
