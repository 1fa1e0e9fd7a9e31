// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A ptrace() for processors that have more registers than User-Mode Linux before 7.2 knows. The
 * script lab/uml preloads this function into the UML process. UML reads and writes the extended
 * registers of a process as 2696 bytes, which include AVX-512. If the processor has more registers
 * (AMX), the host's kernel accepts only the whole set. This function therefore extends each request
 * to the whole set. Registers that UML does not know keep their initial values.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define ROOM	(1 << 16)

/* The size of all registers that the host has enabled. The function reads the size only once,
 * because CPUID is slow in a virtual machine.
 */
static size_t registers_size(void)
{
	static size_t size;
	unsigned int eax, ebx = 0, ecx, edx;

	if (!size) {
		__cpuid_count(0xd, 0, eax, ebx, ecx, edx);
		size = ebx < ROOM ? ebx : ROOM;
	}
	return size;
}

/* The static buffer is safe, because UML's kernel threads never run at the same time. */
static long extended(long request, pid_t pid, struct iovec *part)
{
	static uint8_t registers[ROOM];
	struct iovec all = { registers, registers_size() };
	long result;

	if (part->iov_len >= all.iov_len)
		return syscall(SYS_ptrace, request, pid, NT_X86_XSTATE, part);
	if (request == PTRACE_SETREGSET)
		memcpy(registers, part->iov_base, part->iov_len);
	result = syscall(SYS_ptrace, request, pid, NT_X86_XSTATE, &all);
	if (request == PTRACE_GETREGSET)
		memcpy(part->iov_base, registers, part->iov_len);
	/* reset the buffer, so that the next request starts with initial values */
	memset(registers, 0, all.iov_len);
	return result;
}

long ptrace(enum __ptrace_request request, ...)
{
	static long (*real)(enum __ptrace_request request, ...);
	__builtin_va_list rest;
	void *addr, *data;
	pid_t pid;

	__builtin_va_start(rest, request);
	pid = __builtin_va_arg(rest, pid_t);
	addr = __builtin_va_arg(rest, void *);
	data = __builtin_va_arg(rest, void *);
	__builtin_va_end(rest);
	if ((request == PTRACE_GETREGSET || request == PTRACE_SETREGSET) &&
	    (uintptr_t)addr == NT_X86_XSTATE)
		return extended(request, pid, data);
	if (!real)
		real = dlsym(RTLD_NEXT, "ptrace");
	return real(request, pid, addr, data);
}
