/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Wire format and netlink interface of arqlink, a network device that sends its packets
 * through a lower device, and retransmits what the lower link loses.
 *
 * Source: G. Xylomenos, "Limitations of Fixed Timers for Wireless Links", 2006. The paper
 * describes the protocol, Selective Repeat. This header sets the numbers that the paper
 * leaves open.
 *
 * A packet of arqlink is a whole Ethernet frame. The sender cuts it into pieces, and sends
 * each piece in a frame. A frame follows the Ethernet header of the lower device, with
 * ethertype ARQLINK_ETHERTYPE (IEEE 802 local experimental). All fields are big endian.
 *
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-------+-------+---------------+-------------------------------+
 *   |version| type  |     flags     |            length             |
 *   +-------+-------+---------------+-------------------------------+
 *   |                            session                            |
 *   +---------------------------------------------------------------+
 *   |                            source                             |
 *   +-------------------------------+-------------------------------+
 *   |            number             |        acknowledgment         |
 *   +-------------------------------+-------------------------------+
 *   |            oldest             |           sensitive           |
 *   +-------------------------------+-------------------------------+
 *   |                           checksum                            |
 *   +---------------------------------------------------------------+
 *   |        words, each only if its flag is set (see below)         |
 *   +---------------------------------------------------------------+
 *   |                      payload, length bytes                    |
 *
 * "version" is ARQLINK_VERSION. "type" is one of enum arqlink_type. "length" is the length of
 * the payload. The lower device may pad the frame; bytes behind the payload are ignored.
 *
 * "source" is the session of the sender of the frame: a random number that is not 0, which a
 * device chooses when it goes up. "session" is the session of the receiver, or 0 in a HELLO
 * whose sender does not know it. A receiver accepts a frame other than HELLO only if both
 * sessions are those of its connection. All other frames belong to an earlier connection, or
 * come from a third node that cannot read the frames.
 *
 * "number" counts the DATA frames of a session from 0, modulo 2^16. In other types it is 0.
 * "acknowledgment" is the number of the first DATA frame that has not arrived in sequence.
 * "oldest" is the number of the first DATA frame that the sender may still send. The receiver
 * does not wait for frames before "oldest", because the sender has given them up. The sender gives
 * no frame a number that is ARQLINK_AHEAD or more ahead of the last acknowledgment, so that the
 * receiver can tell a later "oldest" from an earlier one.
 *
 * "checksum" is the CRC-32C (RFC 3720, section 12.1) of the header, with 0 in this field, the
 * words, and the first "sensitive" bytes of the payload. For example, the CRC of 32 bytes 0 is
 * 0x8A9136AA. Without ARQLINK_FLAG_TOLERANT, "sensitive" is equal to "length".
 *
 * The words have 32 bits each, and are in this order:
 *
 *   rest	ARQLINK_FLAG_TOLERANT: CRC-32C of the payload behind its first "sensitive" bytes. A
 *		frame whose "rest" is wrong is accepted, and its packet counts as damaged. The
 *		receiver sets XLO_FLAG_CORRUPTED in the packet's option (linux/xlo.h)
 *   stamp	ARQLINK_FLAG_STAMP, only in DATA: the time of this transmission in us modulo 2^32,
 *		on the clock of the sender of this frame
 *   echo	ARQLINK_FLAG_ECHO: the first "stamp" that has arrived since the sender of this frame
 *		has sent its previous frame to the peer
 *
 * A frame that would be too long with stamp or echo leaves without it.
 *
 * The payload of HELLO is
 *
 *   +-------------------------------+-------------------------------+
 *   |            window             |         largest piece         |
 *   +-------------------------------+-------------------------------+
 *
 * "window" is the number of DATA frames that the sender of HELLO can store as a receiver.
 * "largest piece" is the largest payload of a DATA frame that it accepts, if the frame has no
 * words. Words make the payload shorter. It is at least 27, so that each frame can carry something.
 * A later HELLO of the same connection replaces both.
 *
 * The payload of NACK is a list of one or more ranges of missing DATA frames. A range has the
 * number of its first frame and the number of frames, 16 bits each.
 *
 * The payload of a DATA frame with ARQLINK_FLAG_PACKED is a list of two or more whole packets.
 * Each packet follows a field of 16 bits. The lower 15 bits are the length of the packet, with its
 * Ethernet header. The highest bit, ARQLINK_ITEM_BOUNDED, has the meaning of ARQLINK_FLAG_BOUNDED
 * for this packet. Such a frame has FIRST and LAST, and neither BOUNDED nor TOLERANT. When it is
 * sent again, packets that were given up are missing. A last packet is sent without a list.
 */
