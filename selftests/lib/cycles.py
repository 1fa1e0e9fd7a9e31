# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the CPU's cycle counter, which runs even while simulated time stands still."""
import ctypes
import mmap

# rdtsc; shl rdx, 32; or rax, rdx; ret
_CODE = bytes.fromhex("0f3148c1e2204809d0c3")
_page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
_page.write(_CODE)
now = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(ctypes.c_char.from_buffer(_page)))

