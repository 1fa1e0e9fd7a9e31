#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tshark finds no error in packets that the library writes, in IP and in UDP, and shows their
fields. userspace/wireshark/freshlink/dccp.lua hands it those in UDP, and shows the options of
Freshlink."""
# run.sh: all: nothing (needs no kernel module, so lab/check runs this on the host)
import struct

from dccp.program import written
from lib import dccp, dissect, stream, tap

WAYS = (("192.0.2.1", "198.51.100.9"), ("2001:db8::1", "2001:db8:ffff::fedc:9"))
NUMBERS = {"seq": 0xf1f2f3f4f5f6, "ack": 0xa1a2a3a4a5a6, "source": 4660, "dest": 22136}


def dissected(*packets, way=WAYS[0], put=dccp.in_ip, preferences=()):
    """The fields that tshark shows for each packet. In UDP, the checksum of DCCP is 0. A packet
    from the server's port goes the other way."""
    sent = []
    for packet in packets:
        ends = way[::-1] if packet.source == NUMBERS["dest"] else way
        data = written(packet, ends) if packet.extended else packet.encode(ends)
        if put is dccp.in_udp:
            data = data[:6] + bytes(2) + data[8:]
        sent.append(put(data, ends))
    found = dissect.tshark(sent, plugin=True, preferences=preferences)
    for fields in found:
        tap.true("nothing malformed", "_ws.malformed" not in fields)
        tap.true("no error in the dissector", "_ws.lua.error" not in fields)
        tap.equal("checksum", fields["dccp.checksum.status"][0][0], "1")
    return found


def numbers(fields, name):
    """The values of a field, as numbers."""
    return [int(text, 0) if text not in ("True", "False") else int(text == "True")
            for text, _ in fields.get(name, [])]


def shows(fields, **expected):
    """Check the values of some fields of DCCP."""
    for name, value in expected.items():
        tap.equal(f"dccp.{name}", numbers(fields, f"dccp.{name}"), [value])


def all_types():
    """A packet of each type, with all fields of its header, an option and data."""
    return [dccp.Packet(kind, **NUMBERS, ccval=9, coverage=2, service=1717858426,
                        reset=bytes([5, 1, 2, 3]), data=b"12345",
                        options=[dccp.timestamp(77)]) for kind in dccp.TYPES]