#ifndef _UAPI_LINUX_ARQLINK_H
#define _UAPI_LINUX_ARQLINK_H

#define ARQLINK_ETHERTYPE	0x88B5
#define ARQLINK_VERSION		1
#define ARQLINK_HLEN		24	/* header of a frame */
#define ARQLINK_HELLO_LEN	4	/* payload of HELLO */
#define ARQLINK_RANGE_LEN	4	/* a range in NACK */
#define ARQLINK_RANGES_MAX	8	/* ranges in one NACK */
#define ARQLINK_ITEM_LEN	2	/* field before each packet of a list */
#define ARQLINK_ITEM_BOUNDED	0x8000
#define ARQLINK_WORD_LEN	4	/* a word behind the header */
#define ARQLINK_WORDS_MAX	3

/**
 * enum arqlink_type - type of a frame
 * @ARQLINK_HELLO: opens a connection, or tells the peer a new window
 * @ARQLINK_DATA: a piece of a packet, retransmitted until it is acknowledged or given up
 * @ARQLINK_ACK: nothing but an acknowledgment
 * @ARQLINK_NACK: missing DATA frames
 * @ARQLINK_SKIP: nothing but "oldest"; the receiver answers with an acknowledgment
 * @ARQLINK_BYPASS: a whole packet, with its Ethernet header, sent once
 */
enum arqlink_type {
	ARQLINK_HELLO,
	ARQLINK_DATA,
	ARQLINK_ACK,
	ARQLINK_NACK,
	ARQLINK_SKIP,
	ARQLINK_BYPASS,

	__ARQLINK_TYPE_MAX,
};

#define ARQLINK_TYPE_MAX (__ARQLINK_TYPE_MAX - 1)

/* Flags of DATA. A sender sets all other flags to 0, and a receiver ignores them. */
#define ARQLINK_FLAG_FIRST	0x01	/* the piece begins a packet */
#define ARQLINK_FLAG_LAST	0x02	/* the piece ends a packet */
#define ARQLINK_FLAG_BOUNDED	0x04	/* with FIRST: the packet is useless after its lifetime */
#define ARQLINK_FLAG_PACKED	0x08	/* the payload is a list of packets */
#define ARQLINK_FLAG_TOLERANT	0x10	/* also of BYPASS: the word "rest" follows the header */
#define ARQLINK_FLAG_STAMP	0x20	/* the word "stamp" follows */
/* Flag of every frame except HELLO: the word "echo" follows. */
#define ARQLINK_FLAG_ECHO	0x40
/* Flag of HELLO: the sender wants a HELLO as an answer. */
#define ARQLINK_FLAG_ASK	0x01

#define ARQLINK_FRAME_MIN	64U	/* bytes */
#define ARQLINK_FRAME_DEFAULT	250U
#define ARQLINK_FRAME_MAX	9000U
#define ARQLINK_MTU_MAX		9000	/* of the arqlink device */
#define ARQLINK_WINDOW_DEFAULT	8U	/* frames */
#define ARQLINK_WINDOW_MAX	4096U
#define ARQLINK_AHEAD		16384U	/* frames */
#define ARQLINK_TIMEOUT_MIN	1000000ULL	/* nanoseconds */
#define ARQLINK_TIMEOUT_DEFAULT	1100000000ULL
#define ARQLINK_TIMEOUT_MAX	60000000000ULL
#define ARQLINK_FLOOR_DEFAULT	10000000ULL
#define ARQLINK_CEILING_DEFAULT	60000000000ULL
#define ARQLINK_MEAN_FACTOR_DEFAULT	3000U	/* thousandths */
#define ARQLINK_DEVIATION_FACTOR_DEFAULT	2000U
#define ARQLINK_FACTOR_MAX	100000U
#define ARQLINK_ACK_DELAY_DEFAULT	5000000ULL
#define ARQLINK_ACK_DELAY_MAX	1000000000ULL
#define ARQLINK_ATTEMPTS_MAX	65535U
#define ARQLINK_BACKLOG_DEFAULT	3U	/* packets */
#define ARQLINK_BACKLOG_MAX	65535U
#define ARQLINK_PERSIST_MAX	3600000000000ULL
#define ARQLINK_RATE_MAX	125000000000ULL	/* bytes/s */
#define ARQLINK_BELOW_DEFAULT	2U	/* frames */
#define ARQLINK_BELOW_MAX	4096U
#define ARQLINK_RING_DEFAULT	3000U	/* bytes */
#define ARQLINK_RING_MAX	1073741824U

