-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Dissects DCCP in UDP (RFC 6773) in Wireshark and tshark, with the dissector of DCCP in IP, and
-- shows the options and the feature of libfreshlink-dccp, in both, and the frames of its streams.
-- Documentation/dccp.rst and Documentation/send.rst describe them.
--
--   tshark -X lua_script:userspace/wireshark/freshlink/dccp.lua -i eth0 -Y dccp
--   tshark -X lua_script:userspace/wireshark/freshlink/dccp.lua -d udp.port==7000,dccp_udp -i eth0
--
-- Data is dissected as frames if the Request of its connection has the service code SC:flst or, in
-- captures that begin later, with "-o fstream.always:TRUE". With SC:flsd it is dissected as DTLS.
--
-- In UDP, the checksum of DCCP is 0, or without the addresses where a packet has no checksum of UDP.
-- Wireshark would report it as wrong, so it is filled in before the packet is dissected, unless it
-- is wrong.

-- Wireshark 4.0 does not search the folder of a plug-in for all users.
package.path = (debug.getinfo(1, "S").source:match("^@(.*/)") or "") .. "?.lua;" .. package.path
local bytes = require("freshlink_bytes")

local UDP_PORT, PROTOCOL = 6511, 33
local SERVICE, DTLS_SERVICE = 0x666c7374, 0x666c7364
local CHANGE_L, CONFIRM_R = 32, 35
local FRESHLINK, NO_UDP_CHECKSUM = 120, 121
local LENGTH, MOVE_TOKEN, CHALLENGE, ANSWER, SENSITIVE, ARRIVED = 120, 121, 122, 123, 124, 126
local REQUEST, RESPONSE, DATA, DATAACK, RESET = 0, 1, 2, 4, 7
local OPTIONS = {[32] = "Change L", [33] = "Confirm L", [34] = "Change R", [35] = "Confirm R",
		 [LENGTH] = "Length", [MOVE_TOKEN] = "Move Token", [CHALLENGE] = "Challenge",
		 [ANSWER] = "Challenge Answer", [SENSITIVE] = "Sensitive",
		 [ARRIVED] = "Arrived"}
local VALUES = {[0] = "does not know the options", [1] = "knows the options"}
local BARE = {[0] = "needs UDP's checksum", [1] = "takes packets without UDP's checksum"}

local ours = Proto("dccp_freshlink", "Options of Freshlink")
local in_udp = Proto("dccp_udp", "DCCP in UDP")
local f = {
	option = ProtoField.uint8("dccp_freshlink.option", "Option", base.DEC, OPTIONS),
	feature = ProtoField.uint8("dccp_freshlink.feature", "Freshlink", base.DEC, VALUES),
	bare = ProtoField.uint8("dccp_freshlink.no_udp_checksum", "No UDP Checksum", base.DEC, BARE),
	length = ProtoField.uint16("dccp_freshlink.length", "Length of the data"),
	token = ProtoField.bytes("dccp_freshlink.move_token", "Move Token"),
	challenge = ProtoField.bytes("dccp_freshlink.challenge", "Challenge"),
	answer = ProtoField.bytes("dccp_freshlink.challenge_answer", "Challenge Answer"),
	sensitive = ProtoField.uint16("dccp_freshlink.sensitive", "Sensitive bytes"),
	crc = ProtoField.uint32("dccp_freshlink.sensitive_crc", "CRC-32c of them", base.HEX),
	stamped = ProtoField.bool("dccp_freshlink.stamped", "With the lifetime option", 8, nil, 0x01),
	arrived = ProtoField.uint16("dccp_freshlink.arrived", "Bytes that arrived"),
}
ours.fields = f
-- the field and the size of each option's value
local VALUE = {[LENGTH] = {field = f.length, size = 2},
	       [MOVE_TOKEN] = {field = f.token, size = 16},
	       [CHALLENGE] = {field = f.challenge, size = 8},
	       [ANSWER] = {field = f.answer, size = 8},
	       [SENSITIVE] = {field = f.sensitive, size = 6, width = 2},
	       [ARRIVED] = {field = f.stamped, size = 3, width = 1}}
local FEATURES = {[FRESHLINK] = f.feature, [NO_UDP_CHECKSUM] = f.bare}

local wrong_size = ProtoExpert.new("dccp_freshlink.size", "The option has a wrong length",
				   expert.group.PROTOCOL, expert.severity.ERROR)
local cut = ProtoExpert.new("dccp_freshlink.cut", "A router has cut off the data",
			    expert.group.SEQUENCE, expert.severity.NOTE)
ours.experts = {wrong_size, cut}

