/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libfreshlink-dccp: DCCP (RFC 4340) in user space.
 *
 * The header has two parts. The core is the protocol without I/O: the program hands it received
 * datagrams, the time and random numbers, and asks it for datagrams to send, the next timer and
 * events. The adapter, fdccp_io_..., does this with sockets and one file descriptor to wait for.
 *
 * All times are ns on a clock of the program's choice that never goes back; the adapter uses
 * CLOCK_MONOTONIC. Functions of one endpoint must not run at the same time; different endpoints
 * are independent.
 *
 * A function that can fail returns a negative errno value.
 */
#ifndef FRESHLINK_DCCP_H
#define FRESHLINK_DCCP_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include <freshlink.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The port of DCCP in UDP (RFC 6773). */
#define FDCCP_UDP_PORT		6511

/* No time: a timer that does not run. */
#define FDCCP_NEVER		INT64_MAX

/* Room for every datagram that the core makes. */
#define FDCCP_DATAGRAM_MAX	9216

/* A sensitive part that is all of the payload. */
#define FDCCP_SENSITIVE_ALL	UINT16_MAX

/* A service code that no connection can have (RFC 4340 section 8.1.2). */
#define FDCCP_SERVICE_INVALID	UINT32_C(0xffffffff)

/* The service code of connections that probe the path, "SC:flpr". Each listening port of this library
 * accepts them beside its own services, and no program is told of them: they carry no data, and end
 * when the client is silent for half a minute.
 */
#define FDCCP_SERVICE_PROBE	UINT32_C(0x666c7072)

struct fdccp_endpoint;
struct fdccp_conn;

/**
 * union fdccp_address - an IPv4 or IPv6 address; IPv4-mapped addresses are not used
 * @sa: the family
 * @in: with AF_INET
 * @in6: with AF_INET6
 */