/* Transmit queues of the device. The device chooses the queue of a packet by its class. */
#define ARQLINK_QUEUE_ARQ	0	/* packets that are retransmitted */
#define ARQLINK_QUEUE_BYPASS	1	/* packets that are sent once */
#define ARQLINK_QUEUES		2

/**
 * enum arqlink_timer - how the retransmission timeout is set
 * @ARQLINK_TIMER_FIXED: it is always ARQLINK_TIMEOUT
 * @ARQLINK_TIMER_ADAPTIVE: it follows the measured round-trip times
 */
enum arqlink_timer {
	ARQLINK_TIMER_FIXED,
	ARQLINK_TIMER_ADAPTIVE,

	__ARQLINK_TIMER_MAX,
};

#define ARQLINK_TIMER_MAX (__ARQLINK_TIMER_MAX - 1)

/**
 * enum arqlink_gains - gains of the estimators
 * @ARQLINK_GAINS_STANDARD: 1/8 for the mean, 1/4 for the deviation, as in TCP
 * @ARQLINK_GAINS_FAST: 1/4 and 1/2
 * @ARQLINK_GAINS_SLOW: 1/16 and 1/8
 */
enum arqlink_gains {
	ARQLINK_GAINS_STANDARD,
	ARQLINK_GAINS_FAST,
	ARQLINK_GAINS_SLOW,

	__ARQLINK_GAINS_MAX,
};

#define ARQLINK_GAINS_MAX (__ARQLINK_GAINS_MAX - 1)

/**
 * enum arqlink_variance - the deviation of a sample from the mean
 * @ARQLINK_VARIANCE_ABSOLUTE: its absolute value, as in TCP
 * @ARQLINK_VARIANCE_SIGNED: with its sign, as the paper prints it
 */
enum arqlink_variance {
	ARQLINK_VARIANCE_ABSOLUTE,
	ARQLINK_VARIANCE_SIGNED,

	__ARQLINK_VARIANCE_MAX,
};

#define ARQLINK_VARIANCE_MAX (__ARQLINK_VARIANCE_MAX - 1)

/**
 * enum arqlink_clock - the time from which timers and samples count
 * @ARQLINK_CLOCK_QUEUED: the time at which the frame enters the queue of frames, which
 *	it shares with bypass packets
 * @ARQLINK_CLOCK_SENT: the time at which the lower device gets the frame
 */
enum arqlink_clock {
	ARQLINK_CLOCK_QUEUED,
	ARQLINK_CLOCK_SENT,

	__ARQLINK_CLOCK_MAX,
};

#define ARQLINK_CLOCK_MAX (__ARQLINK_CLOCK_MAX - 1)

/**
 * enum arqlink_reject - when the receiver reports a missing frame
 * @ARQLINK_REJECT_MULTI: with each frame that arrives out of sequence
 * @ARQLINK_REJECT_SINGLE: once
 * @ARQLINK_REJECT_NEVER: never, so that only the timer causes retransmissions
 */
enum arqlink_reject {
	ARQLINK_REJECT_MULTI,
	ARQLINK_REJECT_SINGLE,
	ARQLINK_REJECT_NEVER,

	__ARQLINK_REJECT_MAX,
};

#define ARQLINK_REJECT_MAX (__ARQLINK_REJECT_MAX - 1)

/**
 * enum arqlink_flush - what happens when ARQLINK_ATTEMPTS transmissions of a frame have failed
 * @ARQLINK_FLUSH_NO: its packet is given up
 * @ARQLINK_FLUSH_YES: its packet and all other packets of the device are given up, except those of
 *	the class "bypass"
 * @ARQLINK_FLUSH_PROBE: all other packets are given up. Its packet is sent again until it arrives,
 *	or until another packet takes its place
 */
