-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Dissects the frames of arqlink in Wireshark and tshark. include/uapi/linux/arqlink.h describes
-- the frames.
--
--   tshark -X lua_script:userspace/wireshark/freshlink/arqlink.lua -i cell0 -Y arqlink
--
-- The packet in a BYPASS frame, and each packet in a DATA frame with whole packets, is shown too.

-- Wireshark 4.0 does not search the folder of a plug-in for all users.
package.path = (debug.getinfo(1, "S").source:match("^@(.*/)") or "") .. "?.lua;" .. package.path
local bytes = require("freshlink_bytes")

local HEADER = 24
local HELLO, DATA, ACK, NACK, SKIP, BYPASS = 0, 1, 2, 3, 4, 5
local FIRST, LAST, PACKED, TOLERANT, STAMP, ECHO = 1, 2, 8, 0x10, 0x20, 0x40
-- The flags that bring a word behind the header, in the order of the words. Types that are not here
-- have only the word "echo".
local WORDS = {[HELLO] = {}, [DATA] = {TOLERANT, STAMP, ECHO}, [BYPASS] = {TOLERANT, ECHO}}
local ITEM = 2		-- bytes before each packet of a list
local TYPES = {[HELLO] = "HELLO", [DATA] = "DATA", [ACK] = "ACK", [NACK] = "NACK",
	       [SKIP] = "SKIP", [BYPASS] = "BYPASS"}
local BAD, GOOD, UNVERIFIED, STATUS = bytes.BAD, bytes.GOOD, bytes.UNVERIFIED, bytes.STATUS

local proto = Proto("arqlink", "arqlink")
local f = {
	version = ProtoField.uint8("arqlink.version", "Version", base.DEC, nil, 0xf0),
	type = ProtoField.uint8("arqlink.type", "Type", base.DEC, TYPES, 0x0f),
	flags = ProtoField.uint8("arqlink.flags", "Flags", base.HEX),
	first = ProtoField.bool("arqlink.flags.first", "First piece", 8, nil, 0x01),
	last = ProtoField.bool("arqlink.flags.last", "Last piece", 8, nil, 0x02),
	bounded = ProtoField.bool("arqlink.flags.bounded", "Bounded", 8, nil, 0x04),
	packed = ProtoField.bool("arqlink.flags.packed", "List of packets", 8, nil, 0x08),
	tolerant = ProtoField.bool("arqlink.flags.tolerant", "Damage tolerated", 8, nil, 0x10),
	has_stamp = ProtoField.bool("arqlink.flags.stamp", "Stamp", 8, nil, 0x20),
	has_echo = ProtoField.bool("arqlink.flags.echo", "Echo", 8, nil, 0x40),
	ask = ProtoField.bool("arqlink.flags.ask", "Ask", 8, nil, 0x01),
	length = ProtoField.uint16("arqlink.length", "Length"),
	session = ProtoField.uint32("arqlink.session", "Session", base.HEX),
	source = ProtoField.uint32("arqlink.source", "Source", base.HEX),
	number = ProtoField.uint16("arqlink.number", "Number"),
	ack = ProtoField.uint16("arqlink.ack", "Acknowledgment"),
	oldest = ProtoField.uint16("arqlink.oldest", "Oldest"),
	sensitive = ProtoField.uint16("arqlink.sensitive", "Sensitive"),
	checksum = ProtoField.uint32("arqlink.checksum", "Checksum", base.HEX),
	status = ProtoField.uint8("arqlink.checksum.status", "Checksum status", base.DEC, STATUS),
	rest = ProtoField.uint32("arqlink.rest", "Checksum of the rest", base.HEX),
	rest_status = ProtoField.uint8("arqlink.rest.status", "Status of the rest", base.DEC,
				       STATUS),
	stamp = ProtoField.uint32("arqlink.stamp", "Stamp in us"),
	echo = ProtoField.uint32("arqlink.echo", "Echo in us"),
	window = ProtoField.uint16("arqlink.window", "Window"),
	largest = ProtoField.uint16("arqlink.largest", "Largest piece"),
	range = ProtoField.none("arqlink.range", "Missing frames"),
	range_first = ProtoField.uint16("arqlink.range.first", "First"),
	range_count = ProtoField.uint16("arqlink.range.count", "Count"),
	item = ProtoField.none("arqlink.item", "Packet"),
	item_bounded = ProtoField.bool("arqlink.item.bounded", "Bounded", 16, nil, 0x8000),
	item_length = ProtoField.uint16("arqlink.item.length", "Length", base.DEC, nil, 0x7fff),
	payload = ProtoField.bytes("arqlink.payload", "Piece"),
	padding = ProtoField.bytes("arqlink.padding", "Padding"),
}
proto.fields = f

