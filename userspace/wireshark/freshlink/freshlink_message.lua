-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Shows the ICMP messages of links about packets, as include/uapi/linux/xlo_rto.h describes them.
-- xlo.lua registers the fields.

-- Wireshark runs each file of this folder as a plug-in. This one does something only for require().
if not ... then
	return
end

local bytes = require("freshlink_bytes")
local token = require("freshlink_token")

local M = {}
local HEADER, QUOTE_MIN, EXTENSION, OBJECT, KEYED = 8, 128, 4, 4, 8
local CLASS, EXTENSION_VERSION = 247, 2
local IPV4_HEADER, IPV6_HEADER, UNIT = 20, 40, 8
local TCP, UDP, DCCP = 6, 17, 33
local TCP_QUOTED, TCP_HEADER, TIMESTAMP, TIMESTAMP_LENGTH = 8, 20, 8, 10
local FRAGMENT = 44
local EXTENSIONS = {[0] = true, [43] = true, [FRAGMENT] = true, [60] = true}
local CODES = {[0] = "DROP", [1] = "DEFER", [2] = "packet discarded", [3] = "LINK-UP"}
local NATIVE, IN_EXTENSION = 0, 1
local ENCODINGS = {[NATIVE] = "native", [IN_EXTENSION] = "extension"}
-- the ICMP types of both encodings, and where the length of an extension's quote is, in which unit
local FORMATS = {[4] = {native = 253, unreachable = 3, length = 5, unit = 4},
		 [6] = {native = 200, unreachable = 1, length = 4, unit = 8}}

local f = {
	encoding = ProtoField.uint8("xlo_rto.encoding", "Encoding", base.DEC, ENCODINGS),
	code = ProtoField.uint8("xlo_rto.code", "Code", base.DEC, CODES),
	token = ProtoField.uint32("xlo_rto.token", "Token", base.HEX),
	token_status = ProtoField.uint8("xlo_rto.token.status", "Token status", base.DEC,
					bytes.STATUS),
	checksum = ProtoField.uint16("xlo_rto.checksum", "Checksum of the extension", base.HEX),
	quote = ProtoField.none("xlo_rto.quote", "Quoted packet"),
	src = ProtoField.ipv4("xlo_rto.quote.ip_src", "Source"),
	dst = ProtoField.ipv4("xlo_rto.quote.ip_dst", "Destination"),
	src6 = ProtoField.ipv6("xlo_rto.quote.ipv6_src", "Source"),
	dst6 = ProtoField.ipv6("xlo_rto.quote.ipv6_dst", "Destination"),
	proto = ProtoField.uint8("xlo_rto.quote.proto", "Protocol"),
	srcport = ProtoField.uint16("xlo_rto.quote.srcport", "Source port"),
	dstport = ProtoField.uint16("xlo_rto.quote.dstport", "Destination port"),
	seq = ProtoField.uint32("xlo_rto.quote.seq", "Sequence number of TCP"),
	tsval = ProtoField.uint32("xlo_rto.quote.tsval", "Time stamp of TCP"),
}
M.fields = f

local malformed = ProtoExpert.new("xlo_rto.malformed", "The message is malformed",
				  expert.group.MALFORMED, expert.severity.ERROR)
local unknown = ProtoExpert.new("xlo_rto.code.unknown", "The code is unknown",
				expert.group.PROTOCOL, expert.severity.WARN)
local forged = ProtoExpert.new("xlo_rto.token.bad", "The token is not of this key",
			       expert.group.CHECKSUM, expert.severity.ERROR)
local foreign = ProtoExpert.new("xlo_rto.not_ours",
				"The receiver of the message has not sent the quoted packet",
				expert.group.PROTOCOL, expert.severity.WARN)
M.experts = {malformed, unknown, forged, foreign}

local key

-- The key has 32 hexadecimal digits. With another text, tokens are not verified.
function M.set_key(text)
	key = text:match("^%x+$") and #text == 32 and ByteArray.new(text) or nil
end

