/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Messages by which a link adjusts a TCP sender's retransmission timeout.
 *
 * Source: T. V. Prabhakar, J. Kuri et al., "An Adaptive Timeout Scheme for Short
 * TCP Flows over 3G Wireless Networks". The paper sets no numbers. This header sets
 * the numbers of the messages.
 *
 *   XRTO_CODE_DROP: the link has given up on the quoted packet, and has flushed its
 *   window and its buffer.
 *
 *   XRTO_CODE_DEFER: the channel is improving.
 *
 *   XRTO_CODE_DISCARDED: the quoted packet was discarded because its lifetime had
 *   ended (<linux/xlo.h>). XRTO_CODE_DISCARDED describes only the packet, not the
 *   channel.
 *
 *   XRTO_CODE_LINK_UP: the channel is good again after the link had given up on the
 *   quoted packet. The paper does not have the code XRTO_CODE_LINK_UP.
 *
 * A message goes to the source of a packet. The message quotes this packet from the
 * IP header on, up to at least the first 8 bytes of the transport header. TCP acts on
 * messages about its segments. Messages about UDP and DCCP packets are for the programs
 * that have sent the packets. A message has one of two encodings, "native" or
 * "extension". DROP, DEFER and LINK-UP about UDP and DCCP packets always have the
 * encoding "extension". A program reads such a message without a privilege from the
 * error queue of its socket (IP_RECVERR_RFC4884, IPV6_RECVERR_RFC4884).
 *
 * The native encoding uses the ICMP type XRTO_TYPE_IPV4 or the ICMPv6 type
 * XRTO_TYPE_IPV6. XRTO_TYPE_IPV4 and XRTO_TYPE_IPV6 are types for experiments (RFC 4727,
 * RFC 4443). NATs and stateful firewalls may treat messages of experimental types as
 * invalid.
 *
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------+---------------+-------------------------------+
 *   |  253 or 200   |     code      |           checksum            |
 *   +---------------+---------------+-------------------------------+
 *   |                       token, or 0                             |
 *   +---------------------------------------------------------------+
 *   |           the packet, as much of it as fits                   |
 *
 * The extension encoding is an object (RFC 4884) in a Destination Unreachable message
 * of code 0. NATs and firewalls know Destination Unreachable. The message's length
 * field says where the quoted packet ends. The quoted packet is padded with 0 to at
 * least XRTO_QUOTE_MIN bytes. The extension header follows the quoted packet. The
 * checksum of the extension header may be 0. The object follows the extension header,
 * perhaps among other objects.
 *
 *   +---------------+---------------+-------------------------------+
 *   | version 2 | 0                 |     checksum of all below     |
 *   +---------------+---------------+-------------------------------+
 *   |      length 4, or 8           |   class 247   |     code      |
 *   +---------------+---------------+-------------------------------+
 *   |                       token, if length is 8                   |
 *   +---------------------------------------------------------------+
 *
 * Class 247 is for private use (RFC 4884 section 10). The object's C-Type is
 * the code. A host that accepts the message does not treat the destination as
 * unreachable.
 *
 * Sender and receiver can share a key of XRTO_KEY_LEN bytes. With a key, a message
 * about a TCP segment carries a token. The token is the low 32 bits of SipHash-2-4 of
 * 12 bytes, calculated with the key. The 12 bytes are three little-endian 32-bit
 * numbers: the code, the segment's sequence number, and the segment's TSval (RFC 7323).
 * If the TSval is not quoted, the third number is 0. A receiver without a key does not
 * check the token. Messages about other packets carry no token.
 */
#ifndef _UAPI_LINUX_XLO_RTO_H
#define _UAPI_LINUX_XLO_RTO_H

#define XRTO_TYPE_IPV4		253
#define XRTO_TYPE_IPV6		200

#define XRTO_CODE_DROP		0
#define XRTO_CODE_DEFER		1
#define XRTO_CODE_DISCARDED	2
#define XRTO_CODE_LINK_UP	3

#define XRTO_HLEN		8	/* ICMP header */
#define XRTO_QUOTE_MIN		128	/* bytes quoted before an extension, RFC 4884 section 4 */
#define XRTO_EXT_HLEN		4	/* header of the extension structure */
#define XRTO_OBJECT_CLASS	247
#define XRTO_OBJECT_LEN		4	/* object without a token */
#define XRTO_OBJECT_KEYED	8	/* object with a token */
#define XRTO_KEY_LEN		16

#endif /* _UAPI_LINUX_XLO_RTO_H */
