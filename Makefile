# SPDX-License-Identifier: GPL-2.0-or-later
# Freshlink: the only entry. What each target does lives in the folders.

MACHINE ?= vm
KERNEL  ?= $(if $(filter smp-debug,$(MACHINE)),7.2,6.12)
SUITE   ?= all
PREFIX  ?= /usr/local
export PREFIX DESTDIR MACHINE

VARIANT_vm        := stock
VARIANT_lab       := lab
VARIANT_lab-debug := debug
VARIANT_smp-debug := smp
VARIANT_host      := host

.PHONY: help setup modules tools demo bench lab lab-quick lab-bench
.PHONY: check check-full test soak coverage lab-kernels install uninstall clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | expand -t 14
	@echo 'Variables:    KERNEL=6.1|6.12|7.2  MACHINE=vm|lab|lab-debug|smp-debug|host  SUITE=all|...'
	@echo '              SEED=N (lab machines)  LIMIT=seconds  DESTDIR=  PREFIX=/usr/local'

setup: ## installs the Debian packages that are missing
	@lab/setup

modules: ## kernel modules for KERNEL and MACHINE, in build/modules
	@kmod/build $(KERNEL) $(or $(VARIANT_$(MACHINE)),$(MACHINE))

tools: ## the command freshlink, plugins for tc and ip, in build/tools
	@userspace/needs
	@$(MAKE) -s --no-print-directory -C userspace

demo: $(if $(filter host,$(MACHINE)),,setup) tools ## drop-tail versus LPD across delay spikes: tables and a picture
	@lab/demo/run

bench: setup tools ## what a packet costs in lpd, xlo and cellink: instructions, time, throughput; a plot
	@lab/bench/run

lab: tools ## the papers' experiments, and a page about them: PAPER=lpd FIG=9 SEEDS=30 PCAP=1 RETRY=1 CORES= CLUSTER=
	@lab/engine/run --report

lab-quick: tools ## a few cells of each experiment
	@lab/engine/run --quick --report

lab-bench: tools ## simulated seconds per second with one TCP flow, compared with ns-3
	@lab/dumbbell/run

check: ## builds for every kernel, runs the tests
	@lab/check

check-full: ## the debug machines, the remaining kernels, make install
	@lab/check --full

test: tools ## SUITE on KERNEL in MACHINE
	@lab/test $(SUITE) $(KERNEL) $(MACHINE)

soak: tools ## the tests' long forms, 50 million fuzzed headers, millions of packets: hours
	@$(MAKE) --no-print-directory -C selftests/codec soak
	@$(MAKE) --no-print-directory -C selftests/fetch soak LIMIT=3600
	@LIMIT=40000 lab/test soak 6.12 lab
	@LIMIT=40000 lab/test soak 6.12 lab-debug
	@LIMIT=40000 lab/test soak 7.2 smp-debug

coverage: tools ## the modules' lines that the suites run, on the debug kernel
	@$(MAKE) -s --no-print-directory -C selftests
	@lab/coverage

lab-kernels: ## every lab kernel, into the cache
	@lab/kernels/all

install: ## installs the modules and tools that "make modules tools MACHINE=host" has built
	@$(MAKE) -s --no-print-directory -C userspace built
	@kmod/install
	@$(MAKE) -s --no-print-directory -C userspace install

uninstall: ## removes what install has installed
	@kmod/install --remove
	@$(MAKE) -s --no-print-directory -C userspace uninstall

clean: ## removes build/
	@rm -rf build