-- Reads the object of class CLASS in an extension structure. Returns its range, or nil if there is none,
-- and what makes the structure malformed.
local function find_object(range)
	local found
	local at = EXTENSION

	if range:len() < EXTENSION or range(0, 1):bitfield(0, 4) ~= EXTENSION_VERSION then
		return nil, "The extension has no header of version 2"
	elseif range(2, 2):uint() ~= 0 and bytes.folded(bytes.sum(range:bytes())) ~= 0xffff then
		return nil, "The checksum of the extension is wrong"
	end
	while at < range:len() do
		local size = range:len() - at >= OBJECT and range(at, 2):uint() or 0

		if size < OBJECT or size > range:len() - at then
			return found, "An object of the extension has no usable length"
		elseif range(at + 2, 1):uint() == CLASS then
			if found then
				return found, "The extension has two objects of class 247"
			end
			found = range(at, size)
		end
		at = at + size
	end
	return found
end

-- Finds the code, the token and the quote of a message: their ranges. "wrong" is what makes the message
-- malformed. Returns nil if the ICMP message is not ours.
local function find_native(icmp)
	if icmp:len() < HEADER then
		return {encoding = NATIVE, wrong = "The message is too short"}
	end
	return {encoding = NATIVE, code = icmp(1, 1), token = icmp(4, 4),
		quote = icmp:len() > HEADER and icmp(HEADER) or nil}
end

local function find_extension(icmp, format)
	local quoted = icmp:len() >= HEADER and icmp(format.length, 1):uint() * format.unit or 0
	local room = icmp:len() - HEADER

	if quoted == 0 or icmp(1, 1):uint() ~= 0 then
		return nil
	elseif quoted < QUOTE_MIN or quoted >= room then
		return {encoding = IN_EXTENSION, wrong = "The length of the quote is wrong"}
	end
	local structure = icmp(HEADER + quoted)
	local object, wrong = find_object(structure)

	if not object and not wrong then
		return nil
	end
	return {encoding = IN_EXTENSION, wrong = wrong, quote = icmp(HEADER, quoted),
		checksum = structure:len() >= EXTENSION and structure(2, 2) or nil,
		code = object and object(3, 1),
		token = object and object:len() >= KEYED and object(OBJECT, 4) or nil}
end

-- Reads the addresses of an IPv4 header. Returns where the next header is, and its protocol.
local function read_ipv4(item, quote)
	local length = quote(0, 1):bitfield(4, 4) * 4

	if length < IPV4_HEADER or length > quote:len() then
		return nil
	end
	item:add(f.src, quote(12, 4))
	item:add(f.dst, quote(16, 4))
	return length, quote(9, 1), quote(6, 2):bitfield(3, 13) ~= 0
end

-- The same of IPv6, with its extension headers.
local function read_ipv6(item, quote)
	local at, proto, later = IPV6_HEADER, quote:len() >= IPV6_HEADER and quote(6, 1), false

	if not proto then
		return nil
	end
	item:add(f.src6, quote(8, 16))
	item:add(f.dst6, quote(24, 16))
	while EXTENSIONS[proto:uint()] and not later do
		local rest = quote:len() - at
		local is_fragment = proto:uint() == FRAGMENT
		local size = (rest < UNIT or is_fragment) and UNIT or
			(quote(at + 1, 1):uint() + 1) * UNIT

		if size > rest then
			return nil
		end
		later = is_fragment and quote(at + 2, 2):bitfield(0, 13) ~= 0
		proto = quote(at, 1)
		at = at + size
	end
	return at, proto, later
end

-- Returns the range of the time stamp that a TCP header has, if it is quoted.
local function find_tsval(tcp)
	if tcp:len() < TCP_HEADER then
		return nil
	end
	local last = math.min(tcp:len(), tcp(12, 1):bitfield(0, 4) * 4)

	for at, size in bytes.options(tcp, TCP_HEADER, last, bytes.TCP) do
		if size == TIMESTAMP_LENGTH and tcp(at, 1):uint() == TIMESTAMP then
			return tcp(at + 2, 4)
		end
	end
end

