#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Documentation/guide-vehicle.rst, followed literally: ffmpeg and GStreamer send a video with
lifetimes, and after an outage only fresh packets arrive. The commands print what the page shows."""
# run.sh: needs: simulated time
# run.sh: once: the page does not depend on the kernel
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time

from lib import cgroup, kmod, netns, page, sniff, tap, wait

PAGE = "guide-vehicle.rst"
RADIO = ("link add wwan0 address 02:00:00:00:00:01 type cellink rate 2mbit delay 20ms "
         "peer name eth0 address 02:00:00:00:00:02 netns {0} delay 20ms ring_packets 1000")
OUTAGE = ("link set wwan0 type cellink outage none",
          "link set wwan0 type cellink outage 4s outage_start 0")
BEFORE, LATE, PORT, CLOCK = 4, 0.4, 5004, 90000
LASTING = ("ffmpeg", "gst-launch-1.0")
# processor time of ping; the few packets that had waited in the outage
CHANCE = (r"/0.\d+ ms", r"time \d+ms", r"remaining.*<256ms \d+")


class Guide(page.Follower):
    """The vehicle, the router and the station."""

    def __init__(self, folder):
        for module in ("cellink", "sch_lpd", "xlo"):
            kmod.insmod(module)
        self.vehicle, self.router, self.station = (netns.Netns() for _ in range(3))
        super().__init__({"vehicle": self.vehicle, "router": self.router, "station": self.station},
                         folder, lasting=LASTING, chance=CHANCE)
        self.parts = page.sections(PAGE)
        netns.veth(self.vehicle, "eth0", self.router, "eth0")
        self.vehicle.ip("address add 192.0.2.9/24 dev eth0", "route add default via 192.0.2.1")
        self.router.sysctl("net.ipv4.ip_forward", 1)
        self.router.ip("address add 192.0.2.1/24 dev eth0", RADIO.format(self.station.path),
                       "address add 203.0.113.9/24 dev wwan0", "link set wwan0 up",
                       "route add default via 203.0.113.1 dev wwan0",
                       "neighbour replace 203.0.113.1 lladdr 02:00:00:00:00:02 dev wwan0")
        self.station.ip("address add 198.51.100.7/24 dev eth0", "address add 203.0.113.1/24 dev eth0",
                        "link set eth0 up", "route add 192.0.2.0/24 via 203.0.113.9",
                        "neighbour replace 203.0.113.9 lladdr 02:00:00:00:00:01 dev eth0")

    def __exit__(self, *_):
        super().__exit__()
        for ns in self.hosts.values():
            ns.close()

    def say(self, title, number=0):
        """Follow a block of a section. Returns the last program that it has started."""
        self.follow(self.parts[title][number])
        return self.running[-1] if self.running else None

    def ffmpeg(self):
        """The video by ffmpeg, across an outage. Returns the packets that arrived at the station."""
        sniffer = sniff.Sniffer(self.station, "eth0")
        camera = self.say("ffmpeg", 0)
        description = os.path.join(self.folder, "video.sdp")
        wait.until("video.sdp", lambda: os.path.exists(description) and os.path.getsize(description))
        player = self.say("ffmpeg", 1)
        time.sleep(BEFORE)
        self.router.ip(*OUTAGE)
        ends(camera, 0)
        time.sleep(10)      # what waits without lpd has arrived
        player.send_signal(signal.SIGINT)
        ends(player, 255)
        os.unlink(description)
        return [frame for frame in sniffer.drain() if is_video(frame.packet)]

    def frames(self, file):
        """The frames that a decoder finds in a file."""
        status, text = self.type("station", "ffprobe -loglevel fatal -count_frames -show_entries "
                                 f"stream=nb_read_frames -of csv=p=0 {file}")
        tap.equal(f"ffprobe {file}", status, 0)
        return int(text)


def ends(process, status):
    """Wait for the end of a program."""
    text = process.communicate()[0]
    tap.equal(f"status of {process.args[-1]}: {text[-500:]}", process.returncode, status)


def udp_of(packet):
    """The UDP header of an IPv4 packet, and what follows."""
    return packet[(packet[0] & 15) * 4:]


def is_video(packet):
    return packet[0] >> 4 == 4 and packet[9] == socket.IPPROTO_UDP and \
        struct.unpack_from("!H", udp_of(packet), 2)[0] == PORT


def is_fragment(packet):
    return packet[0] >> 4 == 4 and struct.unpack_from("!H", packet, 6)[0] & 0x3fff != 0


def delays(frames):
    """The times in s that the packets took since the frame of the video, by the time stamp in RTP,
    more than the fastest one."""
    took = [frame.when / 1e9 - struct.unpack_from("!I", udp_of(frame.packet), 12)[0] / CLOCK
            for frame in frames]
    return [one - min(took) for one in took]


def row(guide, queue):
    """A row of the page's table: the video by ffmpeg across an outage."""
    seen = guide.ffmpeg()
    late = [frame for frame, delay in zip(seen, delays(seen)) if delay > LATE]
    pause = max(zip(seen, seen[1:]), key=lambda pair: pair[1].when - pair[0].when)
    last = (late[-1].when - pause[1].when) / 1e9
    return f"{queue} {len(seen)} {guide.frames('video.mkv')} {len(late)} {last:.1f} s"