enum arqlink_flush {
	ARQLINK_FLUSH_NO,
	ARQLINK_FLUSH_YES,
	ARQLINK_FLUSH_PROBE,

	__ARQLINK_FLUSH_MAX,
};

#define ARQLINK_FLUSH_MAX (__ARQLINK_FLUSH_MAX - 1)

/**
 * enum arqlink_estimate - how round-trip times are measured
 * @ARQLINK_ESTIMATE_ACK: from a transmission to the acknowledgment of its frame, by the
 *	paper's rules
 * @ARQLINK_ESTIMATE_STAMP: from a transmission to the first frame of the peer after the arrival
 *	of this transmission, by time stamps in the frames
 */
enum arqlink_estimate {
	ARQLINK_ESTIMATE_ACK,
	ARQLINK_ESTIMATE_STAMP,

	__ARQLINK_ESTIMATE_MAX,
};

#define ARQLINK_ESTIMATE_MAX (__ARQLINK_ESTIMATE_MAX - 1)

/**
 * enum arqlink_order - the order in which frames leave
 * @ARQLINK_ORDER_FIFO: first come, first served
 * @ARQLINK_ORDER_FAIR: BYPASS frames and all other frames each get half of the link while both wait
 */
enum arqlink_order {
	ARQLINK_ORDER_FIFO,
	ARQLINK_ORDER_FAIR,

	__ARQLINK_ORDER_MAX,
};

#define ARQLINK_ORDER_MAX (__ARQLINK_ORDER_MAX - 1)

