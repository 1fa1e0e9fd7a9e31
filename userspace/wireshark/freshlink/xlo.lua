-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Shows the cross-layer option of IPv4 and IPv6 packets, and the ICMP messages of links about packets,
-- in Wireshark and tshark. include/uapi/linux/xlo.h and include/uapi/linux/xlo_rto.h describe them.
--
--   tshark -X lua_script:userspace/wireshark/freshlink/xlo.lua -i eth0 -Y 'xlo or xlo_rto'
--
-- Wireshark has no table for options of IPv6 or types of ICMP, so this dissector runs after all others
-- and reads the headers that they have found, also those in tunnels and quotes.

-- Wireshark 4.0 does not search the folder of a plug-in for all users.
package.path = (debug.getinfo(1, "S").source:match("^@(.*/)") or "") .. "?.lua;" .. package.path
local message = require("freshlink_message")
local option = require("freshlink_option")

local xlo = Proto("xlo", "Cross-layer option")
local xlo_rto = Proto("xlo_rto", "Message about a packet")
xlo.fields, xlo.experts = option.fields, option.experts
xlo_rto.fields, xlo_rto.experts = message.fields, message.experts
xlo_rto.prefs.key = Pref.string("Key", "", "The key of sender and receiver, as 32 hexadecimal digits")

local VERSIONS = {4, 6}
local ip_headers = {[4] = Field.new("ip"), [6] = Field.new("ipv6")}
local icmp_messages = {[4] = Field.new("icmp"), [6] = Field.new("icmpv6")}

-- Whether a field is in one of the ranges.
local function is_within(ranges, field)
	for _, range in ipairs(ranges) do
		if field.offset > range.offset and field.offset < range.offset + range.len then
			return true
		end
	end
	return false
end

-- The fields that are in no other one of them. What a message quotes is cut.
local function outermost(fields)
	local found = {}

	for _, field in ipairs(fields) do
		if not is_within(found, field) then
			table.insert(found, field)
		end
	end
	return found
end

-- Shows the messages, and the option in the packets that they quote. Returns where they are.
local function show_messages(pinfo, tree)
	local shown = {}

	for _, version in ipairs(VERSIONS) do
		for _, field in ipairs(outermost({icmp_messages[version]()})) do
			local item, quote = message.show(xlo_rto, tree, field.range, version, pinfo)

			if item then
				table.insert(shown, field)
			end
			if quote then
				option.show(xlo, item, quote, version, pinfo)
			end
		end
	end
	return shown
end

function xlo.dissector(_, pinfo, tree)
	local shown = show_messages(pinfo, tree)

	for _, version in ipairs(VERSIONS) do
		for _, field in ipairs({ip_headers[version]()}) do
			if not is_within(shown, field) then
				option.show(xlo, tree, field.source:range(field.offset), version, pinfo)
			end
		end
	end
end

function xlo_rto.prefs_changed()
	message.set_key(xlo_rto.prefs.key)
end

register_postdissector(xlo)