def gives_lifetimes(guide):
    """The commands that give the video its lifetime, by the port and by the cgroup."""
    cgroup.mount()
    first, *others = page.commands(guide.parts["Give the packets a lifetime"][0])
    tap.equal("first command", first.line, "modprobe xlo")
    guide.say("A vehicle that streams its view", 1)
    guide.run(others)
    guide.say("Give the packets a lifetime", 1)
    # the line for each boot says what the commands have done
    line = re.search("put the line ``(.*)`` into", page.text(PAGE))[1]
    with open(os.path.join(guide.folder, "vehicle.conf"), "w", encoding="utf-8") as file:
        file.write(f"{line}\n")
    tap.equal(line, guide.type("vehicle", "freshlink apply --check vehicle.conf"), (0, ""))


def outage(guide):
    """The video by ffmpeg with lpd, then without. The station gets what the page's table says."""
    rows = [row(guide, "lpd")]
    guide.say("ffmpeg", 2)
    guide.say("What was discarded?", 0)
    guide.router.run("tc qdisc replace dev wwan0 root pfifo limit 1000")
    rows.append(row(guide, "pfifo"))
    guide.compare("table", guide.parts["What was discarded?"][1].splitlines()[1:], "\n".join(rows))


def gstreamer(guide):
    """The video by GStreamer. Without an outage, each frame arrives."""
    sniffer = sniff.Sniffer(guide.station, "eth0")
    player, camera = guide.say("GStreamer", 1), guide.say("GStreamer", 0)
    ends(camera, 0)
    time.sleep(2)       # the last frames have left the player's jitter buffer (0.3 s)
    player.send_signal(signal.SIGINT)
    player.wait()
    tap.equal("frames", guide.frames("video.h264"), 150)
    tap.equal("fragments", sum(is_fragment(frame.packet) for frame in sniffer.drain()), 0)
    tap.true("no packet without room", " no_room_mtu 0 " in guide.type("vehicle", "freshlink status")[1])


def test_page():
    """The page from its beginning to its end."""
    for program in ("ffmpeg", "gst-launch-1.0"):
        if not shutil.which(program):
            tap.skip(f"{program} is not installed (lab/setup experiments)")
    with tempfile.TemporaryDirectory() as folder, Guide(folder) as guide:
        gives_lifetimes(guide)
        outage(guide)
        gstreamer(guide)
        guide.say("Undo it", 0)
        tap.equal("rules", guide.type("vehicle", "nft list ruleset; freshlink profile show"), (0, ""))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