/**
 * enum arqlink_attr - attributes in IFLA_INFO_DATA of an arqlink device
 *
 * IFLA_LINK names the lower device. Each attribute is optional. When a device is created, a
 * missing attribute gets its default. When a device is changed, a missing attribute keeps its
 * value. A request is applied as a whole or not at all. RTM_GETLINK returns every attribute.
 *
 * @ARQLINK_UNSPEC: unused
 * @ARQLINK_PAD: padding of 64-bit attributes
 * @ARQLINK_REMOTE: binary, 6 bytes: link-layer address of the peer below, a unicast address, or
 *	all 0 (the default) to learn the address from the first peer that answers
 * @ARQLINK_FRAME: u32, bytes of a packet in one frame, in addition to the packet's Ethernet
 *	header, ARQLINK_FRAME_MIN..ARQLINK_FRAME_MAX, default ARQLINK_FRAME_DEFAULT. The
 *	smaller of this value and the peer's largest piece applies
 * @ARQLINK_WINDOW: u32, frames that may be sent and not acknowledged, and frames that the
 *	receiver stores, 1..ARQLINK_WINDOW_MAX, default ARQLINK_WINDOW_DEFAULT. The
 *	smaller of this value and the peer's window applies to the sender
 * @ARQLINK_TIMER: u8, enum arqlink_timer, default ARQLINK_TIMER_ADAPTIVE
 * @ARQLINK_TIMEOUT: u64, timeout in ns of a fixed timer, and of an adaptive timer before its
 *	first sample, ARQLINK_TIMEOUT_MIN..ARQLINK_TIMEOUT_MAX, default
 *	ARQLINK_TIMEOUT_DEFAULT
 * @ARQLINK_FLOOR: u64, least timeout in ns of an adaptive timer, with the same range as
 *	ARQLINK_TIMEOUT, default ARQLINK_FLOOR_DEFAULT
 * @ARQLINK_MEAN_FACTOR: u32, weight of the mean round-trip time in the adaptive timeout, in
 *	thousandths, at most ARQLINK_FACTOR_MAX, default ARQLINK_MEAN_FACTOR_DEFAULT
 * @ARQLINK_DEVIATION_FACTOR: u32, weight of the deviation in the adaptive timeout, in
 *	thousandths, at most ARQLINK_FACTOR_MAX, default ARQLINK_DEVIATION_FACTOR_DEFAULT
 * @ARQLINK_GAINS: u8, enum arqlink_gains, default ARQLINK_GAINS_STANDARD
 * @ARQLINK_VARIANCE: u8, enum arqlink_variance, default ARQLINK_VARIANCE_ABSOLUTE
 * @ARQLINK_CLOCK: u8, enum arqlink_clock, default ARQLINK_CLOCK_QUEUED
 * @ARQLINK_REJECT: u8, enum arqlink_reject, default ARQLINK_REJECT_MULTI
 * @ARQLINK_ACK_DELAY: u64, longest time in ns that an acknowledgment waits for a DATA frame
 *	in which it can travel, at most ARQLINK_ACK_DELAY_MAX, default
 *	ARQLINK_ACK_DELAY_DEFAULT
 * @ARQLINK_ATTEMPTS: u32, transmissions of a frame, 0 (the default) for unlimited, at most
 *	ARQLINK_ATTEMPTS_MAX. Packets whose option has XLO_FLAG_SLOW (linux/xlo.h) get twice as
 *	many
 * @ARQLINK_PERSIST: u64, time in ns from the first transmission of a frame, after which the
 *	frame is not sent again, 0 (the default) for unlimited, at most ARQLINK_PERSIST_MAX
 * @ARQLINK_LIFETIME: u64, lifetime in ns of packets that carry none, 0 (the default) for
 *	unlimited, at most ARQLINK_PERSIST_MAX
 * @ARQLINK_RATE: u64, rate in bytes/s at which frames go to the lower device, with its
 *	Ethernet header, 0 (the default) for as fast as the lower device sends them, at
 *	most ARQLINK_RATE_MAX
 * @ARQLINK_BELOW: u32, frames that the lower device has and has not sent yet,
 *	1..ARQLINK_BELOW_MAX, default ARQLINK_BELOW_DEFAULT
 * @ARQLINK_RING: u32, bytes of packets that wait for the window or for the lower device, in
 *	each of the device's two queues, 1..ARQLINK_RING_MAX, default
 *	ARQLINK_RING_DEFAULT. An empty ring accepts any packet
 * @ARQLINK_BYPASS_MARK: u32, firewall mark of packets that bypass the protocol, without bits
 *	outside ARQLINK_BYPASS_MASK, default 0
 * @ARQLINK_BYPASS_MASK: u32, bits of the mark that ARQLINK_BYPASS_MARK compares, default 0:
 *	no packet bypasses by its mark
 * @ARQLINK_BYPASS_DSCP: u64, bit N is set if IP packets with DSCP N bypass the protocol,
 *	default 0
 * @ARQLINK_RELIABLE_MARK: u32, firewall mark of packets whose lifetime does not count, without
 *	bits outside ARQLINK_RELIABLE_MASK, default 0
 * @ARQLINK_RELIABLE_MASK: u32, bits of the mark that ARQLINK_RELIABLE_MARK compares, default 0
 * @ARQLINK_RELIABLE_DSCP: u64, bit N is set if the lifetime of IP packets with DSCP N does not
 *	count, default 0
 * @ARQLINK_COPIES: u8, 1 if a frame in the queue of frames is out of the sender's reach: it is sent
 *	although it was acknowledged meanwhile, and a retransmission does not wait for it. 0 (the
 *	default) if not. The figures of the paper need 1, which wastes airtime
 * @ARQLINK_FLUSH: u8, enum arqlink_flush, default ARQLINK_FLUSH_NO
 * @ARQLINK_NOTIFY: u8, 1 to report to the source of a packet, by the ICMP messages of xlo_rto:
 *	DROP if ARQLINK_ATTEMPTS transmissions of the packet have failed; DEFER if the last
 *	attempt has succeeded, or if the packet finds ARQLINK_BACKLOG - 1 other packets in the
 *	device; LINK-UP if the packet is the first one that has arrived after a DROP with
 *	ARQLINK_FLUSH_PROBE. 0 (the default) for no reports. The module xlo_rto must be loaded
 * @ARQLINK_BACKLOG: u32, packets in the device at which DEFER is reported, 0 for never, at most
 *	ARQLINK_BACKLOG_MAX, default ARQLINK_BACKLOG_DEFAULT
 * @ARQLINK_CEILING: u64, longest timeout in ns of an adaptive timer, with the same range as
 *	ARQLINK_TIMEOUT, at least ARQLINK_FLOOR, default ARQLINK_CEILING_DEFAULT
 * @ARQLINK_ESTIMATE: u8, enum arqlink_estimate, default ARQLINK_ESTIMATE_ACK
 * @ARQLINK_ORDER: u8, enum arqlink_order, default ARQLINK_ORDER_FIFO
 * @ARQLINK_PACK: u8, 1 if small packets that wait at the same time may share a frame, 0 (the
 *	default) if not
 */
