#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A request with random attributes, correct or garbled, is either applied completely or refused. A
refused request changes nothing, and the answer gives a reason. An accepted request does exactly
what its attributes say. The configuration stays within its ranges, and the kernel accepts it again
when it is sent back. If the same requests are sent again, they get the same answers.

The requests are made from syzkaller.txt of each module. FL_SEED repeats a run, and a failing
request is printed in hex."""
# run.sh: soak on lab-debug, 36000 s: everything
import errno
import random

from lib import bench, garble, kmod, netlink, soak, tap, wait
from tdc.subjects import SUBJECTS, decode

COUNT = soak.amount(1000, 150_000)          # requests to each subject
ROUND = 100                                 # requests in one namespace
ERRORS = {errno.EINVAL, errno.ERANGE, errno.EEXIST, errno.ENOENT, errno.ENODEV, errno.EBUSY,
          errno.EOPNOTSUPP, errno.ENOMEM, errno.E2BIG, errno.EADDRNOTAVAIL,
          # a device cannot be set up before it has a peer
          errno.ENOTCONN,
          # the core: IFLA_NET_NS_PID of a process that does not exist, IFLA_NET_NS_FD of a number that is
          # no descriptor, IFLA_AF_SPEC of an unknown family
          errno.ESRCH, errno.EBADF, errno.EAFNOSUPPORT}


class Round:
    """Send the requests of one seed. `verdicts` contains the result of each request."""

    def __init__(self, kind, seed):
        self.seed, self.verdicts = seed, []
        self.random = random.Random(seed)
        with kind(self.random) as self.subject:
            self.state = self.subject.state()
            for _ in range(ROUND):
                self._request()
            self.subject.finish()
            self._send_back()

    def _request(self):
        command, parts = self.subject.request()
        data = garble.garble(self.random, parts)
        if not self.subject.bearable(data):
            return
        try:
            verdict = self._send(command, data)
            self.verdicts.append(verdict)
        except tap.Failed as failure:
            raise tap.Failed(f"request {len(self.verdicts)} of {self.seed}: {command} "
                             f"{data.hex()}: {failure}") from None

    def _send(self, command, data):
        """Send a request and check its effect. Returns 0 or the refusal."""
        before, refusal = self.state, None
        try:
            self.subject.send(command, data)
        except netlink.Refused as refused:
            # the traceback would keep a reference to this frame, and so to the sockets
            refusal = refused.with_traceback(None)
        self.state = self.subject.state()
        if not refusal:
            self._check_taken(before, command, data)
            return 0
        tap.equal("configuration after a refusal", self.state, before)
        tap.true(f"{refusal}: error", refusal.code in ERRORS)
        tap.true(f"{refusal}: reason", refusal.text or refusal.attribute is not None or
                 refusal.missing is not None or not self.subject.explains(refusal.code, data))
        return refusal.code, refusal.text, refusal.attribute

    def _check_taken(self, before, command, data):
        told = decode(data)
        objects = {None: self.subject.read(command, told)} | self.state
        for name, attributes in objects.items():
            for kind, payload in attributes.items():
                tap.true(f"attribute {kind} of {name} may be {payload.hex()}",
                         self.subject.holds(name, kind, payload))
        tap.equal("configuration", self.state,
                  self.subject.after(before, self.state, command, told))

    def _send_back(self):
        self.state = self.subject.state()
        self.subject.send_back(self.state)
        tap.equal("configuration after it was sent back", self.subject.state(), self.state)


def attack(kind):
    """Send requests to a subject of this kind. Check that its module then unloads, and accepts
    requests when it is loaded again."""
    chance = bench.seed()
    taken = total = 0
    first = chance.randrange(2**32)
    tap.equal("results of the same requests again",
              Round(kind, first).verdicts, Round(kind, first).verdicts)
    for _ in range(COUNT // ROUND - 2):
        verdicts = Round(kind, chance.randrange(2**32)).verdicts
        taken, total = taken + verdicts.count(0), total + len(verdicts)
    tap.note(f"{taken} of {total} requests were accepted")
    wait.until(f"{kind.module} unloads", lambda: not kmod.rmmod(kind.module), step=0.02)
    with kind(chance) as subject:
        subject.send_back(subject.state())


if __name__ == "__main__":
    tap.run([(name, lambda kind=kind: attack(kind)) for name, kind in SUBJECTS.items()])
