# SPDX-License-Identifier: GPL-2.0-or-later
# The only entry point of Freshlink. Scripts in the folders do the work of each target.

MACHINE ?= vm
KERNEL_smp-debug := 7.2
# with 6.12 and QEMU 7.2, the kernel computes wrong checksums of packets
KERNEL_s390x := 6.1
KERNEL  ?= $(or $(KERNEL_$(MACHINE)),6.12)
SUITE   ?= all
PREFIX  ?= /usr/local
export PREFIX DESTDIR MACHINE

VARIANT_vm        := stock
VARIANT_lab       := lab
VARIANT_lab-debug := debug
VARIANT_smp-debug := smp
VARIANT_host      := host

.PHONY: help setup modules tools demo bench lab lab-quick lab-bench
.PHONY: check check-full test soak coverage lab-kernels deb install uninstall clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | expand -t 14
	@echo 'Variables:    KERNEL=6.1|6.12|7.2  MACHINE=vm|arm64|s390x|lab|lab-debug|smp-debug|host'
	@echo '              SUITE=all|...  SEED=N (lab machines)  LIMIT=seconds  DESTDIR=  PREFIX=/usr/local'

setup: ## installs missing Debian packages
	@lab/setup

modules: ## kernel modules for KERNEL and MACHINE, in build/modules
	@kmod/build $(KERNEL) $(or $(VARIANT_$(MACHINE)),$(MACHINE))

tools: ## the command freshlink and plugins for tc and ip, in build/tools
ifneq ($(filter arm64 s390x,$(MACHINE)),)
	@userspace/cross $(MACHINE) > /dev/null
else
	@userspace/needs
	@$(MAKE) -s --no-print-directory -C userspace
endif

demo: $(if $(filter host,$(MACHINE)),,setup) tools ## drop-tail versus LPD across delay spikes: tables and a picture
	@lab/demo/compare

bench: setup tools ## cost of a packet in lpd, xlo, cellink, arqlink, with a plot; of a stream versus SRT
	@lab/bench/measure
	@lab/setup rivals
	@lab/bench/stream

lab: tools ## the papers' experiments, and a report about them: PAPER=lpd FIG=9 SEEDS=30 PCAP=1 RETRY=1 CORES= CLUSTER=
	@lab/engine/experiments --report

lab-quick: tools ## a few cells of each experiment
	@lab/engine/experiments --quick --report

lab-bench: tools ## simulated seconds per real second with one TCP flow, compared with ns-3
	@lab/dumbbell/speed

check: ## builds for every kernel and runs the tests
	@lab/check

check-full: ## tests on the debug machines and the remaining kernels, and make install
	@lab/check --full

test: tools ## runs SUITE on KERNEL in MACHINE
	@lab/test $(SUITE) $(KERNEL) $(MACHINE)

soak: tools ## long forms of the tests, 50 million fuzzed headers, millions of packets; takes hours
	@$(MAKE) --no-print-directory -C selftests/codec soak
	@$(MAKE) --no-print-directory -C selftests/dccp soak
	@$(MAKE) --no-print-directory -C selftests/fetch soak LIMIT=3600
	@selftests/paths/compare --first new --seeds 2500
	@LIMIT=40000 lab/test soak 6.12 lab
	@LIMIT=40000 lab/test soak 6.12 lab-debug
	@LIMIT=40000 lab/test soak 7.2 smp-debug
	@lab/setup packages processors
	@$(MAKE) --no-print-directory test SUITE=smoke MACHINE=s390x
	@lab/selftest packages installs openwrt

coverage: tools ## which lines of the modules the suites run, on the debug kernel
	@$(MAKE) -s --no-print-directory -C selftests
	@lab/coverage

lab-kernels: ## builds every lab kernel in the cache
	@lab/kernels/all

deb: ## Debian packages, in build/deb
	@lab/setup packages
	@packaging/build $(addprefix --arch ,$(filter arm64 s390x,$(MACHINE)))

install: ## installs the modules and tools that "make modules tools MACHINE=host" has built
	@$(MAKE) -s --no-print-directory -C userspace built
	@kmod/install
	@$(MAKE) -s --no-print-directory -C userspace install

uninstall: ## removes the installed files
	@kmod/install --remove
	@$(MAKE) -s --no-print-directory -C userspace uninstall

clean: ## removes build/
	@rm -rf build
