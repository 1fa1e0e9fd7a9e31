# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs at both ends of the video. A camera sends an encoded clip at the speed of the video to a UDP
port. A player decodes what arrives at this port, and writes a checksum of each picture. The same player also
decodes the clip itself, to say what the pictures should be."""
import os

from pieces import video

KBIT, FRAMES, RATE, PORT = 1000, 300, 30, 5004
CLIP = video.clip(KBIT)
DATAGRAM = 1316                         # bytes: seven packets of a transport stream, also for RTP
SHOT = 5.5                               # s: the time of the picture that a player keeps
TS_BEGIN = 1.4                          # s: ffmpeg's first time stamp in a transport stream
LATEST = 5                              # s without a datagram, after which ffmpeg ends


def of_line(line, separator):
    """The checksum in a line of a player, which is its last word."""
    return line.rsplit(separator, 1)[1].strip()


class Ffmpeg:
    """MPEG-TS over UDP."""

    NAME = "ffmpeg"
    FFMPEG = "ffmpeg -nostdin -hide_banner -loglevel error"
    PICTURES = "-fps_mode passthrough -f framemd5"
    ENDS = True                         # the player ends by itself

    def camera(self, address):
        return f"{self.FFMPEG} -re -i {CLIP} -frames:v {FRAMES} -c copy " \
            f"-f mpegts udp://{address}:{PORT}?pkt_size={DATAGRAM}".split()

    def player(self, shot):
        """Checksums go to standard output. `shot` is the file for a picture."""
        return f"{self.FFMPEG} -copyts -i udp://0.0.0.0:{PORT}?timeout={LATEST}000000 " \
            f"{self.PICTURES} - -vf select=gte(t\\,{TS_BEGIN + SHOT}) -frames:v 1 {shot}".split()

    def sent(self):
        return f"{self.FFMPEG} -i {CLIP} -frames:v {FRAMES} {self.PICTURES} -".split()

    def pictures(self, text):
        return [of_line(line, ",") for line in text.splitlines() if not line.startswith("#")]


class GStreamer:
    """RTP over UDP."""

    NAME = "GStreamer"
    SOURCE = f"gst-launch-1.0 -q filesrc location={CLIP} ! qtdemux ! h264parse config-interval=-1 ! " \
        f"video/x-h264,alignment=au ! identity eos-after={FRAMES + 1}"
    DECODER = "h264parse ! openh264dec ! checksumsink hash=md5 sync=false"
    CAPS = "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264"
    ENDS = False

    def camera(self, address):
        return f"{self.SOURCE} ! rtph264pay mtu={DATAGRAM} ! udpsink host={address} port={PORT}".split()

    def player(self, _):
        return f"gst-launch-1.0 -q -e udpsrc port={PORT} caps={self.CAPS} ! rtpjitterbuffer ! " \
            f"rtph264depay ! {self.DECODER}".split()

    def sent(self):
        return f"{self.SOURCE} ! {self.DECODER}".split()

    def pictures(self, text):
        return [of_line(line, " ") for line in text.splitlines()]


PROGRAMS = {program.NAME: program for program in (Ffmpeg(), GStreamer())}