local wrong = ProtoExpert.new("arqlink.checksum.bad", "Wrong checksum", expert.group.CHECKSUM,
			      expert.severity.ERROR)
local short = ProtoExpert.new("arqlink.short", "The frame is too short", expert.group.MALFORMED,
			      expert.severity.ERROR)
local damaged = ProtoExpert.new("arqlink.rest.bad", "The payload is damaged", expert.group.CHECKSUM,
				expert.severity.WARN)
proto.experts = {wrong, short, damaged}

local ethernet = Dissector.get("eth_withoutfcs")
local band, crc32c = bit.band, bytes.crc32c

-- Returns the offset of each word, by its flag, and the offset of the payload.
local function find_words(type, flags)
	local words, at = {}, HEADER

	for _, flag in ipairs(WORDS[type] or {ECHO}) do
		if band(flags, flag) ~= 0 then
			words[flag] = at
			at = at + 4
		end
	end
	return words, at
end

-- The checksum covers the frame up to the offset `covered`.
local function checksum_status(buffer, covered)
	if buffer:len() < covered then
		return UNVERIFIED
	end
	local whole = buffer(0, HEADER - 4):bytes()
	whole:append(ByteArray.new("00000000"))
	if covered > HEADER then
		whole:append(buffer(HEADER, covered - HEADER):bytes())
	end
	return crc32c(whole) == buffer(HEADER - 4, 4):uint() and GOOD or BAD
end

local function rest_status(buffer, at, begin, finish)
	if begin > finish or buffer:len() < finish then
		return UNVERIFIED
	end
	local rest = begin < finish and buffer(begin, finish - begin):bytes() or ByteArray.new()
	return crc32c(rest) == buffer(at, 4):uint() and GOOD or BAD
end

local FLAG_OF = {[TOLERANT] = f.tolerant, [STAMP] = f.has_stamp, [ECHO] = f.has_echo}

local function add_flags(tree, buffer, type)
	local flags = tree:add(f.flags, buffer(1, 1))

	if type == HELLO then
		flags:add(f.ask, buffer(1, 1))
	elseif type == DATA then
		flags:add(f.first, buffer(1, 1))
		flags:add(f.last, buffer(1, 1))
		flags:add(f.bounded, buffer(1, 1))
		flags:add(f.packed, buffer(1, 1))
	end
	for _, flag in ipairs(WORDS[type] or {ECHO}) do
		flags:add(FLAG_OF[flag], buffer(1, 1))
	end
end

local function add_checksum(tree, buffer, payload)
	local status = checksum_status(buffer, payload + buffer(18, 2):uint())
	local item = tree:add(f.checksum, buffer(20, 4))

	tree:add(f.status, buffer(20, 4), status):set_generated()
	if status == BAD then
		item:add_proto_expert_info(wrong)
	end
end

