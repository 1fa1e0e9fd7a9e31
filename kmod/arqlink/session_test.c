// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the decision whether a frame belongs to the connection. */

#include <kunit/test.h>
#include <linux/module.h>
#include "session.h"

#define OWN	0x11111111U
#define PEER	0x22222222U
#define OTHER	0x33333333U

static const u32 arql_sessions[] = { 0, OWN, PEER, OTHER };

static enum arql_sender_of arql_of(u32 peer, u8 type, u32 session, u32 source)
{
	const struct arql_session s = { .own = OWN, .peer = peer };
	const struct arql_frame frame = { .type = type, .session = session, .source = source };

	return arql_session_of(&s, &frame);
}

/* With a peer: only a frame with both sessions is the peer's. A third node that knows our session
 * can open a connection by HELLO, and by no other frame.
 */
static void arql_test_connected(struct kunit *test)
{
	u8 type;

	for (type = 0; type <= ARQLINK_TYPE_MAX; type++) {
		const enum arql_sender_of new = type == ARQLINK_HELLO ? ARQL_FROM_NEW_PEER :
									ARQL_FROM_STRANGER;

		KUNIT_EXPECT_EQ(test, arql_of(PEER, type, OWN, PEER), ARQL_FROM_PEER);
		KUNIT_EXPECT_EQ(test, arql_of(PEER, type, OWN, OTHER), new);
		KUNIT_EXPECT_EQ(test, arql_of(PEER, type, 0, PEER), ARQL_FROM_STRANGER);
		KUNIT_EXPECT_EQ(test, arql_of(PEER, type, PEER, PEER), ARQL_FROM_STRANGER);
		KUNIT_EXPECT_EQ(test, arql_of(PEER, type, OTHER, PEER), ARQL_FROM_STRANGER);
	}
}

/* Without a peer no frame is the peer's, and a HELLO with our session makes its sender the peer. */
static void arql_test_alone(struct kunit *test)
{
	u8 type;

	for (type = 0; type <= ARQLINK_TYPE_MAX; type++) {
		const enum arql_sender_of new = type == ARQLINK_HELLO ? ARQL_FROM_NEW_PEER :
									ARQL_FROM_STRANGER;

		KUNIT_EXPECT_EQ(test, arql_of(0, type, OWN, PEER), new);
		KUNIT_EXPECT_EQ(test, arql_of(0, type, 0, PEER), ARQL_FROM_STRANGER);
		KUNIT_EXPECT_EQ(test, arql_of(0, type, OTHER, PEER), ARQL_FROM_STRANGER);
	}
}

/* In all combinations, a frame that does not know our session changes nothing, and our own frames,
 * which come back in a loop, are our own.
 */
static void arql_test_all(struct kunit *test)
{
	int peer, session, source;
	enum arql_sender_of of;
	u8 type;

	for (type = 0; type <= ARQLINK_TYPE_MAX; type++)
		for (peer = 0; peer < 4; peer++)
			for (session = 0; session < 4; session++)
				for (source = 1; source < 4; source++) {
					of = arql_of(arql_sessions[peer], type,
						     arql_sessions[session],
						     arql_sessions[source]);
					KUNIT_EXPECT_EQ(test, of == ARQL_FROM_SELF,
							arql_sessions[source] == OWN);
					if (arql_sessions[session] != OWN)
						KUNIT_EXPECT_GE(test, of, ARQL_FROM_STRANGER);
				}
}

static struct kunit_case arql_session_cases[] = {
	KUNIT_CASE(arql_test_connected),
	KUNIT_CASE(arql_test_alone),
	KUNIT_CASE(arql_test_all),
	{}
};

static struct kunit_suite arql_session_suite = {
	.name = "arqlink_session",
	.test_cases = arql_session_cases,
};

kunit_test_suite(arql_session_suite);

MODULE_DESCRIPTION("KUnit tests of arqlink's sessions");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
