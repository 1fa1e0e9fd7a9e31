# SPDX-License-Identifier: GPL-2.0-or-later
"""A video from the sender to the receiver by ffmpeg. ffmpeg reads an encoded video (Makefile) at the
speed of the video, and sends H.264 in RTP."""
import os
import socket
import subprocess

from pieces import TREE, datagrams, frames, rtp

RATES = (250, 1000, 2500)               # kbit/s, as in the Makefile
PORT = 5004                             # RTCP has the next port
PAYLOAD = 1472                          # bytes of the largest datagram
FFMPEG = "ffmpeg -nostdin -hide_banner -loglevel error -re -i {clip} -t {seconds} -c copy " \
    "-f rtp rtp://{address}:{port}?pkt_size={payload}"


def clip(kbit):
    return os.path.join(TREE, f"build/lab-tools/{kbit}.mp4")


class Video:
    """A video of a rate in RATES. The receiver's sockets never read, because the capture sees
    everything. Without the sockets, the receiver would send ICMP messages."""

    def __init__(self, path, kbit):
        self.path, self.kbit = path, kbit
        self.sockets = [path.socket(path.receiver, socket.SOCK_DGRAM) for _ in range(2)]
        for number, sock in enumerate(self.sockets):
            sock.bind((path.address, PORT + number))
        self.sent = datagrams.Capture(path.sender, "eth0", PORT, outgoing=True)
        self.arrived = datagrams.Capture(path.receiver, "eth0", PORT)
        self.process = None

    def begin(self, seconds):
        command = FFMPEG.format(clip=clip(self.kbit), seconds=seconds, address=self.path.address,
                                port=PORT, payload=PAYLOAD)
        with self.path.sender.inside():
            self.process = subprocess.Popen(command.split(), text=True, stdout=subprocess.DEVNULL,
                                            stderr=subprocess.PIPE)

    def wait(self):
        """Wait until everything is sent."""
        errors = self.process.communicate()[1]
        if self.process.returncode or errors:
            raise RuntimeError(f"ffmpeg: status {self.process.returncode}: {errors}")

    def finish(self):
        """Return the packets and the frames."""
        sent = self.sent.datagrams()
        units = rtp.parse([datagram for datagram, _ in sent])
        packets = [frames.Packet(frame, when, came) for (frame, _), (_, when), came in
                   zip(units, sent, frames.arrivals(sent, self.arrived.datagrams()))]
        return packets, frames.assemble(units, packets)