-- Returns the ranges of the sequence number and the time stamp of a segment.
local function add_segment(item, tcp)
	local tsval = find_tsval(tcp)

	item:add(f.seq, tcp(4, 4))
	if tsval then
		item:add(f.tsval, tsval)
	end
	return {seq = tcp(4, 4), tsval = tsval}
end

-- Shows the header behind the IP headers. Returns the segment if it is one, and an error.
local function add_transport(item, quote, at, proto)
	local rest = quote:len() - at

	if proto == TCP and rest < TCP_QUOTED then
		return nil, "The quote ends before the sequence number of TCP"
	elseif (proto == TCP or proto == UDP or proto == DCCP) and rest >= 4 then
		item:add(f.srcport, quote(at, 2))
		item:add(f.dstport, quote(at + 2, 2))
	end
	return proto == TCP and add_segment(item, quote(at)) or nil
end

-- Shows the headers of the quote. Returns the segment if it is one, and an error.
local function add_quote(item, quote, version)
	if quote:len() < IPV4_HEADER or quote(0, 1):bitfield(0, 4) ~= version then
		return nil, "The quote has no IP header of the message's family"
	end
	local at, proto, later = (version == 4 and read_ipv4 or read_ipv6)(item, quote)

	if not at then
		return nil, "The IP headers of the quote are cut off"
	end
	item:add(f.proto, proto)
	if later or at == quote:len() and proto:uint() ~= TCP then
		return nil
	end
	return add_transport(item, quote, at, proto:uint())
end

-- The source of the packet that a quote begins with, as a text.
local function source_of(quote, version)
	if version == 4 then
		return tostring(quote(12, 4):ipv4())
	end
	return quote:len() >= IPV6_HEADER and tostring(quote(8, 16):ipv6())
end

local function add_token(tree, found, segment)
	local item = tree:add(f.token, found.token)
	local status = bytes.UNVERIFIED

	if key and segment then
		status = token.of(key, found.code:uint(), segment.seq:uint(),
				  segment.tsval and segment.tsval:uint() or 0) == found.token:uint()
			and bytes.GOOD or bytes.BAD
	end
	tree:add(f.token_status, found.token, status):set_generated()
	if status == bytes.BAD then
		item:add_proto_expert_info(forged)
	end
end

local function add_code(tree, code)
	local item = tree:add(f.code, code)
	local name = CODES[code:uint()]

	if not name then
		item:add_proto_expert_info(unknown)
	end
	tree:append_text(": " .. (name or "unknown code"))
end

-- Shows the parts that have been found. Returns the quote if all is right.
local function add_message(tree, found, version, pinfo)
	local segment, wrong

	if found.code then
		add_code(tree, found.code)
	end
	if found.checksum then
		tree:add(f.checksum, found.checksum)
	end
	if found.quote then
		local item = tree:add(f.quote, found.quote)

		segment, wrong = add_quote(item, found.quote, version)
		if not wrong and source_of(found.quote, version) ~= tostring(pinfo.net_dst) then
			item:add_proto_expert_info(foreign)
		end
	end
	if found.token then
		add_token(tree, found, segment)
	end
	wrong = found.wrong or wrong or not found.quote and "The message quotes nothing"
	-- a capture that has cut off the packet says nothing about it
	if wrong and pinfo.caplen == pinfo.len then
		tree:add_proto_expert_info(malformed, wrong)
	end
	return not wrong and found.quote or nil
end

-- Shows a message in an ICMP (version 4) or ICMPv6 (version 6) packet. Returns its item in the tree, or
-- nil if the packet is not such a message, and the range of the quoted packet if all is right.
function M.show(proto, tree, icmp, version, pinfo)
	local format = FORMATS[version]
	local type = icmp:len() > 0 and icmp(0, 1):uint()
	local found = type == format.native and find_native(icmp) or
		type == format.unreachable and find_extension(icmp, format) or nil

	if not found then
		return nil
	end
	local item = tree:add(proto, icmp)
	item:add(f.encoding, icmp(0, 1), found.encoding):set_generated()
	return item, add_message(item, found, version, pinfo)
end

return M
