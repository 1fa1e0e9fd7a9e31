-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Shows the cross-layer option in an IP header, as include/uapi/linux/xlo.h describes it. xlo.lua
-- registers the fields.

-- Wireshark runs each file of this folder as a plug-in. This one does something only for require().
if not ... then
	return
end

local bytes = require("freshlink_bytes")

local M = {}
local IPV4, IPV6_ABSOLUTE, IPV6_RELATIVE = 158, 0x1e, 0x3e
local TYPES = {[IPV4] = "IPv4", [IPV6_ABSOLUTE] = "IPv6, absolute",
	       [IPV6_RELATIVE] = "IPv6, relative"}
local LENGTH = 8
local IPV4_HEADER, IPV6_HEADER, UNIT = 20, 40, 8
local RELATIVE, ABSOLUTE, NONE, WRONG = 0, 1, 2, 3
local KINDS = {[RELATIVE] = "relative", [ABSOLUTE] = "absolute", [NONE] = "no lifetime",
	       [WRONG] = "malformed"}
local NO_LIFETIME, DAY = 65535, 86400000
local STALE = {[0] = "forward", [1] = "discard", [2] = "cut to headers", [3] = "reserved"}
local RESERVED = 3

local f = {
	type = ProtoField.uint8("xlo.type", "Type", base.HEX, TYPES),
	length = ProtoField.uint8("xlo.length", "Length"),
	reorder = ProtoField.uint8("xlo.reorder", "Reorder"),
	flags = ProtoField.uint8("xlo.flags", "Flags", base.HEX),
	corrupt_ok = ProtoField.bool("xlo.flags.corrupt_ok", "Damage tolerated", 8, nil, 0x01),
	corrupted = ProtoField.bool("xlo.flags.corrupted", "Damaged", 8, nil, 0x02),
	stale = ProtoField.uint8("xlo.flags.stale", "When stale", base.DEC, STALE, 0x0c),
	slow = ProtoField.bool("xlo.flags.slow", "Slow response", 8, nil, 0x10),
	unknown = ProtoField.uint8("xlo.flags.unknown", "Unknown", base.HEX, nil, 0xe0),
	lifetime = ProtoField.uint32("xlo.lifetime", "Lifetime"),
	kind = ProtoField.uint8("xlo.kind", "Kind", base.DEC, KINDS),
	deadline = ProtoField.string("xlo.deadline", "Deadline (UT)"),
	left = ProtoField.int32("xlo.left", "Time left at the capture (ms)"),
}
M.fields = f

local malformed = ProtoExpert.new("xlo.malformed", "The header is malformed",
				  expert.group.MALFORMED, expert.severity.ERROR)
local short = ProtoExpert.new("xlo.short", "The header is longer than the packet",
			      expert.group.UNDECODED, expert.severity.NOTE)
local reserved = ProtoExpert.new("xlo.reserved", "The treatment is reserved: routers forward",
				 expert.group.PROTOCOL, expert.severity.WARN)
local unknown = ProtoExpert.new("xlo.unknown", "Unknown flags: receivers ignore them",
				expert.group.PROTOCOL, expert.severity.NOTE)
M.experts = {malformed, short, reserved, unknown}

local function kind_of(lifetime)
	if lifetime < NO_LIFETIME then
		return RELATIVE
	elseif lifetime == NO_LIFETIME then
		return NONE
	end
	return lifetime < NO_LIFETIME + DAY and ABSOLUTE or WRONG
end

-- The text is the time of day.
local function deadline_text(ms)
	return string.format("%02d:%02d:%02d.%03d", math.floor(ms / 3600000),
			     math.floor(ms / 60000) % 60, math.floor(ms / 1000) % 60, ms % 1000)
end

-- The ms from the capture to a time of day, on the day that is nearest: 12 h ahead at most.
local function until_deadline(ms, pinfo)
	local ahead = (ms - math.floor(pinfo.abs_ts * 1000)) % DAY

	return ahead > DAY / 2 and ahead - DAY or ahead
end

