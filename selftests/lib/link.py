# SPDX-License-Identifier: GPL-2.0-or-later
"""A network device of one of the project's kinds, which rtnetlink creates, changes and shows."""
import struct

from . import netlink, tap, wait


def info(kind, *data):
    """IFLA_LINKINFO of a device of this kind, with these attributes of IFLA_INFO_DATA."""
    return netlink.nest(netlink.IFLA_LINKINFO,
                        netlink.attr(netlink.IFLA_INFO_KIND, kind.encode() + b"\0"),
                        netlink.nest(netlink.IFLA_INFO_DATA, *data))


def refused(what, function, code, text, attribute=None):
    """Check that the request is refused with this error, text and attribute."""
    try:
        function()
    except netlink.Refused as refusal:
        tap.equal(what, (refusal.code, refusal.text), (code, text))
        if attribute:
            tap.equal(f"{what}: attribute", refusal.attribute, attribute)
        return
    raise tap.Failed(f"{what}: the request was accepted")


class End:
    """A device, which is one end of a link, with its namespace, name and netlink socket. A subclass
    has the device's `KIND`, its `ATTRIBUTES` {name: (number, function that encodes a value)} and
    its `COUNTERS` {number: name}."""

    def __init__(self, ns, name):
        self.ns, self.name, self.netlink = ns, name, netlink.Netlink(ns)

    @classmethod
    def options(cls, values):
        """Attributes of IFLA_INFO_DATA."""
        return [netlink.attr(cls.ATTRIBUTES[name][0], cls.ATTRIBUTES[name][1](value))
                for name, value in values.items()]

    def create(self, *data, more=b""):
        """Create the device. `more` are attributes beside those of the kind."""
        self.netlink.request(netlink.RTM_NEWLINK, netlink.NLM_F_CREATE | netlink.NLM_F_EXCL,
                             bytes(16) + netlink.attr(netlink.IFLA_IFNAME,
                                                      self.name.encode() + b"\0") +
                             more + info(self.KIND, *data))

    def change(self, *data, **values):
        """Change the configuration of the device."""
        self.netlink.request(netlink.RTM_NEWLINK, 0, struct.pack(
            "=BxHiII", 0, 0, self.netlink.ifindex(self.name), 0, 0) +
            info(self.KIND, *self.options(values), *data))

    def _info(self, part):
        link = self.netlink.link(self.name)
        tap.true(f"{self.name} is there", link)
        return dict(netlink.attrs(link[netlink.IFLA_LINKINFO]))[part]

    def attributes(self):
        """The attributes of IFLA_INFO_DATA, as the kernel reports them: {number: payload}."""
        return dict(netlink.attrs(self._info(netlink.IFLA_INFO_DATA)))

    def numbers(self):
        """The numbers in IFLA_INFO_DATA, by name."""
        names = {number: name for name, (number, _) in self.ATTRIBUTES.items()}
        return {names[kind]: netlink.number(data)
                for kind, data in self.attributes().items() if kind in names}

    def counters(self):
        """The counters of the device."""
        return {self.COUNTERS[kind]: struct.unpack("=Q", data)[0]
                for kind, data in netlink.attrs(self._info(netlink.IFLA_INFO_XSTATS))
                if kind in self.COUNTERS}

    def expect(self, **values):
        """Wait until the named counters have the given values."""
        def seen():
            now = self.counters()
            return all(now[name] == value for name, value in values.items())
        try:
            wait.until(f"{self.name}: {values}", seen)
        except tap.Failed as failure:
            raise tap.Failed(f"{failure}: {self.counters()}") from None

    def up(self, up=True, mtu=None):
        self.ns.link(self.name, up, mtu)
