# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest: the package for OpenWrt builds for arm64, with -Os, with the C library musl,
# against the headers of Debian's kernel 6.12. lab/tests/openwrt stands in for OpenWrt's own makefiles.

# package GOAL: makes a goal of the package in a copy of the tree
package()
{
	make -s -j "$(nproc)" -C "$TMPDIR/tree/packaging/openwrt/freshlink" "TOPDIR=$FL_TREE/lab/tests/openwrt" \
		"KERNEL=$kernel" "MUSL=$musl" "OUT=$TMPDIR/made" "$1"
}

# installed: compares the files, and the empty folders, with a list
installed()
{
	(cd "$TMPDIR/made/root" && find . -type f -o -type d -empty | LC_ALL=C sort) > "$TMPDIR/made/files"
	diff - "$TMPDIR/made/files" > "$TMPDIR/out" 2>&1 <<-'EOF'
	./etc/freshlink
	./etc/hotplug.d/net/50-freshlink
	./etc/init.d/freshlink
	./lib/modules/arqlink.ko
	./lib/modules/cellink.ko
	./lib/modules/sch_lpd.ko
	./lib/modules/tcp_iftpv.ko
	./lib/modules/xlo.ko
	./lib/modules/xlo_rto.ko
	./usr/bin/freshlink
	./usr/lib/ip/link_arqlink.so
	./usr/lib/ip/link_cellink.so
	./usr/lib/tc/q_lpd.so
	EOF
}

# needs_musl: the programs are for musl and arm64
needs_musl()
{
	ends 0 readelf -hld "$TMPDIR/made/root/usr/bin/freshlink" &&
		says 'Machine: +AArch64' && says 'interpreter: /lib/ld-musl-aarch64' && says 'NEEDED.*\[libc.so\]'
}

# hotplug ACTION: calls OpenWrt's script for network devices, with a folder /etc/freshlink
hotplug()
{
	# shellcheck disable=SC2016 # variables of the inner shell
	stubbed apart 'mount -t tmpfs tmpfs /etc; mkdir /etc/freshlink; export ACTION=$1 DEVICENAME=wwan0; . "$2"' \
		"$1" "$TMPDIR/made/root/etc/hotplug.d/net/50-freshlink"
}

nothing_called()
{
	ends 0 hotplug remove && [ ! -s "$TMPDIR/out" ]
}

test_openwrt()
{
	local kernel musl

	kernel=$(lab/vm/kernel 6.12 arm64)
	musl=$(lab/musl)
	mkdir "$TMPDIR/tree" "$TMPDIR/made"
	cp -r COPYING include kmod packaging sch_lpd tcp_cong_iftpv userspace "$TMPDIR/tree"
	result "openwrt: modules and tools build without a warning" ends 0 package built
	result "openwrt: the packages install" ends 0 package installed
	result "openwrt: they have these files" installed
	result "openwrt: the command is for arm64 and musl" needs_musl
	stub freshlink 'echo "freshlink $*"'
	result "openwrt: a device that appears gets its lines" refused 0 '^freshlink apply --device wwan0$' hotplug add
	result "openwrt: a device that goes is left alone" nothing_called
}
