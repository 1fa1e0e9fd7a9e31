/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decides whether a frame belongs to the connection. The function only computes.
 *
 * The rules make a blind attacker harmless: a frame changes the connection only if its sender knows
 * our session, which it has to read from one of our frames.
 */
#ifndef _ARQLINK_SESSION_H
#define _ARQLINK_SESSION_H

#include "frame.h"

/**
 * struct arql_session - the sessions of a connection
 * @own: our session, not 0
 * @peer: the peer's session, 0 while no peer is known
 */
struct arql_session {
	u32 own;
	u32 peer;
};

/**
 * enum arql_sender_of - who has sent a frame
 * @ARQL_FROM_PEER: the peer
 * @ARQL_FROM_NEW_PEER: a node that knows our session and is not the peer: HELLO only
 * @ARQL_FROM_STRANGER: a node that does not know our session, or that we do not know
 * @ARQL_FROM_SELF: this device
 */
enum arql_sender_of {
	ARQL_FROM_PEER,
	ARQL_FROM_NEW_PEER,
	ARQL_FROM_STRANGER,
	ARQL_FROM_SELF,
};

/**
 * arql_session_of() - find out who has sent a frame
 * @s: our sessions
 * @frame: the header of the frame
 */
static inline enum arql_sender_of
arql_session_of(const struct arql_session *s, const struct arql_frame *frame)
{
	if (frame->source == s->own)
		return ARQL_FROM_SELF;
	if (frame->session != s->own)
		return ARQL_FROM_STRANGER;
	if (frame->source == s->peer)
		return ARQL_FROM_PEER;
	return frame->type == ARQLINK_HELLO ? ARQL_FROM_NEW_PEER :
					      ARQL_FROM_STRANGER;
}

#endif /* _ARQLINK_SESSION_H */
