# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest, about the packages in a plain Debian with systemd, in QEMU. Without headers or
# space an installation leaves apt whole, and succeeds when they are there. The packages are installed
# and purged in the running machine, and a purge leaves nothing. The modules are there after a reboot
# with another kernel, and a kernel that they cannot be built for leaves the others and apt whole. The
# old modules and a unit of freshlink pace go on through an upgrade until the reboot, and the command
# says so. Under Secure Boot the kernel loads the modules if the firmware has the key of DKMS, and
# refuses them otherwise. The script lab/tests/installed-guest contains the checks.

# shellcheck source=lab/tests/installed.sh
. lab/tests/installed.sh

# older: builds the packages of the same sources with a lower version, with an index, in $TMPDIR/older
older()
{
	local tree=$TMPDIR/tree

	mkdir "$tree" &&
		cp -r --parents -t "$tree" COPYING README.md Documentation include kmod sch_lpd tcp_cong_iftpv \
			userspace packaging lab/lib.sh &&
		sed -i "s/$version/$lower/" "$tree/kmod/include/net/fl_version.h" \
			"$tree"/packaging/debian/{changelog,*.symbols} &&
		"$tree/packaging/build" "$TMPDIR/older" &&
		(cd "$TMPDIR/older" && dpkg-scanpackages . > Packages)
}

# fork NEW: goes on with a copy of the disk
fork()
{
	cp -r --sparse=always "$TMPDIR/disk" "$TMPDIR/$1"
}

other_kernels()
{
	fork kernels
	on kernels --chroot other_kernel
	on kernels boot
	on kernels --chroot hopeless_kernel
	rm -r "$TMPDIR/kernels"
}

upgrade()
{
	fork upgrade
	debs=$TMPDIR/older version=$lower on upgrade --chroot downgrade
	on upgrade upgrade
	on upgrade upgraded
	rm -r "$TMPDIR/upgrade"
}

secure_boot()
{
	fork secure
	on secure --secure-boot untrusted
	printf '%s\t%s\n' 'Press any key to perform MOK management' '\r' 'Enroll MOK' '\e[B\r' \
		'View key 0' '\e[B\r' 'Enroll the key(s)?' '\e[B\r' 'Password:' 'secret12\r' 'Reboot' '\r' \
		> "$TMPDIR/answers"
	on secure --secure-boot --answer "$TMPDIR/answers" trusted
	rm -r "$TMPDIR/secure"
}

test_installs()
{
	local version lower=0.0.9

	prepare
	result "installs: the packages of version $lower build" ends 0 older
	on disk plain
	on disk --chroot without_headers
	on disk --chroot without_space
	on disk boot
	upgrade
	other_kernels
	secure_boot
	on disk purge
	on disk install
	on disk boot
}
