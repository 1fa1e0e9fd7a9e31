-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Computes the token of a message: the low 32 bits of SipHash-2-4 (Aumasson and Bernstein, "SipHash: a
-- fast short-input PRF", 2012) over three numbers of 32 bits.

-- Wireshark runs each file of this folder as a plug-in. This one does something only for require().
if not ... then
	return
end

local M = {}
local LENGTH = 12	-- bytes that are hashed

local function round(v)
	v[1] = v[1] + v[2]
	v[2] = v[2]:rol(13):bxor(v[1])
	v[1] = v[1]:rol(32)
	v[3] = v[3] + v[4]
	v[4] = v[4]:rol(16):bxor(v[3])
	v[1] = v[1] + v[4]
	v[4] = v[4]:rol(21):bxor(v[1])
	v[3] = v[3] + v[2]
	v[2] = v[2]:rol(17):bxor(v[3])
	v[3] = v[3]:rol(32)
end

local function add_word(v, word)
	v[4] = v[4]:bxor(word)
	round(v)
	round(v)
	v[1] = v[1]:bxor(word)
end

-- The key is a ByteArray of 16 bytes.
local function begin(key)
	local first, second = UInt64.decode(key:raw(0, 8), true), UInt64.decode(key:raw(8, 8), true)

	return {first:bxor(UInt64(0x70736575, 0x736f6d65)), second:bxor(UInt64(0x6e646f6d, 0x646f7261)),
		first:bxor(UInt64(0x6e657261, 0x6c796765)), second:bxor(UInt64(0x79746573, 0x74656462))}
end

function M.of(key, code, sequence, tsval)
	local v = begin(key)

	add_word(v, UInt64(code, sequence))
	add_word(v, UInt64(tsval, LENGTH * 0x1000000))
	v[3] = v[3]:bxor(UInt64(255))
	for _ = 1, 4 do
		round(v)
	end
	return v[1]:bxor(v[2]):bxor(v[3]):bxor(v[4]):lower()
end

return M
