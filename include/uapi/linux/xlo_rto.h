/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Messages by which a link adjusts a TCP sender's timeout.
 *
 * Source: T. V. Prabhakar, J. Kuri et al., "An Adaptive Timeout Scheme for Short
 * TCP Flows over 3G Wireless Networks". This header sets the numbers, which the
 * paper leaves open.
 *
 *   XRTO_CODE_DROP       the link has given up on the quoted packet and flushed
 *                        its window and buffer
 *   XRTO_CODE_DEFER      the channel is improving
 *   XRTO_CODE_DISCARDED  the quoted packet was discarded because its lifetime had
 *                        ended (<linux/xlo.h>); says nothing about the channel
 *   XRTO_CODE_LINK_UP    the link had given up on the quoted packet, and now the
 *                        channel is good again; not in the paper
 *
 * A message goes to the source of a packet. It quotes the packet from the IP
 * header on, at least up to the first 8 bytes of the transport header. There
 * are two encodings.
 *
 * Native: ICMP type XRTO_TYPE_IPV4, ICMPv6 type XRTO_TYPE_IPV6, both for
 * experiments (RFC 4727, RFC 4443). NATs and stateful firewalls may treat such
 * messages as invalid.
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
 * Extension: an object (RFC 4884) in a Destination Unreachable message of code 0,
 * which NATs and firewalls know. The length field of this message says where the
 * quoted packet ends. The quoted packet is padded with 0 to at least
 * XRTO_QUOTE_MIN bytes. Then follow the extension header, with a checksum or 0,
 * and the object, perhaps among other objects.
 *
 *   +---------------+---------------+-------------------------------+
 *   | version 2 | 0                 |     checksum of all below     |
 *   +---------------+---------------+-------------------------------+
 *   |      length 4, or 8           |   class 247   |     code      |
 *   +---------------+---------------+-------------------------------+
 *   |                       token, if length is 8                   |
 *   +---------------------------------------------------------------+
 *
 * Class 247 is for private use (RFC 4884 section 7.1). The object's C-Type is
 * the code. A host that accepts the message does not treat the destination as
 * unreachable.
 *
 * If sender and receiver share a key of XRTO_KEY_LEN bytes, a message about a
 * TCP segment carries a token. The token is the low 32 bits of SipHash-2-4, with
 * this key, of 12 bytes. These are three little-endian numbers of 32 bits: the
 * code, the segment's sequence number, and its TSval (RFC 7323), or 0 if the
 * TSval is not quoted. Without a key the receiver does not check the token.
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
#define XRTO_QUOTE_MIN		128	/* quote before an extension, RFC 4884 section 5 */
#define XRTO_EXT_HLEN		4	/* header of the extension structure */
#define XRTO_OBJECT_CLASS	247
#define XRTO_OBJECT_LEN		4	/* object without a token */
#define XRTO_OBJECT_KEYED	8	/* object with a token */
#define XRTO_KEY_LEN		16

#endif /* _UAPI_LINUX_XLO_RTO_H */
