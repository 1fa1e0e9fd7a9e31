# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest. In a plain Debian with systemd, in QEMU: after an installation of the
# packages and a boot, modprobe loads the modules that DKMS has built, lpd sends a packet, and a device
# that appears gets the queue that a file in /etc/freshlink names. After a purge the files are the same as
# before the installation. Packages are installed and purged in a chroot on the disk, because an emulated
# processor is slow. The script lab/tests/installed-guest contains the checks.

# packages_for_machine: builds the packages, with an index for apt, in $TMPDIR/debs
packages_for_machine()
{
	packaging/build "$TMPDIR/debs" && (cd "$TMPDIR/debs" && dpkg-scanpackages . > Packages)
}

# on DISK [OPTION]... STEP: takes over the results of a step of lab/tests/installed-guest on this disk
on()
{
	local disk=$TMPDIR/$1 step=${*: -1} start=$SECONDS

	take_over "$step" lab/vm/debian --disk "$disk" --debs "${debs:-$TMPDIR/debs}" --limit 3600 \
		${release:+--release "$release"} "${@:2:$#-2}" -- lab/tests/installed-guest "$step" "$version"
	echo "# $step: $((SECONDS - start)) s"
}

# prepare: sets "version", and builds the packages
prepare()
{
	[ "$(id -u)" = 0 ] || die "only root can install packages: run it with sudo"
	need_commands dpkg-buildpackage dh dh_dkms dpkg-scanpackages qemu-system-x86_64
	version=$(sed -n 's/^#define FL_VERSION "\(.*\)"/\1/p' kmod/include/net/fl_version.h)
	result "the packages build" ends 0 packages_for_machine
}

test_installed()
{
	local version

	prepare
	on disk plain
	on disk --chroot install
	on disk boot
	on disk --chroot removed
}
