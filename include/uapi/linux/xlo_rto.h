/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Messages by which a link adjusts a TCP sender's timeout.
 *
 * After T. V. Prabhakar, J. Kuri et al., "An Adaptive Timeout Scheme for Short
 * TCP Flows over 3G Wireless Networks"; the numbers, which the paper leaves
 * open, are set here.
 *
 *   XRTO_CODE_DROP       the link has given up on the quoted packet and flushed
 *                        its window and buffer
 *   XRTO_CODE_DEFER      the channel is improving
 *   XRTO_CODE_DISCARDED  the quoted packet was discarded when its lifetime had
 *                        ended (<linux/xlo.h>); says nothing of the channel
 *   XRTO_CODE_LINK_UP    the link has given up on the quoted packet before, and
 *                        the channel is good again; not in the paper
 *
 * A message goes to the source of a packet and quotes that packet from its IP
 * header on, at least up to the first 8 bytes of what follows the headers. There
 * are two encodings.
 *
 * Native: ICMP type XRTO_TYPE_IPV4, ICMPv6 type XRTO_TYPE_IPV6, both for
 * experiments (RFC 4727, RFC 4443). NATs and stateful firewalls may take it for
 * invalid.
 *
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------+---------------+-------------------------------+
 *   |  253 or 200   |     code      |           checksum            |
 *   +---------------+---------------+-------------------------------+
 *   |                       token, or 0                             |
 *   +---------------------------------------------------------------+
 *   |           the packet, as much of it as there is room          |
 *
 * Extension: an object (RFC 4884) in a Destination Unreachable of code 0, which
 * NATs and firewalls know. Its length field says where the quoted packet ends,
 * which is filled up with 0 to XRTO_QUOTE_MIN bytes at least; then follow the
 * extension header, with a checksum or 0, and the object, among others.
 *
 *   +---------------+---------------+-------------------------------+
 *   | version 2 | 0                 |     checksum of all below     |
 *   +---------------+---------------+-------------------------------+
 *   |      length 4, or 8           |   class 247   |     code      |
 *   +---------------+---------------+-------------------------------+
 *   |                       token, if length is 8                   |
 *   +---------------------------------------------------------------+
 *
 * Class 247 is for private use (RFC 4884 section 7.1); the object's C-Type is
 * the code. Whoever takes the message does not take it for unreachability too.
 *
 * Where sender and receiver share a key of XRTO_KEY_LEN bytes a message about a
 * TCP segment carries a token: the low 32 bits of SipHash-2-4, with that key, of
 * 12 bytes, little-endian numbers of 32 bits: the code, the segment's sequence
 * number, and its TSval (RFC 7323) if that is quoted, else 0. Without a key
 * nobody asks for a token.
 */
#ifndef _UAPI_LINUX_XLO_RTO_H
#define _UAPI_LINUX_XLO_RTO_H

#define XRTO_TYPE_IPV4		253
#define XRTO_TYPE_IPV6		200

#define XRTO_CODE_DROP		0
#define XRTO_CODE_DEFER		1
#define XRTO_CODE_DISCARDED	2
#define XRTO_CODE_LINK_UP	3

#define XRTO_HLEN		8	/* of ICMP */
#define XRTO_QUOTE_MIN		128	/* before an extension, RFC 4884 section 5 */
#define XRTO_EXT_HLEN		4	/* of the extension structure */
#define XRTO_OBJECT_CLASS	247
#define XRTO_OBJECT_LEN		4	/* without a token */
#define XRTO_OBJECT_KEYED	8	/* with one */
#define XRTO_KEY_LEN		16

#endif /* _UAPI_LINUX_XLO_RTO_H */