local function add_flags(tree, range)
	local flags = tree:add(f.flags, range)
	local value = range:uint()

	for _, field in ipairs({f.corrupt_ok, f.corrupted, f.stale, f.slow, f.unknown}) do
		flags:add(field, range)
	end
	if bit.rshift(bit.band(value, 0x0c), 2) == RESERVED then
		flags:add_proto_expert_info(reserved)
	end
	if value >= 0x20 then
		flags:add_proto_expert_info(unknown)
	end
end

-- Returns a text for the option.
local function add_lifetime(tree, range, pinfo)
	local lifetime = range:uint()
	local kind = kind_of(lifetime)
	local left = lifetime

	tree:add(f.lifetime, range)
	tree:add(f.kind, range, kind):set_generated()
	if kind == ABSOLUTE then
		left = until_deadline(lifetime - NO_LIFETIME, pinfo)
		tree:add(f.deadline, range, deadline_text(lifetime - NO_LIFETIME)):set_generated()
	end
	if kind == RELATIVE or kind == ABSOLUTE then
		tree:add(f.left, range, left):set_generated()
		return string.format("%d ms left", left)
	end
	return KINDS[kind]
end

local function lifetime_error(type, lifetime)
	local kind = kind_of(lifetime)

	if kind == WRONG then
		return "The lifetime is above 86465534"
	elseif kind == ABSOLUTE and type == IPV6_RELATIVE then
		return "The option type is for relative lifetimes"
	elseif kind == RELATIVE and type == IPV6_ABSOLUTE then
		return "The option type is for absolute lifetimes"
	end
end

-- Shows an option. Returns what makes it malformed.
local function show_option(proto, tree, option, pinfo)
	local item = tree:add(proto, option)

	item:add(f.type, option(0, 1))
	item:add(f.length, option(1, 1))
	if option:len() ~= LENGTH then
		return item, "The option has a wrong length"
	end
	item:add(f.reorder, option(2, 1))
	add_flags(item, option(3, 1))
	item:append_text(": " .. add_lifetime(item, option(4, 4), pinfo))
	return item, lifetime_error(option(0, 1):uint(), option(4, 4):uint())
end

local function is_ours(type, format)
	if format == bytes.IPV4 then
		return type == IPV4
	end
	return type == IPV6_ABSOLUTE or type == IPV6_RELATIVE
end

-- Shows the option, up to the first error, as the kernel reads it.
local function show_options(proto, tree, buffer, at, last, format, pinfo)
	local seen = false

	for start, size in bytes.options(buffer, at, last, format) do
		local item, wrong = nil, not size and "An option has no usable length"

		if size and is_ours(buffer(start, 1):uint(), format) then
			item, wrong = show_option(proto, tree, buffer(start, size), pinfo)
			wrong = seen and "The header has a second cross-layer option" or wrong
			seen = true
		end
		if wrong then
			item = item or tree:add(proto, buffer(start, last - start))
			item:add_proto_expert_info(malformed, wrong)
			return
		end
	end
end

-- Returns where the options begin and end, and their format. Without options it returns nil.
local function find_options(buffer, version)
	if version == 4 then
		return IPV4_HEADER, buffer(0, 1):bitfield(4, 4) * 4, bytes.IPV4
	elseif buffer:len() > IPV6_HEADER and buffer(6, 1):uint() == 0 then
		local at = IPV6_HEADER + 2
		return at, buffer:len() < at and at or
			IPV6_HEADER + (buffer(at - 1, 1):uint() + 1) * UNIT, bytes.IPV6
	end
end

-- Shows the option of an IPv4 or IPv6 header (version 4 or 6), which is at the begin of a TvbRange.
function M.show(proto, tree, buffer, version, pinfo)
	if buffer:len() < IPV4_HEADER then
		return
	end
	local at, last, format = find_options(buffer, version)

	if buffer(0, 1):bitfield(0, 4) ~= version then
		tree:add(proto, buffer(0, 1)):add_proto_expert_info(
			malformed, "The IP header has a wrong version")
	elseif not at then
		return
	elseif last < IPV4_HEADER then
		tree:add(proto, buffer(0, 1)):add_proto_expert_info(
			malformed, "The IP header states a length below 20")
	elseif last > buffer:len() then
		tree:add(proto, buffer(0)):add_proto_expert_info(short)
	else
		show_options(proto, tree, buffer, at, last, format, pinfo)
	end
end

return M
