/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Generic netlink family "arqlink", which reports what happens to the packets of arqlink devices.
 *
 * Two multicast groups have events about all arqlink devices of the network namespace:
 *
 *   ARQLINK_GENL_EVENTS has the events for which a link should react: ARQLINK_CMD_DROP,
 *   ARQLINK_CMD_FLUSH, ARQLINK_CMD_RECOVER, ARQLINK_CMD_BACKLOG and ARQLINK_CMD_LINK_UP. The
 *   device attribute ARQLINK_NOTIFY (<linux/arqlink.h>) reports the same events, except
 *   ARQLINK_CMD_FLUSH, to the sources of packets.
 *
 *   ARQLINK_GENL_PACKETS has ARQLINK_CMD_PACKET, one event for each packet that ends.
 *
 * All events have IFINDEX. All events except ARQLINK_CMD_FLUSH are about a packet, and have LENGTH,
 * PROTOCOL, PACKET, FRAMES, TRANSMISSIONS, ATTEMPTS, AGE and, for a packet with a lifetime, LEFT.
 * PROTOCOL and PACKET are missing if the packet has no network header.
 *
 *   ARQLINK_CMD_FLUSH and ARQLINK_CMD_BACKLOG also have PACKETS.
 *
 *   ARQLINK_CMD_PACKET also has RESULT.
 *
 * Events need CAP_NET_ADMIN in the user namespace that owns the network namespace, because they
 * have the beginning of packets of all users. Before a privileged socket receives events, it joins
 * a group and sends ARQLINK_CMD_LISTEN or ARQLINK_CMD_LISTEN_PACKETS. Kernels before 6.8 need these
 * requests, which have no attributes. They have no effect on later kernels.
 *
 * An event that a socket has no space for is lost. The next receive call on this socket then fails
 * with ENOBUFS. If memory is short, an event is lost without an error.
 */
#ifndef _UAPI_LINUX_ARQLINK_GENL_H
#define _UAPI_LINUX_ARQLINK_GENL_H

#define ARQLINK_GENL_NAME	"arqlink"
#define ARQLINK_GENL_VERSION	1
#define ARQLINK_GENL_EVENTS	"events"
#define ARQLINK_GENL_PACKETS	"packets"

#define ARQLINK_PACKET_MAX	64	/* bytes of a packet in an event */

/**
 * enum arqlink_cmd - requests and events
 * @ARQLINK_CMD_UNSPEC: unused
 * @ARQLINK_CMD_LISTEN: send events of the group ARQLINK_GENL_EVENTS to this socket. Kernels before
 *	6.8 need this request in addition to joining the group. At most 8 sockets of a network
 *	namespace can listen
 * @ARQLINK_CMD_LISTEN_PACKETS: the same for the group ARQLINK_GENL_PACKETS
 * @ARQLINK_CMD_DROP: event: all ARQLINK_ATTEMPTS transmissions of a frame of the packet have failed
 * @ARQLINK_CMD_FLUSH: event: because of ARQLINK_FLUSH, the device has given up all packets except
 *	bypass packets and that of the last ARQLINK_CMD_DROP
 * @ARQLINK_CMD_RECOVER: event: the last of ARQLINK_ATTEMPTS transmissions of a frame of the packet
 *	has arrived
 * @ARQLINK_CMD_BACKLOG: event: the packet has found ARQLINK_BACKLOG - 1 or more other packets in
 *	the device
 * @ARQLINK_CMD_LINK_UP: event: with ARQLINK_FLUSH_PROBE, the first packet after a DROP has arrived
 * @ARQLINK_CMD_PACKET: event: the device is done with the packet
 */
enum arqlink_cmd {
	ARQLINK_CMD_UNSPEC,
	ARQLINK_CMD_LISTEN,
	ARQLINK_CMD_LISTEN_PACKETS,
	ARQLINK_CMD_DROP,
	ARQLINK_CMD_FLUSH,
	ARQLINK_CMD_RECOVER,
	ARQLINK_CMD_BACKLOG,
	ARQLINK_CMD_LINK_UP,
	ARQLINK_CMD_PACKET,

	__ARQLINK_CMD_MAX,
};

#define ARQLINK_CMD_MAX (__ARQLINK_CMD_MAX - 1)

/**
 * enum arqlink_event_attr - attributes of events
 * @ARQLINK_A_UNSPEC: unused
 * @ARQLINK_A_PAD: padding of 64-bit attributes
 * @ARQLINK_A_IFINDEX: u32, index of the arqlink device
 * @ARQLINK_A_PACKETS: u32, of ARQLINK_CMD_FLUSH: number of packets given up. Of
 *	ARQLINK_CMD_BACKLOG: number of packets in the device, with this one
 * @ARQLINK_A_RESULT: u16, the counter of enum arqlink_stats that the packet has increased:
 *	ARQLINK_STATS_SENT, ARQLINK_STATS_BYPASSED, or a counter from ARQLINK_STATS_EXPIRED to
 *	ARQLINK_STATS_NOMEM
 * @ARQLINK_A_LENGTH: u32, bytes of the packet from its network header on. Without a network header,
 *	all bytes
 * @ARQLINK_A_PROTOCOL: u16, type of the network header (ETH_P_*)
 * @ARQLINK_A_PACKET: binary, the first bytes of the packet from its network header on, at most
 *	ARQLINK_PACKET_MAX
 * @ARQLINK_A_FRAMES: u32, frames that have had a number and a piece of the packet. A BYPASS frame
 *	counts although it has no number
 * @ARQLINK_A_TRANSMISSIONS: u32, transmissions of all these frames
 * @ARQLINK_A_ATTEMPTS: u32, transmissions of the frame that was sent most often
 * @ARQLINK_A_AGE: u64, time in ns since the device has accepted the packet
 * @ARQLINK_A_LEFT: s64, remaining lifetime in ns, negative if the lifetime has ended
 */
enum arqlink_event_attr {
	ARQLINK_A_UNSPEC,
	ARQLINK_A_PAD,
	ARQLINK_A_IFINDEX,
	ARQLINK_A_PACKETS,
	ARQLINK_A_RESULT,
	ARQLINK_A_LENGTH,
	ARQLINK_A_PROTOCOL,
	ARQLINK_A_PACKET,
	ARQLINK_A_FRAMES,
	ARQLINK_A_TRANSMISSIONS,
	ARQLINK_A_ATTEMPTS,
	ARQLINK_A_AGE,
	ARQLINK_A_LEFT,

	__ARQLINK_A_MAX,
};

#define ARQLINK_A_MAX (__ARQLINK_A_MAX - 1)

#endif /* _UAPI_LINUX_ARQLINK_GENL_H */