def has_header(fields, packet):
    """Check the fields of the header."""
    shows(fields, srcport=packet.source, dstport=packet.dest, type=packet.kind, x=1, ccval=9,
          cscov=2, seq_raw=packet.seq, timestamp=77,
          data_offset=(dccp.fixed_size(packet.kind) + 8) // 4)
    if packet.kind not in (dccp.REQUEST, dccp.DATA):
        shows(fields, ack_raw=packet.ack)
    if packet.kind in (dccp.REQUEST, dccp.RESPONSE):
        shows(fields, service_code=packet.service)
    if packet.kind == dccp.RESET:
        shows(fields, reset_code=5, data1=1, data2=2, data3=3)


def test_header():
    """Each field of the header has its value in all types of packets, in both families and in both
    carriers, and the checksum is right."""
    for way in WAYS:
        for put in dccp.in_ip, dccp.in_udp:
            for packet, fields in zip(all_types(), dissected(*all_types(), way=way, put=put)):
                has_header(fields, packet)
                tap.equal("in UDP", "udp.dstport" in fields, put is dccp.in_udp)


def test_options():
    """Each option of RFC 4340 and RFC 4342 has its type and its value."""
    cookie, vector = b"12345678", dccp.ack_vector([0, 3, 0, 0, 1])[0]
    options = [
        (dccp.flag(dccp.SLOW_RECEIVER), None, None),
        (dccp.feature(dccp.CHANGE_L, dccp.CCID, 2, 3, mandatory=True), "feature_number", 1),
        (dccp.feature(dccp.CONFIRM_R, dccp.SEQUENCE_WINDOW, 1024), "feature_number", 3),
        (dccp.option(dccp.INIT_COOKIE, cookie), "init_cookie", cookie.hex()),
        (dccp.ndp_count(0x123456), "ndp_count", 0x123456),
        (vector, "ack_vector.nonce_0", vector.value.hex()),
        (dccp.data_dropped([None, 2, 2])[0], "data_dropped", "00a1"),
        (dccp.timestamp(1234567890), "timestamp", 1234567890),
        (dccp.timestamp_echo(987654321, 70000), "timestamp_echo", 987654321),
        (dccp.elapsed_time(1000), "elapsed_time", 1000),
        (dccp.data_checksum(b"123456789"), "checksum_data", 0x839206e3),
        (dccp.number(dccp.LOSS_EVENT_RATE, 100, 4), "ccid3_loss_event_rate", 100),
        (dccp.number(dccp.RECEIVE_RATE, 125000, 4), "ccid3_receive_rate", 125000),
        (dccp.loss_intervals(2, [dccp.Interval(10, 1, 1, 10)]), "ccid3_loss_intervals",
         "0200000a80000100000a"),
    ]
    found = dissected(*(dccp.Packet(dccp.DATAACK, **NUMBERS, options=[one])
                        for one, _, _ in options))
    for (one, name, value), fields in zip(options, found):
        want = [dccp.MANDATORY] * one.mandatory + [one.type]
        tap.equal("types", [kind for kind in numbers(fields, "dccp.option_type") if kind], want)
        if name is None:
            continue
        hexadecimal = isinstance(value, str)
        shown = [shown if hexadecimal else int(text, 0)
                 for text, shown in fields[f"dccp.{name}"]]
        tap.true(f"{name}: {shown}", shown and shown[0] == value)


def ours(*lists, data=b""):
    """What the script shows of packets with these lists of options, in both carriers."""
    return shown_of(*(dccp.Packet(dccp.SYNC, **NUMBERS, options=[dccp.timestamp(1), *options],
                                  data=data) for options in lists))


def shown_of(*packets):
    """What the script shows of packets, in both carriers."""
    shown = [[{name.removeprefix("dccp_freshlink."): [text for text, _ in values]
               for name, values in fields.items() if name.startswith("dccp_freshlink.")}
              for fields in dissected(*packets, put=put)] for put in (dccp.in_ip, dccp.in_udp)]
    tap.equal("in UDP", shown[1], shown[0])
    return shown[0]


def test_feature():
    """Change and Confirm of the features 120 and 121 are shown with their values, and those of other
    features are not."""
    values = {dccp.CHANGE_L: [1, 0], dccp.CONFIRM_L: [1, 1, 0], dccp.CHANGE_R: [0],
              dccp.CONFIRM_R: []}
    other = dccp.feature(dccp.CHANGE_L, dccp.CCID, 120)
    *found, nothing = ours(*([other, dccp.feature(kind, dccp.FRESHLINK, *preferences)]
                             for kind, preferences in values.items()), [other])
    for fields, (kind, preferences) in zip(found, values.items()):
        tap.equal("option", fields["option"], [str(kind)])
        tap.equal("values", fields.get("feature", []), [str(value) for value in preferences])
    tap.equal("another feature", nothing, {})
    bare, = ours([dccp.feature(dccp.CHANGE_R, dccp.NO_UDP_CHECKSUM, 1, 0)])
    tap.equal("No UDP Checksum", bare["no_udp_checksum"], ["1", "0"])


def test_own_options():
    """The options 120 to 124 and 126 are shown with their values, in the order of the packet."""
    token, challenge = bytes(range(16)), bytes(range(8))
    answer = dccp.challenge_answer(token, challenge, 1, 2)
    fields, = ours([dccp.flag(dccp.SLOW_RECEIVER), dccp.number(dccp.LENGTH, 3, 2),
                    dccp.option(dccp.MOVE_TOKEN, token), dccp.option(dccp.CHALLENGE, challenge),
                    answer, dccp.sensitive(b"abc", 2)], data=b"abc")
    tap.equal("options", fields["option"], ["120", "121", "122", "123", "124"])
    tap.equal("length", fields["length"], ["3"])
    tap.equal("sensitive", (fields["sensitive"], [int(fields["sensitive_crc"][0], 0)]),
              (["2"], [dccp.read_number(dccp.crc32c(b"ab"))]))
    for name, value in (("move_token", token), ("challenge", challenge),
                        ("challenge_answer", answer.value)):
        tap.equal(name, fields[name], [value.hex(":")])
    tap.true("not cut", "cut" not in fields)
    asks, *answers = ours(*([dccp.option(dccp.ARRIVED, value)]
                            for value in (b"", b"\x01\x01\x02", b"\x00\x00\x00")))
    tap.equal("asks", asks, {"option": ["126"]})
    tap.equal("answers", [[dissect.number(*fields[name]) for name in ("stamped", "arrived")]
                          for fields in answers], [[1, 258], [0, 0]])


def test_options_of_each_type():
    """The options are found behind the header of each type, also behind one with 24-bit numbers,
    which the library does not write."""
    options = [dccp.number(dccp.LENGTH, 0, 2)]
    looks_like_one = dccp.write_options(options)
    packets = [dccp.Packet(kind, **NUMBERS, options=options, reset=looks_like_one,
                           service=dccp.read_number(looks_like_one)) for kind in dccp.TYPES] + \
        [dccp.Packet(kind, 1, 2, options=options, extended=False)
         for kind in (dccp.DATA, dccp.ACK, dccp.DATAACK)]
    for fields in shown_of(*packets):
        tap.equal("options", fields["option"], ["120"])
        tap.true("not cut", "cut" not in fields)


def test_cut_data():
    """Less data than Length says is reported."""
    fields, = ours([dccp.number(dccp.LENGTH, 4, 2)], data=b"abc")
    tap.true("the report", "cut" in fields)


def test_wrong_size():
    """An option of Freshlink with a wrong length is reported, and its value is not shown."""
    for fields in ours(*([dccp.option(kind, bytes(size))] for size in (0, 1, 3, 15, 17)
                         for kind in range(dccp.LENGTH, dccp.SENSITIVE + 1))):
        tap.equal("fields", sorted(fields), ["option", "size"])


def test_nonsensical_length():
    """Behind an option with a nonsensical length, no option is shown (RFC 4340 section 5.8)."""
    rest = dccp.write_options([dccp.number(dccp.LENGTH, 1, 2)])
    sent = [dccp.Packet(dccp.DATA, area=bytes([dccp.TIMESTAMP, size]) + rest).encode(WAYS[0])
            for size in (0, 1, 2, 7)]
    found = dissect.tshark([dccp.in_ip(data, WAYS[0]) for data in sent], plugin=True)
    tap.equal("shown", ["dccp_freshlink.option" in fields for fields in found],
              [False, False, True, False])


def test_short_packets():
    """The script has no error with packets that end early or whose options make no sense."""
    whole = written(dccp.Packet(dccp.RESPONSE, **NUMBERS, options=[
        dccp.option(dccp.MOVE_TOKEN, bytes(16)), dccp.number(dccp.LENGTH, 9, 2)]), WAYS[0])
    sent = [whole[:size] for size in range(len(whole))] + \
        [whole[:at] + bytes([value]) + whole[at + 1:] for at in range(28, 48)
         for value in (0, 1, 32, 120, 255)]
    found = dissect.tshark([put(data, WAYS[0]) for data in sent
                            for put in (dccp.in_ip, dccp.in_udp)], plugin=True)
    for fields in found:
        tap.equal("errors in the dissector", fields.get("_ws.lua.error", []), [])


FRAMES = [
    {"kind": stream.MESSAGE, "flags": 9, "attempt": 3, "unfinished": 500, "number": 0xfedcba98,
     "piece": 7, "pieces": 300, "submitted": 0x89abcdef, "lifetime": 400000, "payload": b"abc"},
    {"kind": stream.SKIP, "flags": stream.FINAL, "number": 0x81828384},
    {"kind": stream.SKIP, "number": 1},
    {"kind": stream.TERMS, "revision": 255, "lifetime": 1, "latency": 2**32 - 1, "way": 3,
     "srtt": 4},
    {"kind": stream.REPORT, "flags": stream.FINAL, "on_time": 10, "late": 20, "missing": 30},
]


def shown_frames(fields):
    """What the script shows of a frame, by the names of the second writer."""
    shown = {name.removeprefix("fstream."): values[0][0] for name, values in fields.items()
             if name.startswith("fstream.")}
    if not shown:
        return None
    names = {"type": "kind", "edition": "flags", "final": "flags", "oldest": "number"}
    return {names.get(name, name): text if name == "payload" else
            int(text == "True") if text in ("True", "False") else int(text, 0)
            for name, text in shown.items()}


def frame_packets(*frames, service=stream.SERVICE):
    """A Request, and data of both ends in turn."""
    back = {"source": NUMBERS["dest"], "dest": NUMBERS["source"]}
    return [dccp.Packet(dccp.REQUEST, **NUMBERS, service=service)] + \
        [dccp.Packet((dccp.DATA, dccp.DATAACK)[at % 2], **NUMBERS | (back if at % 2 else {}),
                     options=[dccp.timestamp(1)], data=data) for at, data in enumerate(frames)]


def test_frames():
    """The frames of a connection with the service code SC:flst are shown with all fields, of both
    ends and in both carriers; those of another connection only if the preference says so."""
    sent = [stream.write(**fields) for fields in FRAMES]
    want = [{"flags": 0} | fields if fields["kind"] != stream.TERMS else fields
            for fields in FRAMES]
    want[0] = want[0] | {"payload": "61:62:63"}
    for put in dccp.in_ip, dccp.in_udp:
        _, *found = dissected(*frame_packets(*sent), put=put)
        tap.equal("frames", [shown_frames(fields) for fields in found], want)
        other = frame_packets(*sent, service=1)
        _, *found = dissected(*other, put=put)
        tap.equal("other data", [shown_frames(fields) for fields in found], [None] * len(want))
        _, *found = dissected(*other, put=put, preferences=["fstream.always:TRUE"])
        tap.equal("with the preference", [shown_frames(fields) for fields in found], want)


def test_wrong_frames():
    """A frame that the receiver refuses is shown as wrong, and one that it takes is not."""
    whole = [stream.write(**fields) for fields in FRAMES]
    wrong = [data[:size] for data in whole for size in range(1, stream.size(data[0] >> 4))] + \
        [data + b"x" for data in whole[1:]] + [whole[0][:20], bytes([0x40]) + whole[0][1:]] + \
        [stream.write(stream.MESSAGE, payload=b"x", piece=2, pieces=2)]
    _, *found = dissected(*frame_packets(*whole, *wrong))
    tap.equal("wrong frames", ["fstream.wrong" in fields for fields in found],
              [False] * len(whole) + [True] * len(wrong))


def record(kind, epoch, number, content):
    """A record of DTLS 1.2 (RFC 6347 section 4.1)."""
    return struct.pack("!BHHHIH", kind, 0xfefd, epoch, 0, number, len(content)) + content


def client_hello():
    """A message of the handshake, in one fragment (RFC 6347 section 4.2.2)."""
    body = b"\xfe\xfd" + bytes(32) + b"\0\0" + b"\0\2\xc0\x35" + b"\1\0"
    size = struct.pack("!I", len(body))[1:]
    return b"\1" + size + bytes(2) + bytes(3) + size + body


def test_dtls():
    """The data of a connection with the service code SC:flsd is shown as records of DTLS, of both
    ends and in both carriers, also several in a packet; that of other connections is not."""
    sent = [record(22, 0, 0, client_hello()),
            record(20, 0, 5, b"\1") + record(22, 1, 0, b"\xaa" * 40), record(23, 1, 1, bytes(50))]
    want = [([22], [0], [1]), ([20, 22], [0, 1], []), ([23], [1], [])]
    for put in dccp.in_ip, dccp.in_udp:
        _, *found = dissected(*frame_packets(*sent, service=stream.DTLS_SERVICE), put=put)
        tap.equal("records", [tuple([int(text, 0) for text, _ in fields.get(f"dtls.{name}", [])]
                                    for name in ("record.content_type", "record.epoch",
                                                 "handshake.type")) for fields in found], want)
        tap.equal("frames", [shown_frames(fields) for fields in found], [None] * 3)
        for service in stream.SERVICE, 1:
            _, *found = dissected(*frame_packets(*sent, service=service), put=put)
            tap.equal("other data", ["dtls.record.content_type" in fields for fields in found],
                      [False] * 3)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
