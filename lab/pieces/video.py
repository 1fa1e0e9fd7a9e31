# SPDX-License-Identifier: GPL-2.0-or-later
"""A video from the sender to the receiver by unmodified programs. The programs read an encoded video
(Makefile) at the speed of the video. Captures show the packets at both ends."""
import os
import socket
import subprocess
import time

from pieces import TREE, datagrams, frames, mpegts, rtp

RATES = (250, 1000, 2500)               # kbit/s, as in the Makefile
PORT = 5004                             # RTCP has the next port
HEADERS = 14 + datagrams.Capture.IP_UDP                # bytes of a packet's headers
RTP_PAYLOAD, TS_PAYLOAD = 1472, 1316    # bytes of the largest datagram
SEEDED = os.path.join(TREE, "build/lab-tools/seeded.so")
FFMPEG = "ffmpeg -nostdin -hide_banner -loglevel error -re -i {clip} -t {seconds} -c copy "


def clip(kbit):
    return os.path.join(TREE, f"build/lab-tools/{kbit}.mp4")


class Video:
    """A video of a rate in RATES, by ffmpeg in RTP. The receiver's sockets never read, because the
    capture sees everything. Without the sockets, the receiver would send ICMP messages."""

    SOURCE = FFMPEG + f"-f rtp rtp://{{address}}:{{port}}?pkt_size={RTP_PAYLOAD}"
    PRELOAD = ""
    ENDS = True                         # the source ends after the given number of seconds
    PORTS = (PORT, PORT + 1)            # of the receiver
    DEVICE, SENT, ARRIVED = "eth0", PORT, PORT          # device and ports of the captures
    parse = staticmethod(rtp.parse)

    def __init__(self, path, kbit):
        self.path, self.kbit = path, kbit
        self.sockets = [path.socket(path.receiver, socket.SOCK_DGRAM) for _ in self.PORTS]
        for port, sock in zip(self.PORTS, self.sockets):
            sock.bind(("0.0.0.0", port))
        self.sent = datagrams.Capture(path.sender, self.DEVICE, self.SENT,
                                      outgoing=self.DEVICE != "lo")
        self.arrived = datagrams.Capture(path.receiver, self.DEVICE, self.ARRIVED)
        self.source, self.bytes = None, 0

    def start(self, node, command):
        """Start a program in a namespace."""
        with node.inside():
            return subprocess.Popen(command.split(), text=True, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE, env=dict(os.environ, LD_PRELOAD=self.PRELOAD))

    def begin(self, seconds):
        self.source = self.start(self.path.sender, self.SOURCE.format(
            clip=clip(self.kbit), seconds=seconds, address=self.path.address, port=PORT))

    def wait(self):
        """Wait until everything is sent, or end a source that sends more."""
        if not self.ENDS and self.source.poll() is None:
            self.source.kill()
            self.source.wait()
            return
        errors = self.source.communicate()[1]
        if self.source.returncode or errors:
            raise RuntimeError(f"{self.source.args[0]}: status {self.source.returncode}: {errors}")

    def captured(self):
        """Return the datagrams that were sent, and their packets. Count the bytes that were sent."""
        sent = self.sent.datagrams()
        self.bytes = sum(len(datagram) + HEADERS for datagram, _ in sent)
        return [datagram for datagram, _ in sent], [
            frames.Packet(when, came) for (_, when), came in
            zip(sent, frames.arrivals(sent, self.arrived.datagrams()))]

    def finish(self):
        """Return the packets and the frames."""
        sent, packets = self.captured()
        return packets, frames.assemble(self.parse(sent), packets)


class TransportStream(Video):
    """The video in an MPEG-2 transport stream over UDP."""

    SOURCE = FFMPEG + f"-f mpegts udp://{{address}}:{{port}}?pkt_size={TS_PAYLOAD}"
    parse = staticmethod(mpegts.parse)


class GStreamer(Video):
    """The video in RTP, with RTCP, by GStreamer's rtpbin."""

    SOURCE = "gst-launch-1.0 -q rtpbin name=r filesrc location={clip} ! qtdemux ! h264parse " \
        f"config-interval=-1 ! rtph264pay mtu={RTP_PAYLOAD} ! r.send_rtp_sink_0 r.send_rtp_src_0 ! " \
        "udpsink host={address} port={port} r.send_rtcp_src_0 ! " \
        f"udpsink host={{address}} port={PORT + 1} sync=false async=false"
    ENDS = False


class Srt(Video):
    """The video in a transport stream over SRT. srt-live-transmit receives the stream from ffmpeg on the
    sender, and sends it to a port of the receiver. The captures are in front of and behind
    srt-live-transmit, so they see the packets that SRT has repeated, but not the repetitions."""

    NEAR, FAR = 5006, 5007              # ports before and behind srt-live-transmit
    SOURCE = FFMPEG + f"-f mpegts udp://127.0.0.1:{NEAR}?pkt_size={TS_PAYLOAD}"
    PORTS, DEVICE, SENT, ARRIVED = (FAR,), "lo", NEAR, FAR
    LATENCY = 0                         # ms
    PRELOAD = SEEDED                    # SRT's random numbers would differ in each run
    HANDSHAKE, DRAIN = 1, 10            # s: before and after the video
    parse = staticmethod(mpegts.parse)

    def __init__(self, path, kbit):
        for node in (path.sender, path.receiver):
            node.link("lo", True)
        super().__init__(path, kbit)
        options = f"latency={self.LATENCY}&mode="
        self.running = [
            self.start(path.receiver, f"srt-live-transmit -q srt://:{PORT}?{options}listener "
                       f"udp://127.0.0.1:{self.FAR}"),
            self.start(path.sender, f"srt-live-transmit -q udp://:{self.NEAR} "
                       f"srt://{path.address}:{PORT}?{options}caller")]
        time.sleep(self.HANDSHAKE)

    def wait(self):
        """Wait until everything is sent and has arrived, and end SRT, whose timers never rest."""
        super().wait()
        time.sleep(self.DRAIN)
        for process in self.running:
            process.kill()
            process.wait()


def _srt(latency):
    return type("Srt", (Srt,), {"LATENCY": latency})


PROGRAMS = {"rtp": Video, "ts": TransportStream, "gstreamer": GStreamer,
            **{f"srt-{latency}": _srt(latency) for latency in (125, 400, 1000)}}