enum arqlink_attr {
	ARQLINK_UNSPEC,
	ARQLINK_PAD,
	ARQLINK_REMOTE,
	ARQLINK_FRAME,
	ARQLINK_WINDOW,
	ARQLINK_TIMER,
	ARQLINK_TIMEOUT,
	ARQLINK_FLOOR,
	ARQLINK_MEAN_FACTOR,
	ARQLINK_DEVIATION_FACTOR,
	ARQLINK_GAINS,
	ARQLINK_VARIANCE,
	ARQLINK_CLOCK,
	ARQLINK_REJECT,
	ARQLINK_ACK_DELAY,
	ARQLINK_ATTEMPTS,
	ARQLINK_PERSIST,
	ARQLINK_LIFETIME,
	ARQLINK_RATE,
	ARQLINK_BELOW,
	ARQLINK_RING,
	ARQLINK_BYPASS_MARK,
	ARQLINK_BYPASS_MASK,
	ARQLINK_BYPASS_DSCP,
	ARQLINK_RELIABLE_MARK,
	ARQLINK_RELIABLE_MASK,
	ARQLINK_RELIABLE_DSCP,
	ARQLINK_COPIES,
	ARQLINK_FLUSH,
	ARQLINK_NOTIFY,
	ARQLINK_BACKLOG,
	ARQLINK_CEILING,
	ARQLINK_ESTIMATE,
	ARQLINK_ORDER,
	ARQLINK_PACK,

	__ARQLINK_MAX,
};

#define ARQLINK_MAX (__ARQLINK_MAX - 1)