local stream = Proto("fstream", "Messages with deadlines")
local MESSAGE, SKIP, TERMS, REPORT = 0, 1, 2, 3
local FRAMES = {[MESSAGE] = "Message", [SKIP] = "Skip", [TERMS] = "Terms", [REPORT] = "Report"}
local s = {
	type = ProtoField.uint8("fstream.type", "Type", base.DEC, FRAMES, 0xf0),
	edition = ProtoField.uint8("fstream.edition", "Edition", base.DEC, nil, 0x0f),
	final = ProtoField.bool("fstream.final", "Final", 8, nil, 0x01),
	attempt = ProtoField.uint8("fstream.attempt", "Earlier transmissions"),
	revision = ProtoField.uint8("fstream.revision", "Revision"),
	unfinished = ProtoField.uint16("fstream.unfinished", "Unfinished"),
	number = ProtoField.uint32("fstream.number", "Number"),
	oldest = ProtoField.uint32("fstream.oldest", "Oldest"),
	piece = ProtoField.uint16("fstream.piece", "Piece"),
	pieces = ProtoField.uint16("fstream.pieces", "Pieces"),
	submitted = ProtoField.uint32("fstream.submitted", "Submitted (us)"),
	lifetime = ProtoField.uint32("fstream.lifetime", "Lifetime (us)"),
	latency = ProtoField.uint32("fstream.latency", "Latency (us)"),
	way = ProtoField.uint32("fstream.way", "Least one-way time (us)"),
	srtt = ProtoField.uint32("fstream.srtt", "Smoothed round-trip time (us)"),
	on_time = ProtoField.uint32("fstream.on_time", "On time"),
	late = ProtoField.uint32("fstream.late", "Late"),
	missing = ProtoField.uint32("fstream.missing", "Missing"),
	payload = ProtoField.bytes("fstream.payload", "Payload"),
}
stream.fields = s
-- the fields of each frame: where they are, and their size
local LAYOUT = {
	[MESSAGE] = {{s.edition, 0, 1}, {s.attempt, 1, 1}, {s.unfinished, 2, 2}, {s.number, 4, 4},
		     {s.piece, 8, 2}, {s.pieces, 10, 2}, {s.submitted, 12, 4}, {s.lifetime, 16, 4}},
	[SKIP] = {{s.final, 0, 1}, {s.oldest, 4, 4}},
	[TERMS] = {{s.revision, 1, 1}, {s.lifetime, 4, 4}, {s.latency, 8, 4}, {s.way, 12, 4},
		   {s.srtt, 16, 4}},
	[REPORT] = {{s.final, 0, 1}, {s.on_time, 4, 4}, {s.late, 8, 4}, {s.missing, 12, 4}},
}
local HEADER = {[MESSAGE] = 20, [SKIP] = 8, [TERMS] = 20, [REPORT] = 16}
local wrong_frame = ProtoExpert.new("fstream.wrong", "The receiver refuses the frame",
				    expert.group.PROTOCOL, expert.severity.ERROR)
stream.experts = {wrong_frame}
stream.prefs.always = Pref.bool("All data are frames", false,
				"Also that of connections whose Request was not seen")

local dccp = DissectorTable.get("ip.proto"):get_dissector(PROTOCOL)
local dtls = Dissector.get("dtls")
local addresses = {[4] = {Field.new("ip.src"), Field.new("ip.dst")},
		   [6] = {Field.new("ipv6.src"), Field.new("ipv6.dst")}}
local band, rshift = bit.band, bit.rshift

-- Returns the size of the fixed header, and of the header with its options.
local function header_sizes(buffer)
	local byte = buffer(8, 1):uint()
	local type, extended = band(rshift(byte, 1), 15), byte % 2 == 1
	local size = extended and 16 or 12

	if type ~= REQUEST and type ~= DATA then
		size = size + (extended and 8 or 4)
	end
	if type == REQUEST or type == RESPONSE or type == RESET then
		size = size + 4
	end
	return size, 4 * buffer(4, 1):uint()
end

-- The packet has `data` bytes of application data.
local function show_option(tree, buffer, data)
	local type = buffer(0, 1):uint()
	local value = VALUE[type]
	local item = tree:add(f.option, buffer(0, 1))

	if not value then
		-- a list of values, which is empty if the end does not know the feature
		for at = 3, buffer:len() - 1 do
			item:add(FEATURES[buffer(2, 1):uint()], buffer(at, 1))
		end
	elseif type == ARRIVED and buffer:len() == 2 then
		return -- a Sync asks
	elseif buffer:len() ~= 2 + value.size then
		item:add_proto_expert_info(wrong_size)
	else
		item:add(value.field, buffer(2, value.width or value.size))
		if type == SENSITIVE then
			item:add(f.crc, buffer(4, 4))
		elseif type == ARRIVED then
			item:add(f.arrived, buffer(3, 2))
		end
		if type == LENGTH and data < buffer(2):uint() then
			item:add_proto_expert_info(cut)
		end
	end
end

local function is_ours(type, buffer)
	return VALUE[type] or
		(type >= CHANGE_L and type <= CONFIRM_R and buffer:len() > 2 and
		 FEATURES[buffer(2, 1):uint()])
end

