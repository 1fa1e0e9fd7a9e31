-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Dissects DCCP in UDP (RFC 6773) in Wireshark and tshark, with the dissector of DCCP in IP, and
-- shows the options and the feature of libfreshlink-dccp, in both. Documentation/dccp.rst describes
-- them.
--
--   tshark -X lua_script:userspace/wireshark/dccp.lua -i eth0 -Y dccp
--   tshark -X lua_script:userspace/wireshark/dccp.lua -d udp.port==7000,dccp_udp -i eth0
--
-- In UDP, the checksum of DCCP is not used. Wireshark would report it as wrong, so it is filled in
-- before the packet is dissected.

local UDP_PORT, PROTOCOL = 6511, 33
local CHANGE_L, CONFIRM_R = 32, 35
local FRESHLINK, LENGTH, MOVE_TOKEN, CHALLENGE, ANSWER = 120, 120, 121, 122, 123
local REQUEST, RESPONSE, DATA, RESET = 0, 1, 2, 7
local OPTIONS = {[32] = "Change L", [33] = "Confirm L", [34] = "Change R", [35] = "Confirm R",
		 [LENGTH] = "Length", [MOVE_TOKEN] = "Move Token", [CHALLENGE] = "Challenge",
		 [ANSWER] = "Challenge Answer"}
local VALUES = {[0] = "does not know the options", [1] = "knows the options"}

local ours = Proto("dccp_freshlink", "Options of Freshlink")
local in_udp = Proto("dccp_udp", "DCCP in UDP")
local f = {
	option = ProtoField.uint8("dccp_freshlink.option", "Option", base.DEC, OPTIONS),
	feature = ProtoField.uint8("dccp_freshlink.feature", "Freshlink", base.DEC, VALUES),
	length = ProtoField.uint16("dccp_freshlink.length", "Length of the data"),
	token = ProtoField.bytes("dccp_freshlink.move_token", "Move Token"),
	challenge = ProtoField.bytes("dccp_freshlink.challenge", "Challenge"),
	answer = ProtoField.bytes("dccp_freshlink.challenge_answer", "Challenge Answer"),
}
ours.fields = f
-- the field and the size of each option's value
local VALUE = {[LENGTH] = {field = f.length, size = 2},
	       [MOVE_TOKEN] = {field = f.token, size = 16},
	       [CHALLENGE] = {field = f.challenge, size = 8},
	       [ANSWER] = {field = f.answer, size = 8}}

local wrong_size = ProtoExpert.new("dccp_freshlink.size", "The option has a wrong length",
				   expert.group.PROTOCOL, expert.severity.ERROR)
local cut = ProtoExpert.new("dccp_freshlink.cut", "A router has cut off the data",
			    expert.group.SEQUENCE, expert.severity.NOTE)
ours.experts = {wrong_size, cut}

local dccp = DissectorTable.get("ip.proto"):get_dissector(PROTOCOL)
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
			item:add(f.feature, buffer(at, 1))
		end
	elseif buffer:len() ~= 2 + value.size then
		item:add_proto_expert_info(wrong_size)
	else
		item:add(value.field, buffer(2))
		if type == LENGTH and data < buffer(2):uint() then
			item:add_proto_expert_info(cut)
		end
	end
end

local function is_ours(type, buffer)
	return VALUE[type] or
		(type >= CHANGE_L and type <= CONFIRM_R and buffer:len() > 2 and
		 buffer(2, 1):uint() == FRESHLINK)
end

-- Shows our options, in the order of the packet.
local function show(buffer, tree)
	if buffer:len() < 12 then
		return
	end
	local at, last = header_sizes(buffer)
	local data = buffer:reported_len() - last
	local subtree

	last = math.min(last, buffer:len())
	while at < last do
		local type = buffer(at, 1):uint()
		local size = type < 32 and 1 or at + 1 < last and buffer(at + 1, 1):uint() or 0

		if size == 0 or (type >= 32 and size < 2) or at + size > last then
			return
		end
		if is_ours(type, buffer(at, size)) then
			subtree = subtree or tree:add(ours)
			show_option(subtree, buffer(at, size), data)
		end
		at = at + size
	end
end

-- The sum of a ByteArray's words of 16 bits.
local function sum_of(bytes)
	local sum = 0

	for at = 0, bytes:len() - 1 do
		sum = sum + bytes:get_index(at) * (at % 2 == 0 and 256 or 1)
	end
	return sum
end

-- Returns the packet with the checksum that it would have in IP (RFC 4340 section 9).
local function with_checksum(buffer, pinfo)
	local bytes = buffer:bytes()
	local _, header = header_sizes(buffer)
	local coverage = band(buffer(5, 1):uint(), 15)
	local covered = coverage == 0 and buffer:len() or header + 4 * (coverage - 1)
	local sum = PROTOCOL + buffer:len()

	bytes:set_index(6, 0)
	bytes:set_index(7, 0)
	for _, address in ipairs(addresses[tostring(pinfo.net_src):find(":") and 6 or 4]) do
		local found = {address()}
		sum = sum + sum_of(found[#found].range:bytes())
	end
	sum = sum + sum_of(bytes:subset(0, math.min(covered, buffer:len())))
	while sum > 0xffff do
		sum = sum % 0x10000 + math.floor(sum / 0x10000)
	end
	bytes:set_index(6, rshift(0xffff - sum, 8))
	bytes:set_index(7, band(0xffff - sum, 255))
	return bytes:tvb("DCCP with its checksum filled in")
end

-- A packet that is too short raises an error here, after it has been shown as malformed.
local function dissect(packet, pinfo, tree)
	pcall(dccp.call, dccp, packet, pinfo, tree)
end

function ours.dissector(buffer, pinfo, tree)
	dissect(buffer:range():tvb(), pinfo, tree)
	show(buffer, tree)
	return buffer:len()
end

function in_udp.dissector(buffer, pinfo, tree)
	local whole = buffer:len() >= 12 and buffer:len() == buffer:reported_len()

	dissect(whole and with_checksum(buffer, pinfo) or buffer:range():tvb(), pinfo, tree)
	show(buffer, tree)
	return buffer:len()
end

DissectorTable.get("ip.proto"):add(PROTOCOL, ours)
DissectorTable.get("udp.port"):add(UDP_PORT, in_udp)
