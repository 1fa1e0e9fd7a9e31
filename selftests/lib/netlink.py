# SPDX-License-Identifier: GPL-2.0-or-later
"""A small client of rtnetlink, which reads qdiscs and devices and can send malformed requests."""
import errno
import fcntl
import socket
import struct
import sys

NLM_F_REQUEST, NLM_F_ACK, NLM_F_DUMP = 1, 4, 0x300
NLM_F_CREATE, NLM_F_EXCL, NLM_F_REPLACE = 0x400, 0x200, 0x100
NLM_F_CAPPED, NLM_F_ACK_TLVS = 0x100, 0x200
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLMSGERR_ATTR_MSG, NLMSGERR_ATTR_OFFS, NLMSGERR_ATTR_MISS_TYPE = 1, 2, 5
SOL_NETLINK, NETLINK_EXT_ACK, NETLINK_GENERIC = 270, 11, 16
NLA_F_NESTED, NLA_TYPE_MASK = 0x8000, 0x3fff

SIOCGIFINDEX = 0x8933
RTM_NEWLINK, RTM_DELLINK, RTM_GETLINK = 16, 17, 18
IFLA_ADDRESS, IFLA_IFNAME, IFLA_MTU, IFLA_TXQLEN, IFLA_OPERSTATE, IFLA_LINKINFO, IFLA_STATS64 = \
    1, 3, 4, 13, 16, 18, 23
IFLA_NET_NS_FD, IFLA_NEW_IFINDEX, IF_OPER_UP = 28, 49, 6
IFLA_INFO_KIND, IFLA_INFO_DATA, IFLA_INFO_XSTATS = 1, 2, 3
RTM_NEWQDISC, RTM_DELQDISC, RTM_GETQDISC = 36, 37, 38
TCA_KIND, TCA_OPTIONS, TCA_STATS2, TCA_DUMP_INVISIBLE = 1, 2, 7, 10
TC_H_ROOT = 0xffffffff


class Refused(Exception):
    """The kernel answered with an error. `code` is the errno. `text`, the number of the wrong
    `attribute` and the number of the `missing` attribute are from the kernel's extended ack."""

    def __init__(self, code, text, attribute, missing):
        super().__init__(f"{errno.errorcode.get(code, code)}: {text}")
        self.code, self.text, self.attribute, self.missing = code, text, attribute, missing


def attr(kind, payload=b""):
    """One attribute, padded."""
    return struct.pack("=HH", 4 + len(payload), kind) + payload + bytes(-len(payload) % 4)


def nest(kind, *attributes):
    return attr(kind | NLA_F_NESTED, b"".join(attributes))


def attrs(data):
    """The attributes in `data` as (type, payload) pairs."""
    found = []
    while len(data) >= 4:
        length, kind = struct.unpack_from("=HH", data)
        if not 4 <= length <= len(data):
            break
        found.append((kind & NLA_TYPE_MASK, data[4:length]))
        data = data[(length + 3) & ~3:]
    return found


def u8(value):
    return struct.pack("=B", value)


def u32(value):
    return struct.pack("=I", value)


def u64(value):
    return struct.pack("=Q", value)


def number(payload):
    """The unsigned number of an attribute, in the byte order of this machine."""
    return int.from_bytes(payload, sys.byteorder)