-- Shows our options, in the order of the packet.
local function show(buffer, tree)
	if buffer:len() < 12 then
		return
	end
	local at, last = header_sizes(buffer)
	local data = buffer:reported_len() - last
	local subtree

	for start, size in bytes.options(buffer, at, math.min(last, buffer:len()), bytes.DCCP) do
		if size and is_ours(buffer(start, 1):uint(), buffer(start, size)) then
			subtree = subtree or tree:add(ours)
			show_option(subtree, buffer(start, size), data)
		end
	end
end

-- Whether the receiver refuses a frame of `size` bytes.
local function is_wrong(buffer, type, size)
	if type == MESSAGE then
		return size == HEADER[type] or buffer(8, 2):uint() >= buffer(10, 2):uint()
	end
	return size ~= HEADER[type]
end

-- Shows a frame that had `size` bytes before a router may have cut it.
local function show_frame(buffer, size, tree)
	local subtree = tree:add(stream, buffer)
	local type = rshift(buffer(0, 1):uint(), 4)

	subtree:add(s.type, buffer(0, 1))
	if not LAYOUT[type] or buffer:len() < HEADER[type] then
		subtree:add_proto_expert_info(wrong_frame)
		return
	end
	for _, field in ipairs(LAYOUT[type]) do
		subtree:add(field[1], buffer(field[2], field[3]))
	end
	if is_wrong(buffer, type, size) then
		subtree:add_proto_expert_info(wrong_frame)
	elseif type == MESSAGE and buffer:len() > HEADER[type] then
		subtree:add(s.payload, buffer(HEADER[type]))
	end
end

-- The data of encrypted streams.
local function show_records(buffer, _, tree, pinfo)
	pcall(dtls.call, dtls, buffer, pinfo, tree)
end

local SHOW = {
	[SERVICE] = show_frame,
	[DTLS_SERVICE] = show_records,
}

-- Functions that show the data of streams, by the addresses and ports of their connections.
local streams = {}

function stream.init()
	streams = {}
end

local function connection_of(buffer, pinfo)
	local ends = {tostring(pinfo.net_src) .. " " .. buffer(0, 2):uint(),
		      tostring(pinfo.net_dst) .. " " .. buffer(2, 2):uint()}

	table.sort(ends)
	return table.concat(ends, " ")
end

-- Shows a packet's data, if it is of a stream.
local function show_data(buffer, pinfo, tree)
	if buffer:len() < 12 then
		return
	end
	local type = band(rshift(buffer(8, 1):uint(), 1), 15)
	local fixed, header = header_sizes(buffer)
	local connection = connection_of(buffer, pinfo)

	if type == REQUEST and buffer:len() >= fixed then
		streams[connection] = SHOW[buffer(fixed - 4, 4):uint()]
	end
	local show_it = streams[connection] or stream.prefs.always and show_frame
	if show_it and (type == DATA or type == DATAACK) and buffer:len() > header and
	   header >= fixed then
		show_it(buffer(header):tvb(), buffer:reported_len() - header, tree, pinfo)
	end
end

-- Returns the packet with the checksum that it would have in IP (RFC 4340 section 9).
local function with_checksum(buffer, pinfo)
	local packet = buffer:bytes()
	local _, header = header_sizes(buffer)
	local coverage = band(buffer(5, 1):uint(), 15)
	local covered = coverage == 0 and buffer:len() or header + 4 * (coverage - 1)
	local sum = PROTOCOL + buffer:len()
	local of_packet = packet:subset(0, math.min(covered, buffer:len()))

	if buffer(6, 2):uint() ~= 0 and bytes.folded(bytes.sum(of_packet)) ~= 0xffff then
		return buffer:range():tvb()
	end
	packet:set_index(6, 0)
	packet:set_index(7, 0)
	for _, address in ipairs(addresses[tostring(pinfo.net_src):find(":") and 6 or 4]) do
		local found = {address()}
		sum = sum + bytes.sum(found[#found].range:bytes())
	end
	sum = bytes.folded(sum + bytes.sum(packet:subset(0, math.min(covered, buffer:len()))))
	packet:set_index(6, rshift(0xffff - sum, 8))
	packet:set_index(7, band(0xffff - sum, 255))
	return packet:tvb("DCCP with its checksum filled in")
end

-- A packet that is too short raises an error here, after it has been shown as malformed.
local function dissect(packet, pinfo, tree)
	pcall(dccp.call, dccp, packet, pinfo, tree)
end

function ours.dissector(buffer, pinfo, tree)
	dissect(buffer:range():tvb(), pinfo, tree)
	show(buffer, tree)
	show_data(buffer, pinfo, tree)
	return buffer:len()
end

function in_udp.dissector(buffer, pinfo, tree)
	local whole = buffer:len() >= 12 and buffer:len() == buffer:reported_len()

	dissect(whole and with_checksum(buffer, pinfo) or buffer:range():tvb(), pinfo, tree)
	show(buffer, tree)
	show_data(buffer, pinfo, tree)
	return buffer:len()
end

DissectorTable.get("ip.proto"):add(PROTOCOL, ours)
DissectorTable.get("udp.port"):add(UDP_PORT, in_udp)