/**
 * enum arqlink_stats - counters in IFLA_INFO_XSTATS of an arqlink device
 *
 * Each counter is a u64. All counters are read at the same time. Counters start at 0 when the
 * device is created and only rise, except the gauges HELD, SRTT, SRTTVAR, TIMEOUT, LEAST_RTT,
 * CONNECTED and FLIGHT, and those from LOSS to EFFECTIVE_RATE. "Recent" means the last 2 s to 4 s
 * in which packets were acknowledged. At any time
 *
 *   PACKETS_IN = SENT + BYPASSED + HELD + the sum of all counters from EXPIRED to NOMEM, and
 *   FRAMES_IN = the sum of all counters from IN_HELLO to IN_NOMEM.
 *
 * @ARQLINK_STATS_UNSPEC: unused
 * @ARQLINK_STATS_PAD: padding of 64-bit attributes
 * @ARQLINK_STATS_PACKETS_IN: packets accepted from the queues above
 * @ARQLINK_STATS_SENT: packets whose pieces the peer has all acknowledged
 * @ARQLINK_STATS_SENT_BYTES: bytes of the packets in SENT and BYPASSED
 * @ARQLINK_STATS_BYPASSED: bypass packets handed to the lower device
 * @ARQLINK_STATS_EXPIRED: packets of which no frame was sent, because it would have arrived after
 *	the packet's lifetime
 * @ARQLINK_STATS_LATE: packets given up because another transmission would arrive after the
 *	packet's lifetime
 * @ARQLINK_STATS_ATTEMPTS: packets given up because of ARQLINK_ATTEMPTS
 * @ARQLINK_STATS_PERSIST: packets given up because of ARQLINK_PERSIST
 * @ARQLINK_STATS_FLUSHED: packets given up because of ARQLINK_FLUSH, while another packet failed
 * @ARQLINK_STATS_RESET: packets given up because the connection was opened anew
 * @ARQLINK_STATS_PURGED: packets given up because the device went down, or has no peer
 * @ARQLINK_STATS_UNFIT: packets dropped because they lack an Ethernet header, or bypass the
 *	protocol and do not fit into one frame of the lower device
 * @ARQLINK_STATS_NOMEM: packets dropped because memory was short
 * @ARQLINK_STATS_HELD: packets that wait, or are not acknowledged yet
 * @ARQLINK_STATS_DATA: DATA frames sent, each frame counted once
 * @ARQLINK_STATS_REPEATS_TIMER: DATA frames sent again because of the timer
 * @ARQLINK_STATS_REPEATS_NACK: DATA frames sent again because of a NACK
 * @ARQLINK_STATS_ACKS: ACK frames sent
 * @ARQLINK_STATS_NACKS: NACK frames sent
 * @ARQLINK_STATS_SKIPS: SKIP frames sent
 * @ARQLINK_STATS_HELLOS: HELLO frames sent
 * @ARQLINK_STATS_SEND_FAILED: frames that the lower device refused or dropped at once, or for
 *	which memory was short
 * @ARQLINK_STATS_FRAMES_IN: frames of ARQLINK_ETHERTYPE that arrived at the lower device
 * @ARQLINK_STATS_IN_HELLO: HELLO frames accepted
 * @ARQLINK_STATS_IN_DATA: DATA frames accepted, in sequence or stored
 * @ARQLINK_STATS_IN_ACK: ACK frames accepted
 * @ARQLINK_STATS_IN_NACK: NACK frames accepted
 * @ARQLINK_STATS_IN_SKIP: SKIP frames accepted
 * @ARQLINK_STATS_IN_BYPASS: BYPASS frames accepted
 * @ARQLINK_STATS_DUPLICATE: DATA frames that had arrived before, or had been given up
 * @ARQLINK_STATS_MALFORMED: frames that are too short, have an unknown type, or contradict
 *	themselves
 * @ARQLINK_STATS_CHECKSUM: frames with a wrong checksum
 * @ARQLINK_STATS_VERSION: frames of another version
 * @ARQLINK_STATS_ADDRESS: frames from another node than the peer
 * @ARQLINK_STATS_SESSION: frames of another session
 * @ARQLINK_STATS_OUTSIDE: frames whose numbers are far from the window
 * @ARQLINK_STATS_DOWN: frames that arrived while the device was down
 * @ARQLINK_STATS_IN_NOMEM: frames dropped because memory was short
 * @ARQLINK_STATS_DELIVERED: packets received and passed to the stack
 * @ARQLINK_STATS_DELIVERED_BYTES: bytes of the packets in DELIVERED
 * @ARQLINK_STATS_EARLY: part of DELIVERED: packets that have overtaken a missing frame
 * @ARQLINK_STATS_INCOMPLETE: packets of which the peer gave up a piece
 * @ARQLINK_STATS_STALE: packets dropped because their lifetime ended while they waited for a
 *	missing frame
 * @ARQLINK_STATS_REFUSED: packets received that the stack did not accept: longer than the MTU,
 *	or more than 1000 packets wait, or memory was short, or damaged although its option does
 *	not accept damage
 * @ARQLINK_STATS_NACKS_IGNORED: frames that a NACK reported, and that were not sent again,
 *	because the NACK cannot be about their last transmission
 * @ARQLINK_STATS_DROPS: reports of a packet whose transmissions have all failed
 * @ARQLINK_STATS_DEFERS: reports of a packet whose last attempt has succeeded, or of a backlog
 * @ARQLINK_STATS_LINK_UPS: reports of a packet that has arrived after a flush
 * @ARQLINK_STATS_CONNECTIONS: connections opened
 * @ARQLINK_STATS_SAMPLES: measured round-trip times
 * @ARQLINK_STATS_SRTT: mean round-trip time in ns, 0 before the first sample
 * @ARQLINK_STATS_SRTTVAR: deviation in ns, a signed number with ARQLINK_VARIANCE_SIGNED
 * @ARQLINK_STATS_TIMEOUT: timeout of the next transmission in ns
 * @ARQLINK_STATS_LEAST_RTT: least time in ns from the transmission of a frame that was sent once to
 *	an acknowledgment for it, 0 before the first
 * @ARQLINK_STATS_CONNECTED: 1 if the peer answers, and 0 otherwise
 * @ARQLINK_STATS_FLIGHT: frames in the sender's window
 * @ARQLINK_STATS_PACKED: packets that were put into a frame with other packets
 * @ARQLINK_STATS_DAMAGED: part of DELIVERED: packets with a damaged payload
 * @ARQLINK_STATS_LOSS: recent share of the transmissions of DATA frames that have failed,
 *	in millionths: the frame was sent again, or was given up because of ARQLINK_ATTEMPTS,
 *	ARQLINK_PERSIST or the packet's lifetime
 * @ARQLINK_STATS_MEAN_ATTEMPTS: mean number of transmissions of recently acknowledged DATA
 *	frames, in thousandths, 0 before the first
 * @ARQLINK_STATS_DELAY_50: median of the recent delays of packets in ns, 0 before the
 *	first. The delay of a packet is the time from its acceptance to the acknowledgment of its
 *	last piece, less half of LEAST_RTT. A packet whose lifetime ends before the
 *	acknowledgment counts with its age, or with twice what it would have needed at least if
 *	it has not been sent
 * @ARQLINK_STATS_DELAY_90: 90th percentile of these delays in ns
 * @ARQLINK_STATS_DELAY_99: 99th percentile of these delays in ns
 * @ARQLINK_STATS_EFFECTIVE_RATE: bytes/s of the packets that were recently acknowledged while
 *	other packets waited for the window, 0 if none has waited
 */
