-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Checksums and options, for the dissectors in this folder.

-- Wireshark runs each file of this folder as a plug-in. This one does something only for require().
if not ... then
	return
end

local M = {}
local bxor, band, rshift = bit.bxor, bit.band, bit.rshift

-- values of a field that says whether a checksum is right
M.BAD, M.GOOD, M.UNVERIFIED = 0, 1, 2
M.STATUS = {[M.BAD] = "Bad", [M.GOOD] = "Good", [M.UNVERIFIED] = "Unverified"}

local function table_row(value)
	for _ = 1, 8 do
		local odd = band(value, 1) == 1
		value = rshift(value, 1)
		if odd then
			value = bxor(value, 0x82f63b78)
		end
	end
	return value
end

local rows = {}
for value = 0, 255 do
	rows[value] = table_row(value)
end

-- The CRC-32C (RFC 3720, section 12.1) of a ByteArray.
function M.crc32c(bytes)
	local value = 0xffffffff

	for index = 0, bytes:len() - 1 do
		value = bxor(rows[band(bxor(value, bytes:get_index(index)), 255)], rshift(value, 8))
	end
	return bxor(value, 0xffffffff) % 0x100000000
end

-- The sum of a ByteArray's words of 16 bits.
function M.sum(bytes)
	local sum = 0

	for at = 0, bytes:len() - 1 do
		sum = sum + bytes:get_index(at) * (at % 2 == 0 and 256 or 1)
	end
	return sum
end

-- The same in one's complement, with 16 bits.
function M.folded(sum)
	while sum > 0xffff do
		sum = sum % 0x10000 + rshift(sum, 16)
	end
	return sum
end

-- Formats of options: `short` returns the size of an option without a length byte, where `rest` bytes
-- are left. A length byte does not count `extra` bytes of the option.
M.TCP = {extra = 0, short = function(type, rest)
	return type == 1 and 1 or type == 0 and rest
end}
M.IPV4 = M.TCP
M.IPV6 = {extra = 2, short = function(type) return type == 0 and 1 end}
M.DCCP = {extra = 0, short = function(type) return type < 32 and 1 end}

local function option_size(buffer, at, last, format)
	local short = format.short(buffer(at, 1):uint(), last - at)

	if short or last - at < 2 then
		return short or nil
	end
	local size = buffer(at + 1, 1):uint() + format.extra
	return size >= 2 and size <= last - at and size or nil
end

-- Iterates over the options from the offset `at` to the offset `last`: the offset and the size of each.
-- The size of an option that exceeds the offset `last`, or has no usable length, is nil. No option
-- follows it.
function M.options(buffer, at, last, format)
	local size = 0

	return function()
		at = size and at + size or last
		if at >= last then
			return nil
		end
		size = option_size(buffer, at, last, format)
		return at, size
	end
end

return M