union fdccp_address {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

/**
 * struct fdccp_path - the addresses of a datagram
 * @local: this host. The port is the UDP port; 0 with the carrier ip
 * @remote: the peer
 */
struct fdccp_path {
	union fdccp_address local;
	union fdccp_address remote;
};

/**
 * enum fdccp_carrier - what DCCP packets travel in
 * @FDCCP_CARRIER_UDP: UDP datagrams (RFC 6773)
 * @FDCCP_CARRIER_IP: IP packets of protocol 33
 */
enum fdccp_carrier {
	FDCCP_CARRIER_UDP,
	FDCCP_CARRIER_IP,
};

/**
 * struct fdccp_datagram - a datagram that was received or shall be sent
 * @path: its addresses
 * @data: the DCCP packet, from DCCP's source port on
 * @size: to send: bytes that @data has room for
 * @len: bytes of the packet
 * @ecn: the ECN field of the IP header (RFC 3168)
 * @deadline: to send: the time at which the packet becomes stale, or FDCCP_NEVER
 * @stale: to send: what routers do with it then
 * @slow: to send: the flow responds slowly to congestion
 * @corruptible: to send: damage behind its sensitive part is tolerable. The carrier says so to links
 * @bare: to send: it leaves without UDP's checksum, because DCCP's own guards its headers
 * @stamped: received: the packet had the lifetime option
 * @cut: received: a router cut off the payload. The core finds most cuts itself; a carrier that
 *	knows says so
 * @conn: to send: the connection; NULL if there is none, or none that the program knows: before
 *	ACCEPTED and after CLOSED
 */
struct fdccp_datagram {
	struct fdccp_path path;
	uint8_t *data;
	size_t size;
	size_t len;
	uint8_t ecn;
	int64_t deadline;
	enum freshlink_stale stale;
	bool slow;
	bool corruptible;
	bool bare;
	bool stamped;
	bool cut;
	struct fdccp_conn *conn;
};

/**
 * enum fdccp_state - states of a connection, in the order of RFC 4340 section 4.3
 */
enum fdccp_state {
	FDCCP_CLOSED,
	FDCCP_REQUEST,
	FDCCP_RESPOND,
	FDCCP_PARTOPEN,
	FDCCP_OPEN,
	FDCCP_CLOSEREQ,
	FDCCP_CLOSING,
	FDCCP_TIMEWAIT,
};

/**
 * enum fdccp_reset - reset codes (RFC 4340 section 5.6, RFC 6773 section 3.4)
 */
enum fdccp_reset {
	FDCCP_RESET_UNSPECIFIED = 0,
	FDCCP_RESET_CLOSED = 1,
	FDCCP_RESET_ABORTED = 2,
	FDCCP_RESET_NO_CONNECTION = 3,
	FDCCP_RESET_PACKET_ERROR = 4,
	FDCCP_RESET_OPTION_ERROR = 5,
	FDCCP_RESET_MANDATORY_ERROR = 6,
	FDCCP_RESET_CONNECTION_REFUSED = 7,
	FDCCP_RESET_BAD_SERVICE_CODE = 8,
	FDCCP_RESET_TOO_BUSY = 9,
	FDCCP_RESET_BAD_INIT_COOKIE = 10,
	FDCCP_RESET_AGGRESSION_PENALTY = 11,
	FDCCP_RESET_ENCAPSULATED_PORT_REUSE = 12,
};

/**
 * enum fdccp_fate - what became of a data packet. Each packet gets exactly one
 * @FDCCP_FATE_ACKNOWLEDGED: the receiver's program has it
 * @FDCCP_FATE_MARKED: as acknowledged, with an ECN mark, or damaged behind its sensitive part
 * @FDCCP_FATE_LOST: three later packets arrived, but not this one
 * @FDCCP_FATE_EXPIRED: became stale in a queue of this host
 * @FDCCP_FATE_DISCARDED: a router discarded it as stale
 * @FDCCP_FATE_CUT: a router cut it to its headers
 * @FDCCP_FATE_DAMAGED: arrived, but its data was damaged (Data Dropped 3)
 * @FDCCP_FATE_DROPPED: arrived, but the receiver dropped it (Data Dropped 1 or 2)
 * @FDCCP_FATE_UNKNOWN: nothing was heard of it: the connection ended before, or the peer does not
 *	report each packet (CCID 3 without Ack Vectors, as Linux has it)
 *
 * A new fate changes struct fdccp_info, so it needs a new version of the library.
 */
enum fdccp_fate {
	FDCCP_FATE_ACKNOWLEDGED,
	FDCCP_FATE_MARKED,
	FDCCP_FATE_LOST,
	FDCCP_FATE_EXPIRED,
	FDCCP_FATE_DISCARDED,
	FDCCP_FATE_CUT,
	FDCCP_FATE_DAMAGED,
	FDCCP_FATE_DROPPED,
	FDCCP_FATE_UNKNOWN,
	FDCCP_FATES,
};

/**
 * enum fdccp_cause - what congestion control is told of a data packet, or of the link below it
 * @FDCCP_CAUSE_ARRIVED: the receiver's program has it
 * @FDCCP_CAUSE_CUT: its headers arrived: a router cut it (Data Dropped 0)
 * @FDCCP_CAUSE_MARKED: it, or its headers, arrived with an ECN mark
 * @FDCCP_CAUSE_FLAWED: it arrived damaged, and the program has it (Data Dropped 7)
 * @FDCCP_CAUSE_DAMAGED: it arrived damaged, and was dropped (Data Dropped 3)
 * @FDCCP_CAUSE_REFUSED: it arrived, and the receiver dropped it (Data Dropped 1 or 2)
 * @FDCCP_CAUSE_STALE: this host or a router discarded it as stale
 * @FDCCP_CAUSE_OVERDUE: likewise, and more than a tenth of the flow's last four round trips was
 *	stale: that is congestion
 * @FDCCP_CAUSE_GIVEN_UP: a link below gave up sending it
 * @FDCCP_CAUSE_MISSING: nothing is known but that it is missing
 * @FDCCP_CAUSE_LATE: it counted as missing, and arrived after all
 * @FDCCP_CAUSE_DEFER: a link says that its channel improves; the packet is on the way
 * @FDCCP_CAUSE_LINK_UP: a link says that its channel is back; the packet is on the way
 */
enum fdccp_cause {
	FDCCP_CAUSE_ARRIVED,
	FDCCP_CAUSE_CUT,
	FDCCP_CAUSE_MARKED,
	FDCCP_CAUSE_FLAWED,
	FDCCP_CAUSE_DAMAGED,
	FDCCP_CAUSE_REFUSED,
	FDCCP_CAUSE_STALE,
	FDCCP_CAUSE_OVERDUE,
	FDCCP_CAUSE_GIVEN_UP,
	FDCCP_CAUSE_MISSING,
	FDCCP_CAUSE_LATE,
	FDCCP_CAUSE_DEFER,
	FDCCP_CAUSE_LINK_UP,
	FDCCP_CAUSES,
};

/**
 * enum fdccp_verdict - what IFTPV decided about a loss
 * @FDCCP_VERDICT_KEEP: random: the window stays
 * @FDCCP_VERDICT_EASE: random, while congestion rises: the window shrinks to 4/5
 * @FDCCP_VERDICT_HALVE: congestion: the window shrinks to a half
 * @FDCCP_VERDICT_DRAIN: with a tolerance: the window shrinks by what waits in queues
 * @FDCCP_VERDICT_TIMEOUT: a timeout: slow start
 */
enum fdccp_verdict {
	FDCCP_VERDICT_KEEP,
	FDCCP_VERDICT_EASE,
	FDCCP_VERDICT_HALVE,
	FDCCP_VERDICT_DRAIN,
	FDCCP_VERDICT_TIMEOUT,
	FDCCP_VERDICTS,
};

/**
 * enum fdccp_event_type - what happened, in the order in which the events of a connection are told
 * @FDCCP_EVENT_CONNECTED: the handshake of fdccp_connect() is complete, packets can be sent
 * @FDCCP_EVENT_ACCEPTED: a client has connected to a listening port
 * @FDCCP_EVENT_DATA: application data arrived. It comes before all that its packet says, so that
 *	the program can report it as dropped before it sends something
 * @FDCCP_EVENT_FATE: what became of a packet of fdccp_send()
 * @FDCCP_EVENT_NOTICE: ICMP or the error queue says that a packet of fdccp_send() is EXPIRED,
 *	DISCARDED or, because a link gave it up, LOST. Its fate follows, as FATE, and may be another
 *	one, because ICMP can be forged
 * @FDCCP_EVENT_PROBED: what became of a probe of fdccp_probe()
 * @FDCCP_EVENT_MOVED: the peer's address has changed
 * @FDCCP_EVENT_SIZE: the largest payload has changed, see fdccp_payload_max()
 * @FDCCP_EVENT_READY: after fdccp_send() has returned -EAGAIN: a packet may be sent now
 * @FDCCP_EVENT_CLOSED: the connection has ended. fdccp_info() and fdccp_user() may read it until
 *	the next call of another function; then it is gone
 */
enum fdccp_event_type {
	FDCCP_EVENT_CONNECTED,
	FDCCP_EVENT_ACCEPTED,
	FDCCP_EVENT_DATA,
	FDCCP_EVENT_FATE,
	FDCCP_EVENT_NOTICE,
	FDCCP_EVENT_PROBED,
	FDCCP_EVENT_MOVED,
	FDCCP_EVENT_SIZE,
	FDCCP_EVENT_READY,
	FDCCP_EVENT_CLOSED,
};

/**
 * enum fdccp_reason - why a connection ended
 * @FDCCP_REASON_CLOSED: in order (Reset 1)
 * @FDCCP_REASON_RESET: the peer sent another Reset, see @reset
 * @FDCCP_REASON_ERROR: the peer broke the protocol; we sent @reset
 * @FDCCP_REASON_TIMEOUT: the peer did not answer
 * @FDCCP_REASON_ABORTED: fdccp_abort()
 * @FDCCP_REASON_UNREACHABLE: ICMP said that there is no peer, during the handshake
 * @FDCCP_REASON_CIRCUIT_BREAKER: FDCCP_CCID_FIXED had no feedback, or lost more than half of its
 *	packets, for 11 s; we sent @reset
 */
enum fdccp_reason {
	FDCCP_REASON_CLOSED,
	FDCCP_REASON_RESET,
	FDCCP_REASON_ERROR,
	FDCCP_REASON_TIMEOUT,
	FDCCP_REASON_ABORTED,
	FDCCP_REASON_UNREACHABLE,
	FDCCP_REASON_CIRCUIT_BREAKER,
};

/**
 * struct fdccp_event - an event
 * @type: what happened
 * @conn: the connection
 * @data: DATA: the payload, valid until the next call of the library
 * @len: DATA: its length. SIZE: the largest payload. PROBED: bytes after the header that arrived, if
 *	@told
 * @ecn: DATA: the ECN field the packet arrived with
 * @damaged: DATA: Data Checksum says that the payload is damaged. FATE: the packet was delivered so
 *	(Data Dropped 7)
 * @intact: DATA: bytes of a damaged payload, from its beginning, that are whole
 * @told: PROBED: the peer has told how the probe arrived; only a Freshlink end does
 * @stamped: PROBED: it had the lifetime option, if @told
 * @seq: DATA, FATE, NOTICE, PROBED: the packet's sequence number, 0 if it was never sent
 * @fate: FATE, NOTICE: the fate. PROBED: ACKNOWLEDGED; EXPIRED: in a queue of this host; DISCARDED: a
 *	router says so, which can be forged, and an answer may follow
 * @handle: FATE, NOTICE: as given to fdccp_send()
 * @sent: FATE, NOTICE: when the packet was sent, or FDCCP_NEVER: it waited in the adapter's queue
 *	until it was stale (EXPIRED) or could not be sent any more (UNKNOWN)
 * @rtt: FATE: the last round-trip time, if it was measured with this packet, without the time that
 *	the peer waited; else 0
 * @reason: CLOSED: why
 * @reset: CLOSED: the reset code of REASON_RESET, REASON_ERROR and REASON_CIRCUIT_BREAKER
 */
struct fdccp_event {
	enum fdccp_event_type type;
	struct fdccp_conn *conn;
	const uint8_t *data;
	size_t len;
	uint8_t ecn;
	bool damaged;
	size_t intact;
	bool told, stamped;
	uint64_t seq;
	enum fdccp_fate fate;
	uint64_t handle;
	int64_t sent;
	int64_t rtt;
	enum fdccp_reason reason;
	enum fdccp_reset reset;
};

/**
 * struct fdccp_limits - what an endpoint may hold; 0 takes the default
 * @connections: connections, 16384 by default
 * @half_open: half-open connections with state, 1024. From @stateless on, the server keeps no
 *	state before the third packet
 * @stateless: 128
 * @per_source: connections of one address (IPv6: of one /64), 1024
 * @memory: bytes, 256 MiB
 * @strangers: answers to packets without a connection in a second, 100
 */
struct fdccp_limits {
	unsigned int connections;
	unsigned int half_open;
	unsigned int stateless;
	unsigned int per_source;
	size_t memory;
	unsigned int strangers;
};

/**
 * struct fdccp_config - an endpoint's configuration
 * @carrier: what packets travel in
 * @random: fills @buf with @len unpredictable bytes
 * @context: first argument of @random
 * @no_udp_checksum: with udp: connections may agree to send data packets with partial coverage
 *	without UDP's checksum. That departs from RFC 6773. DCCP's checksum, without the addresses,
 *	guards what it covers. The carrier must drop datagrams that have neither of the two
 *	checksums. See Documentation/dccp.rst
 * @limits: limits
 */
struct fdccp_config {
	enum fdccp_carrier carrier;
	void (*random)(void *context, void *buf, size_t len);
	void *context;
	bool no_udp_checksum;
	struct fdccp_limits limits;
};

/* The most CCIDs in a list. */
#define FDCCP_CCIDS_MAX	6

/* CCIDs that the library has. */
#define FDCCP_CCID2	2	/* RFC 4341, like TCP */
#define FDCCP_CCID3	3	/* RFC 4342, TCP-friendly rate */
/* IFTP and IFTPV, which send at even gaps, for experiments between ends of this library. See
 * Documentation/rates.rst.
 */
#define FDCCP_CCID_IFTP		248	/* as TCP, without retransmission */
#define FDCCP_CCID_IFTPV	249	/* tells random losses from congestion */
/* A fixed rate, without regard to losses, for experiments on networks of one's own. Both ends have
 * to list it, and to be ends of this library. See Documentation/dccp.rst.
 */
#define FDCCP_CCID_FIXED	254

#define FDCCP_KEEPALIVE_MAX	INT64_C(86400000000000)	/* a day, in ns */
#define FDCCP_KEEPALIVE_LISTEN	INT64_C(600000000000)	/* of a listening port: 10 minutes */

/**
 * enum fdccp_undo_choice - when CCID 3 gives back what nofeedback timers took from its rate
 * @FDCCP_UNDO_AUTO: for messages that routers cut to their headers once stale (treatment truncate)
 * @FDCCP_UNDO_OFF: never, as RFC 5348 has it
 * @FDCCP_UNDO_ON: always
 *
 * The first feedback after the timers gives it back if it acknowledges packets that were sent before
 * them, and reports no new loss event: the path was late, and has lost nothing. See
 * Documentation/dccp.rst.
 */
enum fdccp_undo_choice {
	FDCCP_UNDO_AUTO,
	FDCCP_UNDO_OFF,
	FDCCP_UNDO_ON,
};

/**
 * struct fdccp_iftp_params - how IFTP and IFTPV behave
 * @scale: share of bandwidth, in percent of that of a TCP flow, 100 to 1000
 * @tolerance: IFTPV: the sum of the parts of loss_tolerance, 0 to 127, as of the module tcp_iftpv:
 *	Documentation/tcp_iftpv.rst. 0: the paper's rule
 * @window_max: largest window, 2 to 65535 packets
 */
struct fdccp_iftp_params {
	uint16_t scale;
	uint8_t tolerance;
	uint16_t window_max;
};

/**
 * struct fdccp_params - how a connection starts. Initialize with fdccp_params_init()
 * @ccids: congestion controls for packets to the peer, the preferred one first; 0 ends the list
 * @peer_ccids: the same for the peer's packets
 * @fixed_rate: with FDCCP_CCID_FIXED in @ccids: bytes of payload a second at most, not 0. A packet
 *	counts as at least 64 bytes
 * @undo: with FDCCP_CCID3 in @ccids: when its rate is as before nofeedback timers again
 * @forgive_stale: packets that went stale on the way are no loss events, as long as they are at most
 *	a tenth of the last four round trips. Then @ccids has only FDCCP_CCID3. Without effect if the
 *	peer sends no Loss Intervals, as Linux does not
 * @iftp: with FDCCP_CCID_IFTP or FDCCP_CCID_IFTPV in @ccids
 * @causes: congestion control is told why a packet is missing. Without it, what the peer's program
 *	did not get is missing, and links move no timeouts
 * @coverage: Checksum Coverage of our data packets, 0 to 15 (RFC 4340 section 9.2); only 0 with udp,
 *	unless the endpoint has @no_udp_checksum
 * @min_coverage: the least coverage that the peer may use, 0 to 15
 * @has_sensitive: the beginning of each payload, of @sensitive bytes or FDCCP_SENSITIVE_ALL, is worth
 *	nothing if it is damaged, and the rest may be damaged. A packet that is damaged in the rest is
 *	delivered, and its event says so. A packet that is damaged in the sensitive part is dropped,
 *	and gets FDCCP_FATE_DAMAGED. That needs @coverage 0 or 1, and a Freshlink end that accepts
 *	coverage 1: until that has agreed, the checksum covers everything
 * @sensitive: see there
 * @data_checksum: add Data Checksum to data packets
 * @ecn: use ECN. Without it, packets are not ECN-capable, and the peer is asked to do the same
 * @lifetimes: leave room for the lifetime option in each packet
 * @mtu: size of IP packets to begin with, 0: 1280 (RFC 8899 section 5.1.2); more than
 *	FDCCP_DATAGRAM_MAX counts as that
 * @mtu_max: largest size of IP packets that is tried, 0: 1500; limited likewise
 * @mtu_fixed: path MTU discovery is disabled (RFC 8899 section 5.2): the path takes IP packets of
 *	@mtu bytes, at least 576 (IPv6: 1280). For a path that is known, and loses so many large
 *	packets at random that discovery would take it for a black hole. What is too large for the
 *	path is lost
 * @keepalive: time without a packet after which a Sync is sent, in ns, up to FDCCP_KEEPALIVE_MAX. A
 *	connection whose peer stays silent ends, see @silence. 0: FDCCP_KEEPALIVE_LISTEN for
 *	fdccp_listen(), none for fdccp_connect(). FDCCP_NEVER: none
 * @silence: time without a packet after which the connection ends, in ns, up to
 *	FDCCP_KEEPALIVE_MAX; while it is open, with @keepalive. A Request and a Close end after 3
 *	minutes at the latest. 0: 8 minutes and two to three times @keepalive
 * @linger: true: the server asks the client to hold the state TIMEWAIT (CloseReq)
 */
struct fdccp_params {
	uint8_t ccids[FDCCP_CCIDS_MAX];
	uint8_t peer_ccids[FDCCP_CCIDS_MAX];
	uint64_t fixed_rate;
	enum fdccp_undo_choice undo;
	bool forgive_stale;
	struct fdccp_iftp_params iftp;
	bool causes;
	uint8_t coverage;
	uint8_t min_coverage;
	bool has_sensitive;
	uint16_t sensitive;
	bool data_checksum;
	bool ecn;
	bool lifetimes;
	uint16_t mtu;
	uint16_t mtu_max;
	bool mtu_fixed;
	int64_t keepalive;
	int64_t silence;
	bool linger;
};

/**
 * struct fdccp_message - how a packet is sent
 * @handle: returned in the packet's event FDCCP_EVENT_FATE
 * @deadline: when it becomes stale, or FDCCP_NEVER
 * @stale: what routers do with it then
 * @has_sensitive: @sensitive counts instead of that of struct fdccp_params, if that has one
 * @sensitive: bytes of the payload that are sensitive, or FDCCP_SENSITIVE_ALL
 */
struct fdccp_message {
	uint64_t handle;
	int64_t deadline;
	enum freshlink_stale stale;
	bool has_sensitive;
	uint16_t sensitive;
};

/**
 * struct fdccp_probe - a probe of what the path does with lifetimes
 * @deadline: when it becomes stale, or FDCCP_NEVER
 * @stale: what routers do with it then
 * @len: bytes after the header, so that a router has something to cut off
 */
struct fdccp_probe {
	int64_t deadline;
	enum freshlink_stale stale;
	size_t len;
};

/**
 * struct fdccp_icmp - an ICMP message about a packet of ours
 * @path: the quoted packet's addresses
 * @family: AF_INET or AF_INET6: of the message
 * @type: the message's type. A message of xlo_rto has the type XRTO_TYPE_IPV4 or XRTO_TYPE_IPV6 of
 *	<linux/xlo_rto.h> in both encodings
 * @code: and code
 * @mtu: of the next hop, or 0
 * @quoted: the quoted DCCP packet, at least 8 bytes to count
 * @quoted_len: bytes of it
 * @local: a queue of this host discarded the packet because it was stale; @type and @code are 0
 */
struct fdccp_icmp {
	struct fdccp_path path;
	int family;
	uint8_t type;
	uint8_t code;
	uint32_t mtu;
	const uint8_t *quoted;
	size_t quoted_len;
	bool local;
};

/**
 * struct fdccp_info - a connection, as it is now
 * @state: state
 * @path: addresses
 * @local_port: DCCP port here
 * @remote_port: DCCP port of the peer
 * @service: service code
 * @ccid: of our packets
 * @peer_ccid: of the peer's packets
 * @ours: the peer is a Freshlink end, too
 * @ack_vector: the peer reports each packet
 * @peer_coverage: the least coverage that the peer accepts
 * @bare: the peer takes datagrams without UDP's checksum
 * @sequence_window: packets that we may have on the way
 * @peer_sequence_window: the same for the peer
 * @ack_ratio: packets for each acknowledgment that we ask for (CCID 2)
 * @payload_max: largest payload in bytes
 * @mtu: confirmed size of IP packets
 * @rtt: smoothed round-trip time in ns, 0: not known yet
 * @rate: allowed sending rate in bytes a second (CCID 3: X; CCID 2: cwnd / rtt); 0 and likewise
 *	@cwnd, until this end has sent data
 * @size: payload of the packets for which @rate is right, in bytes: with larger ones CCID 2 and 3
 *	allow more; 0: any
 * @cwnd: congestion window in packets: CCID 2, and the packets of a round trip of IFTP and IFTPV
 * @backlog: packets of the flow that waited in queues at its last loss, in 1/256: IFTP and IFTPV
 * @verdict: how often each verdict fell: IFTP and IFTPV
 * @loss_event_rate: p in millionths, CCID 3 only
 * @receive_rate: in bytes a second, as the peer reports it, CCID 3 only
 * @sent: data packets sent
 * @fate: of these, by fate. @sent is the sum and those of @in_flight
 * @in_flight: data packets whose fate is open
 * @cause: what congestion control was told, by cause: about data packets that were sent with it, and
 *	messages of links
 * @received: data packets received
 * @received_bytes: their payload
 * @packets_in: packets of all types received
 * @packets_out: and sent
 */
struct fdccp_info {
	enum fdccp_state state;
	struct fdccp_path path;
	uint16_t local_port, remote_port;
	uint32_t service;
	uint8_t ccid, peer_ccid;
	bool ours;
	bool ack_vector;
	uint8_t peer_coverage;
	bool bare;
	uint64_t sequence_window, peer_sequence_window;
	uint16_t ack_ratio;
	size_t payload_max;
	uint16_t mtu;
	int64_t rtt;
	uint64_t rate;
	uint32_t size;
	uint32_t cwnd;
	uint32_t backlog;
	uint64_t verdict[FDCCP_VERDICTS];
	uint32_t loss_event_rate;
	uint64_t receive_rate;
	uint64_t sent;
	uint64_t fate[FDCCP_FATES];
	uint64_t in_flight;
	uint64_t cause[FDCCP_CAUSES];
	uint64_t received;
	uint64_t received_bytes;
	uint64_t packets_in;
	uint64_t packets_out;
};

/**
 * struct fdccp_measure - the path of a connection, as it is now
 * @srtt: smoothed round-trip time, ns; 0: unknown. The same as in struct fdccp_info
 * @rttvar: its mean deviation (RFC 6298 section 2), ns
 * @rtt_min: the least of the 8 to 10 s before the last sample, ns; 0: unknown
 * @sample: the last sample, without the time that the peer waited; ns
 * @samples: how many there were: one in the handshake, and one for each acknowledgment of new data
 * @rate: allowed rate, as in struct fdccp_info
 * @size: payload of the packets for which @rate is right, likewise
 * @peer_ccid: of the peer's packets
 */
struct fdccp_measure {
	int64_t srtt;
	int64_t rttvar;
	int64_t rtt_min;
	int64_t sample;
	uint64_t samples;
	uint64_t rate;
	uint32_t size;
	uint8_t peer_ccid;
};

#pragma GCC visibility push(default)

/**
 * fdccp_endpoint_new() - make an endpoint
 * @config: configuration, which is copied
 * @now: the time
 *
 * Return: the endpoint, or NULL without memory
 */
struct fdccp_endpoint *fdccp_endpoint_new(const struct fdccp_config *config, int64_t now);

/* Ends an endpoint and all its connections, without a packet. @ep may be NULL. */
void fdccp_endpoint_free(struct fdccp_endpoint *ep);

/* Fills @params with the defaults: CCID 2 preferred to 3 both ways, ECN, lifetimes, keepalive 0. */
void fdccp_params_init(struct fdccp_params *params);

/**
 * fdccp_listen() - accept connections to a DCCP port
 * @ep: the endpoint
 * @port: the port
 * @services: service codes that are accepted
 * @count: how many, 1 to 16
 * @params: how connections start
 *
 * FDCCP_SERVICE_PROBE is no such code, because it is always accepted.
 *
 * Return: 0, -EADDRINUSE, -EINVAL, -ENOMEM
 */
int fdccp_listen(struct fdccp_endpoint *ep, uint16_t port, const uint32_t *services, size_t count,
		 const struct fdccp_params *params);

/* Accepts no more connections to a port. */
void fdccp_unlisten(struct fdccp_endpoint *ep, uint16_t port);

/**
 * fdccp_connect() - connect to a server
 * @ep: the endpoint
 * @path: the addresses; of the carrier ip without ports
 * @port: the server's DCCP port
 * @service: service code
 * @params: how the connection starts
 * @now: the time
 * @conn: the connection
 *
 * The local port is chosen at random (RFC 6056). FDCCP_EVENT_CONNECTED or FDCCP_EVENT_CLOSED tells
 * the result.
 *
 * Return: 0, -EINVAL (the service code is invalid, a CCID does not exist, FDCCP_CCID_FIXED has no
 * rate, or @iftp or @coverage of @params is out of its range), -EADDRNOTAVAIL (no port is free),
 * -ENOBUFS (a limit), -ENOMEM
 */
int fdccp_connect(struct fdccp_endpoint *ep, const struct fdccp_path *path, uint16_t port,
		  uint32_t service, const struct fdccp_params *params, int64_t now,
		  struct fdccp_conn **conn);

/* Hands a received datagram to the core. Fetch all events before the next call. */
void fdccp_receive(struct fdccp_endpoint *ep, const struct fdccp_datagram *datagram, int64_t now);

/* Hands an ICMP message to the core. It counts only if it quotes a packet in flight. */
void fdccp_icmp(struct fdccp_endpoint *ep, const struct fdccp_icmp *icmp, int64_t now);

/**
 * fdccp_transmit() - fetch a packet that the protocol has to send
 * @ep: the endpoint
 * @datagram: @data and @size are given, FDCCP_DATAGRAM_MAX always suffices; the rest is filled
 * @now: the time
 *
 * To be called until nothing is left, after each call that takes the time.
 *
 * Return: whether there was a packet
 */
bool fdccp_transmit(struct fdccp_endpoint *ep, struct fdccp_datagram *datagram, int64_t now);

/* When fdccp_advance() has something to do, or FDCCP_NEVER. */
int64_t fdccp_next_timer(struct fdccp_endpoint *ep);

/* Lets the timers run that are due at @now. */
void fdccp_advance(struct fdccp_endpoint *ep, int64_t now);

/* Fetches an event. Return: whether there was one. */
bool fdccp_event(struct fdccp_endpoint *ep, struct fdccp_event *event);

/**
 * fdccp_send() - send a packet
 * @conn: the connection
 * @payload: application data
 * @len: its length, which may be 0
 * @message: lifetime and handle; NULL: none
 * @now: the time
 * @datagram: as for fdccp_transmit(): the packet that shall be sent at once
 *
 * The core keeps no packets: a caller that gets -EAGAIN decides what it sends when the event
 * FDCCP_EVENT_READY comes, because by then something else may be worth more.
 *
 * Return: 0, -EAGAIN (the rate control allows no packet now), -EMSGSIZE (above
 * fdccp_payload_max()), -EINVAL (the sensitive part is longer than the payload), -ENOTCONN,
 * -ESHUTDOWN (being closed), -EPIPE (the peer's program has said that it does not listen any more),
 * -ENOMEM
 */
int fdccp_send(struct fdccp_conn *conn, const void *payload, size_t len,
	       const struct fdccp_message *message, int64_t now, struct fdccp_datagram *datagram);

/**
 * fdccp_probe() - send a probe of what the path does with lifetimes
 * @conn: an open connection, best of FDCCP_SERVICE_PROBE: a Sync that is lost leaves a gap in the
 *	numbers, which the rate control of the peer's data may take for a loss
 * @probe: how it is sent
 * @now: the time
 * @datagram: as for fdccp_transmit(): the packet that shall be sent at once
 * @seq: written: its sequence number
 *
 * The probe is a Sync, which the peer must answer at once (RFC 4340 section 7.5.4). FDCCP_EVENT_PROBED
 * tells the answer; without one there is no event. Nothing limits probes but the program. Answers
 * to other Syncs of the connection have the event as well, with another number.
 *
 * Return: 0, -ENOTCONN, -ESHUTDOWN (being closed), -EMSGSIZE (above fdccp_payload_max())
 */
int fdccp_probe(struct fdccp_conn *conn, const struct fdccp_probe *probe, int64_t now,
		struct fdccp_datagram *datagram, uint64_t *seq);

/* The largest payload of one packet, in bytes. */
size_t fdccp_payload_max(const struct fdccp_conn *conn);

/* Says that the program can take no data for now (Slow Receiver), or can again. */
void fdccp_slow_receiver(struct fdccp_conn *conn, bool slow);

/**
 * fdccp_report_dropped() - report the packet of the last event FDCCP_EVENT_DATA as dropped
 * @conn: the connection
 * @code: 1: the program does not listen any more, and gets no more packets; 2: its buffer is full
 *	(RFC 4340 section 11.7)
 *
 * To be called before anything is sent, which would report the packet as received.
 */
void fdccp_report_dropped(struct fdccp_conn *conn, unsigned int code);

/**
 * fdccp_acknowledge() - acknowledge what has arrived at once
 * @conn: the connection
 * @now: the time
 *
 * The peer then knows at once what became of its packets. The Ack has an Ack Vector. It has none of
 * the options by which CCID 3 reports, unless the report is due anyway, so it does not count as
 * feedback and moves no rate (RFC 4342 section 6). Nothing happens if the peer has not asked for
 * Ack Vectors, or if no data has arrived since the last one. Nothing limits these Acks but the
 * program: a few in a round-trip time are enough.
 */
void fdccp_acknowledge(struct fdccp_conn *conn, int64_t now);

/* Reads the path of a connection. */
void fdccp_measure(const struct fdccp_conn *conn, struct fdccp_measure *measure);

/* Closes a connection in order; FDCCP_EVENT_CLOSED tells the end. */
void fdccp_close(struct fdccp_conn *conn, int64_t now);

/* Ends a connection with a Reset (2, Aborted). */
void fdccp_abort(struct fdccp_conn *conn, int64_t now);

/* Reads a connection. */
void fdccp_info(const struct fdccp_conn *conn, struct fdccp_info *info);

/* A pointer of the program that belongs to a connection, NULL at first. */
void fdccp_set_user(struct fdccp_conn *conn, void *user);
void *fdccp_user(const struct fdccp_conn *conn);

/**
 * fdccp_counter() - read one of an endpoint's counters
 * @ep: the endpoint
 * @index: which one, from 0
 * @name: its name
 *
 * Return: the value; with @name NULL if there is no such counter
 */
uint64_t fdccp_counter(const struct fdccp_endpoint *ep, unsigned int index, const char **name);

/**
 * fdccp_service_parse() - read a service code
 * @text: "SC:fdpz", "SC=1717858426" or "SC=x6664707A" (RFC 4340 section 8.1.2), or four
 *	characters
 * @service: the code
 *
 * Return: 0 or -EINVAL
 */
int fdccp_service_parse(const char *text, uint32_t *service);

/* Writes a service code as text, "SC:..." where possible; @size 16 suffices. */
void fdccp_service_format(uint32_t service, char *text, size_t size);

#pragma GCC visibility pop

/*
 * The adapter: an endpoint with its sockets. One file descriptor is readable when there is
 * something to do. A program that waits for it and fetches events until there are none needs no
 * other call:
 *
 *	for (;;) {
 *		while (fdccp_io_event(io, &event))
 *			handle(&event);
 *		poll(&(struct pollfd){ .fd = fdccp_io_fd(io), .events = POLLIN }, 1, -1);
 *	}
 *
 * fdccp_close(), fdccp_abort(), fdccp_acknowledge(), fdccp_slow_receiver() and fdccp_io_shutdown()
 * take effect at the next call of fdccp_io_event(): a program that calls one of them outside of its
 * loop calls fdccp_io_event() afterwards.
 */
struct fdccp_io;

/**
 * enum fdccp_lifetimes - how packets carry their lifetime
 * @FDCCP_LIFETIMES_AUTO: by deadline where the kernel module xlo writes it, else as the option
 *	where the program may, else not at all
 * @FDCCP_LIFETIMES_OFF: not at all
 * @FDCCP_LIFETIMES_DEADLINE: by deadline (SO_TXTIME); needs the module xlo with its setting txtime,
 *	because the queue fq would hold packets back otherwise. A deadline cannot say how the packet
 *	is treated: xlo asks routers to discard it, or what its profile for the socket's mark says
 * @FDCCP_LIFETIMES_OPTION: the adapter writes the option; needs CAP_NET_RAW
 */
enum fdccp_lifetimes {
	FDCCP_LIFETIMES_AUTO,
	FDCCP_LIFETIMES_OFF,
	FDCCP_LIFETIMES_DEADLINE,
	FDCCP_LIFETIMES_OPTION,
};

/**
 * struct fdccp_io_config - an adapter's configuration
 * @carrier: what packets travel in
 * @local: address and UDP port; port 0: any. An IPv6 address serves IPv6 only. With the family
 *	AF_UNSPEC the adapter serves all addresses of both families, with the port in @in.sin_port
 * @lifetimes: how packets carry their lifetime
 * @no_udp_checksum: with udp: as in struct fdccp_config
 * @limits: of the endpoint
 * @queue: packets that fdccp_io_send() keeps for a connection, at most 65535; 0: 16
 * @kernel_silent: with the carrier ip: the kernel's own DCCP may be loaded, because a firewall rule
 *	keeps it from answering (see Documentation/dccp.rst)
 */
struct fdccp_io_config {
	enum fdccp_carrier carrier;
	union fdccp_address local;
	enum fdccp_lifetimes lifetimes;
	bool no_udp_checksum;
	struct fdccp_limits limits;
	unsigned int queue;
	bool kernel_silent;
};

#pragma GCC visibility push(default)

/**
 * fdccp_io_open() - make an endpoint with its sockets
 * @config: configuration
 * @io: the result
 * @why: what failed and what was expected, a constant text; NULL is allowed
 *
 * Return: 0, -EPERM (ip, or a lifetime as option, without CAP_NET_RAW), -EBUSY (the kernel's own
 * DCCP is loaded and would answer the packets of the carrier ip), -EOPNOTSUPP (deadlines without
 * the module xlo or its setting txtime, or a kernel that needs UDP's checksum), -EINVAL, -ENOMEM,
 * or an error of socket() or bind()
 */
int fdccp_io_open(const struct fdccp_io_config *config, struct fdccp_io **io, const char **why);

/* Closes the sockets and ends all connections, without a packet. @io may be NULL. */
void fdccp_io_close(struct fdccp_io *io);

/* The file descriptor, readable when fdccp_io_event() has something to do. */
int fdccp_io_fd(const struct fdccp_io *io);

/**
 * fdccp_io_event() - receive, let timers run, send, and fetch an event
 * @io: the adapter
 * @event: the event
 *
 * Never blocks.
 *
 * Return: whether there was an event; false: all is done until the file descriptor is readable
 */
bool fdccp_io_event(struct fdccp_io *io, struct fdccp_event *event);

/* The endpoint, for fdccp_listen() and fdccp_counter(). */
struct fdccp_endpoint *fdccp_io_endpoint(struct fdccp_io *io);

/* The time on the adapter's clock, CLOCK_MONOTONIC. */
int64_t fdccp_io_now(const struct fdccp_io *io);

/* How packets carry their lifetime: never FDCCP_LIFETIMES_AUTO. */
enum fdccp_lifetimes fdccp_io_lifetimes(const struct fdccp_io *io);

/* Says whether packets carry their lifetime, or that damage is tolerable, from now on. They do at
 * first; false: the path has no use for the option. Deadlines go on to count in the adapter's queue.
 */
void fdccp_io_stamp(struct fdccp_io *io, bool stamp);

/* As fdccp_connect(), to the address and UDP port @remote. Return: as fdccp_connect(),
 * -EAFNOSUPPORT (no socket of this family), or an error of connect()
 */
int fdccp_io_connect(struct fdccp_io *io, const union fdccp_address *remote, uint16_t port,
		     uint32_t service, const struct fdccp_params *params, struct fdccp_conn **conn);

/**
 * fdccp_io_send() - send a packet as soon as the rate control allows
 * @io: the adapter
 * @conn: the connection
 * @payload: application data, which is copied
 * @len: its length
 * @message: lifetime and handle, or NULL
 *
 * A packet that routers shall discard as stale is not sent if it becomes stale in the queue.
 * Packets that are in the queue when the connection ends are not sent, and may have no event of
 * their own.
 *
 * Return: 0, -EAGAIN (the queue is full; FDCCP_EVENT_READY follows when it has room), -EOPNOTSUPP
 * (with FDCCP_LIFETIMES_DEADLINE: a deadline with another treatment than discard), -ENOMEM, or as
 * fdccp_send()
 */
int fdccp_io_send(struct fdccp_io *io, struct fdccp_conn *conn, const void *payload, size_t len,
		  const struct fdccp_message *message);

/**
 * fdccp_io_try_send() - send a packet if the rate control allows it now
 * @io: the adapter
 * @conn: the connection
 * @payload: application data
 * @len: its length
 * @message: lifetime and handle, or NULL
 *
 * As fdccp_io_send(), but nothing is kept. So the program decides at the last moment what it sends.
 *
 * Return: 0, -EAGAIN (no packet may be sent now, or others wait in the queue; FDCCP_EVENT_READY
 * follows), or as fdccp_io_send()
 */
int fdccp_io_try_send(struct fdccp_io *io, struct fdccp_conn *conn, const void *payload, size_t len,
		      const struct fdccp_message *message);

/**
 * fdccp_io_may_send() - ask whether a packet may be sent now
 * @io: the adapter
 * @conn: the connection
 *
 * For a program that wants to make a packet only if it can be sent.
 *
 * Return: 0, -EAGAIN (as fdccp_io_try_send(); FDCCP_EVENT_READY follows), -ENOTCONN, -ESHUTDOWN,
 * -EPIPE, -ENOMEM
 */
int fdccp_io_may_send(struct fdccp_io *io, struct fdccp_conn *conn);

/* As fdccp_probe(). Return: also -EAGAIN: the socket takes no packet now, -EOPNOTSUPP: with
 * FDCCP_LIFETIMES_OPTION alone, and while packets carry it, a probe can have every lifetime and
 * treatment
 */
int fdccp_io_probe(struct fdccp_io *io, struct fdccp_conn *conn, const struct fdccp_probe *probe,
		   uint64_t *seq);

/* Lets what the following calls send wait until the program has fetched all events with
 * fdccp_io_event(). The packets of a connection leave together then.
 */
void fdccp_io_hold(struct fdccp_io *io);

/* As fdccp_acknowledge(), and sends the Ack. */
void fdccp_io_acknowledge(struct fdccp_io *io, struct fdccp_conn *conn);

/* As fdccp_close(), after the queue is empty. */
void fdccp_io_shutdown(struct fdccp_io *io, struct fdccp_conn *conn);

/* An adapter's counters, as fdccp_counter(). */
uint64_t fdccp_io_counter(const struct fdccp_io *io, unsigned int index, const char **name);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* FRESHLINK_DCCP_H */