local function add_words(tree, buffer, words, payload)
	if words[STAMP] then
		tree:add(f.stamp, buffer(words[STAMP], 4))
	end
	if words[ECHO] then
		tree:add(f.echo, buffer(words[ECHO], 4))
	end
	local at = words[TOLERANT]
	if at then
		local status = rest_status(buffer, at, payload + buffer(18, 2):uint(),
					   payload + buffer(2, 2):uint())
		local item = tree:add(f.rest, buffer(at, 4))
		tree:add(f.rest_status, buffer(at, 4), status):set_generated()
		if status == BAD then
			item:add_proto_expert_info(damaged)
		end
	end
end

local function add_header(tree, buffer, type, payload)
	tree:add(f.version, buffer(0, 1))
	tree:add(f.type, buffer(0, 1))
	add_flags(tree, buffer, type)
	tree:add(f.length, buffer(2, 2))
	tree:add(f.session, buffer(4, 4))
	tree:add(f.source, buffer(8, 4))
	tree:add(f.number, buffer(12, 2))
	tree:add(f.ack, buffer(14, 2))
	tree:add(f.oldest, buffer(16, 2))
	tree:add(f.sensitive, buffer(18, 2))
	add_checksum(tree, buffer, payload)
end

local function add_ranges(tree, payload)
	for at = 0, payload:len() - 4, 4 do
		local range = tree:add(f.range, payload(at, 4))
		range:add(f.range_first, payload(at, 2))
		range:add(f.range_count, payload(at + 2, 2))
		range:append_text(string.format(": %d from %d", payload(at + 2, 2):uint(),
						payload(at, 2):uint()))
	end
end

-- Adds the packets of a list. Returns them.
local function add_items(tree, payload)
	local packets, at = {}, 0

	while payload:len() - at > ITEM do
		local length = payload(at, ITEM):bitfield(1, 15)
		if length == 0 or length > payload:len() - at - ITEM then
			break
		end
		local item = tree:add(f.item, payload(at, ITEM + length))
		item:add(f.item_bounded, payload(at, ITEM))
		item:add(f.item_length, payload(at, ITEM))
		table.insert(packets, payload(at + ITEM, length))
		at = at + ITEM + length
	end
	if at < payload:len() then
		tree:add_proto_expert_info(short)
	end
	return packets
end

-- Returns the whole packets in the payload.
local function add_payload(tree, payload, type, flags)
	if type == HELLO and payload:len() >= 4 then
		tree:add(f.window, payload(0, 2))
		tree:add(f.largest, payload(2, 2))
	elseif type == NACK then
		add_ranges(tree, payload)
	elseif type == DATA and band(flags, PACKED) ~= 0 then
		return add_items(tree, payload)
	else
		tree:add(f.payload, payload)
	end
	if type == BYPASS or type == DATA and band(flags, FIRST + LAST) == FIRST + LAST then
		return {payload}
	end
	return {}
end

local function summary(buffer, type)
	local text = TYPES[type] or string.format("type %d", type)

	if type == DATA then
		text = text .. string.format(" %d", buffer(12, 2):uint())
	end
	return text .. string.format(" ack %d oldest %d", buffer(14, 2):uint(), buffer(16, 2):uint())
end

function proto.dissector(buffer, pinfo, root)
	local tree = root:add(proto, buffer())

	pinfo.cols.protocol = "arqlink"
	if buffer:len() < HEADER then
		tree:add_proto_expert_info(short)
		return
	end
	local type, length = buffer(0, 1):bitfield(4, 4), buffer(2, 2):uint()
	local flags = buffer(1, 1):uint()
	local words, payload = find_words(type, flags)
	local rest = buffer:len() - payload
	pinfo.cols.info = summary(buffer, type)
	add_header(tree, buffer, type, payload)
	if rest < length then
		tree:add_proto_expert_info(short)
		return
	end
	add_words(tree, buffer, words, payload)
	if rest > length then
		tree:add(f.padding, buffer(payload + length))
	end
	if length == 0 then
		return
	end
	for _, packet in ipairs(add_payload(tree, buffer(payload, length), type, flags)) do
		ethernet:call(packet:tvb(), pinfo, root)
	end
end

DissectorTable.get("ethertype"):add(0x88b5, proto)