enum arqlink_stats {
	ARQLINK_STATS_UNSPEC,
	ARQLINK_STATS_PAD,
	ARQLINK_STATS_PACKETS_IN,
	ARQLINK_STATS_SENT,
	ARQLINK_STATS_SENT_BYTES,
	ARQLINK_STATS_BYPASSED,
	ARQLINK_STATS_EXPIRED,
	ARQLINK_STATS_LATE,
	ARQLINK_STATS_ATTEMPTS,
	ARQLINK_STATS_PERSIST,
	ARQLINK_STATS_FLUSHED,
	ARQLINK_STATS_RESET,
	ARQLINK_STATS_PURGED,
	ARQLINK_STATS_UNFIT,
	ARQLINK_STATS_NOMEM,
	ARQLINK_STATS_HELD,
	ARQLINK_STATS_DATA,
	ARQLINK_STATS_REPEATS_TIMER,
	ARQLINK_STATS_REPEATS_NACK,
	ARQLINK_STATS_ACKS,
	ARQLINK_STATS_NACKS,
	ARQLINK_STATS_SKIPS,
	ARQLINK_STATS_HELLOS,
	ARQLINK_STATS_SEND_FAILED,
	ARQLINK_STATS_FRAMES_IN,
	ARQLINK_STATS_IN_HELLO,
	ARQLINK_STATS_IN_DATA,
	ARQLINK_STATS_IN_ACK,
	ARQLINK_STATS_IN_NACK,
	ARQLINK_STATS_IN_SKIP,
	ARQLINK_STATS_IN_BYPASS,
	ARQLINK_STATS_DUPLICATE,
	ARQLINK_STATS_MALFORMED,
	ARQLINK_STATS_CHECKSUM,
	ARQLINK_STATS_VERSION,
	ARQLINK_STATS_ADDRESS,
	ARQLINK_STATS_SESSION,
	ARQLINK_STATS_OUTSIDE,
	ARQLINK_STATS_DOWN,
	ARQLINK_STATS_IN_NOMEM,
	ARQLINK_STATS_DELIVERED,
	ARQLINK_STATS_DELIVERED_BYTES,
	ARQLINK_STATS_EARLY,
	ARQLINK_STATS_INCOMPLETE,
	ARQLINK_STATS_STALE,
	ARQLINK_STATS_REFUSED,
	ARQLINK_STATS_NACKS_IGNORED,
	ARQLINK_STATS_DROPS,
	ARQLINK_STATS_DEFERS,
	ARQLINK_STATS_LINK_UPS,
	ARQLINK_STATS_CONNECTIONS,
	ARQLINK_STATS_SAMPLES,
	ARQLINK_STATS_SRTT,
	ARQLINK_STATS_SRTTVAR,
	ARQLINK_STATS_TIMEOUT,
	ARQLINK_STATS_LEAST_RTT,
	ARQLINK_STATS_CONNECTED,
	ARQLINK_STATS_FLIGHT,
	ARQLINK_STATS_PACKED,
	ARQLINK_STATS_DAMAGED,
	ARQLINK_STATS_LOSS,
	ARQLINK_STATS_MEAN_ATTEMPTS,
	ARQLINK_STATS_DELAY_50,
	ARQLINK_STATS_DELAY_90,
	ARQLINK_STATS_DELAY_99,
	ARQLINK_STATS_EFFECTIVE_RATE,

	__ARQLINK_STATS_MAX,
};

#define ARQLINK_STATS_MAX (__ARQLINK_STATS_MAX - 1)

#endif /* _UAPI_LINUX_ARQLINK_H */
