# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of generic netlink, which finds a family by its name and sends commands with
attributes."""
import struct

from . import netlink

GENL_ID_CTRL, CTRL_CMD_GETFAMILY = 16, 3
CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME, CTRL_ATTR_MCAST_GROUPS = 1, 2, 7
CTRL_ATTR_MCAST_GRP_NAME, CTRL_ATTR_MCAST_GRP_ID = 1, 2


def body(command, *attributes):
    """The body of a request, which is the generic netlink header and the attributes."""
    return struct.pack("=BBH", command, 1, 0) + b"".join(attributes)


class Family(netlink.Netlink):
    """A generic netlink socket in a namespace, for one family. `family` is the number of the
    family. `groups` contains the numbers of the family's multicast groups, by name."""

    def __init__(self, ns, name):
        super().__init__(ns, netlink.NETLINK_GENERIC)
        told = self._find(name)
        self.family = struct.unpack("=H", told[CTRL_ATTR_FAMILY_ID])[0]
        groups = [dict(netlink.attrs(group))
                  for _, group in netlink.attrs(told.get(CTRL_ATTR_MCAST_GROUPS, b""))]
        self.groups = {group[CTRL_ATTR_MCAST_GRP_NAME].rstrip(b"\0").decode():
                       struct.unpack("=I", group[CTRL_ATTR_MCAST_GRP_ID])[0] for group in groups}

    def _find(self, name):
        self._send(GENL_ID_CTRL, 0, body(CTRL_CMD_GETFAMILY, netlink.attr(
            CTRL_ATTR_FAMILY_NAME, name.encode() + b"\0")))
        return dict(netlink.attrs(self._answer()[4:]))

    def _answer(self):
        for kind, flags, data in self._messages():
            if kind == netlink.NLMSG_ERROR:
                netlink.acknowledged(flags, data)
            return data
        return b""