class Netlink:
    """A netlink socket in a namespace, by default for rtnetlink. `room` is the size of the receive
    buffer in bytes, which limits the length of the messages of a dump. The kernel sends at most
    32 KiB at once. For a buffer above 128 KiB each call of recv() would map and unmap memory, which
    takes much longer than the call itself under User-Mode Linux."""

    def __init__(self, ns, protocol=socket.NETLINK_ROUTE, room=1 << 16):
        self.sock = ns.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
        self.sock.setsockopt(SOL_NETLINK, NETLINK_EXT_ACK, 1)
        self.sock.bind((0, 0))
        self.seq = 0
        self.ns, self.room = ns, room

    def ifindex(self, name):
        return struct.unpack("16xi20x", fcntl.ioctl(self.sock, SIOCGIFINDEX,
                                                    struct.pack("16s24x", name.encode())))[0]

    def _send(self, kind, flags, body):
        self.seq += 1
        self.sock.send(struct.pack("=IHHII", 16 + len(body), kind,
                                   flags | NLM_F_REQUEST, self.seq, 0) + body)

    def _messages(self):
        while True:
            data = self.sock.recv(self.room)
            while data:
                length, kind, flags, seq = struct.unpack_from("=IHHI", data)
                if seq == self.seq:
                    yield kind, flags, data[16:length]
                data = data[(length + 3) & ~3:]

    def request(self, kind, flags, body):
        """Send a request and wait for its acknowledgement. An error raises Refused."""
        self._send(kind, flags | NLM_F_ACK, body)
        for kind, flags, data in self._messages():
            if kind == NLMSG_ERROR:
                acknowledged(flags, data)
                return

    def dump(self, kind, body):
        """The bodies of all messages of a dump."""
        self._send(kind, NLM_F_DUMP, body)
        found = []
        for kind, flags, data in self._messages():
            if kind == NLMSG_DONE:
                return found
            if kind == NLMSG_ERROR:
                acknowledged(flags, data)
            found.append(data)
        return found

    def qdisc(self, device, flags, kind, *options, handle=0x80010000, parent=TC_H_ROOT):
        """Create or change a qdisc. `options` contains the attributes of TCA_OPTIONS."""
        body = struct.pack("=BxxxiIII", 0, self.ifindex(device), handle, parent, 0)
        body += attr(TCA_KIND, kind.encode() + b"\0") + nest(TCA_OPTIONS, *options)
        self.request(RTM_NEWQDISC, flags, body)

    def remove_root(self, device):
        """Delete the root qdisc of a device."""
        self.request(RTM_DELQDISC, 0, struct.pack("=BxxxiIII", 0, self.ifindex(device), 0,
                                                  TC_H_ROOT, 0))

    def link(self, device):
        """The attributes of a device, or None if the device does not exist."""
        self._send(RTM_GETLINK, 0, bytes(16) + attr(IFLA_IFNAME, device.encode() + b"\0"))
        kind, flags, data = next(self._messages())
        try:
            if kind == NLMSG_ERROR:
                acknowledged(flags, data)
        except Refused as refused:
            if refused.code != errno.ENODEV:
                raise
            return None
        return dict(attrs(data[16:]))

    def sent_bytes(self, device):
        """How many bytes a device has sent."""
        return struct.unpack_from("=24xQ", self.link(device)[IFLA_STATS64])[0]

    def operstate(self, device):
        """The operational state of a device (RFC 2863), or None if the device does not exist."""
        link = self.link(device)
        return link[IFLA_OPERSTATE][0] if link else None

    def delete(self, device):
        """Delete a device."""
        self.request(RTM_DELLINK, 0, struct.pack("=BxHiII", 0, 0, self.ifindex(device), 0, 0))

    def set_queue_length(self, device, packets):
        """Set the length of a device's queue (txqueuelen), the limit of every new pfifo."""
        self.request(RTM_NEWLINK, 0, struct.pack("=BxHiII", 0, 0, self.ifindex(device), 0, 0) +
                     attr(IFLA_TXQLEN, u32(packets)))

    def move(self, device, ns, name, index=None):
        """Move a device into another namespace, under another name. The device gets the given index
        in that namespace, by default any index."""
        self.request(RTM_NEWLINK, 0, struct.pack("=BxHiII", 0, 0, self.ifindex(device), 0, 0) +
                     attr(IFLA_IFNAME, name.encode() + b"\0") +
                     attr(IFLA_NET_NS_FD, u32(ns.fd)) +
                     (attr(IFLA_NEW_IFINDEX, u32(index)) if index else b""))


def acknowledged(flags, data):
    """Raise Refused if an NLMSG_ERROR contains an error. (Without an error it is an
    acknowledgement.)"""
    code, length = -struct.unpack_from("=i", data)[0], struct.unpack_from("=I", data, 4)[0]
    if not code:
        return
    text, attribute, missing = "", None, None
    if flags & NLM_F_ACK_TLVS:
        skip = 4 + (16 if flags & NLM_F_CAPPED else (length + 3) & ~3)
        for kind, payload in attrs(data[skip:]):
            if kind == NLMSGERR_ATTR_MSG:
                text = payload.rstrip(b"\0").decode()
            elif kind == NLMSGERR_ATTR_MISS_TYPE:
                missing = struct.unpack("=I", payload)[0]
            elif kind == NLMSGERR_ATTR_OFFS:
                offset = struct.unpack("=I", payload)[0] - 16
                if not flags & NLM_F_CAPPED:
                    attribute = struct.unpack_from("=H", data, 20 + offset + 2)[0] & NLA_TYPE_MASK
    raise Refused(code, text, attribute, missing)
