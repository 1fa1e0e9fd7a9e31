# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest, about the packages in a plain Debian with systemd, in QEMU, in steps that
# "installs:STEP" runs alone:
#
# failures: without headers or space an installation leaves apt whole, and succeeds when they are there
# purge: a purge in the running machine, where freshlink pace runs, leaves nothing
# readme: the README's commands, typed in the running machine, make a queue that is there after a reboot
#   and after another one with a new kernel. A kernel that the modules cannot be built for leaves the
#   others and apt whole, also if the modules are installed while it is there
# upgrade: the old modules and a unit of freshlink pace go on through an upgrade until the reboot, and
#   the command says so
# secure_boot: the kernel loads the modules if the firmware has the key of DKMS, and refuses them
#   otherwise
# other_release: the packages that are built on Debian's other release install, work and are removed
#   there, and lintian has no warning. The step "readme" passes there, too
#
# The script lab/tests/installed-guest contains the checks.

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

# installation: makes a disk and installs the packages on it
installation()
{
	on disk plain
	on disk --chroot install
}

# fork NEW: goes on with a copy of the disk, which it makes before if no step has
fork()
{
	[ -e "$TMPDIR/disk" ] || installation
	cp -r --sparse=always "$TMPDIR/disk" "$TMPDIR/$1"
}

failures()
{
	fork failures
	on failures --chroot without_headers
	on failures --chroot without_space
	on failures boot
	rm -r "$TMPDIR/failures"
}

purge()
{
	fork purge
	on purge purge
	rm -r "$TMPDIR/purge"
}

readme()
{
	fork readme
	on readme --chroot before_readme
	on readme readme
	on readme kept
	on readme --chroot other_kernel
	on readme kept
	on readme --chroot hopeless_kernel
	rm -r "$TMPDIR/readme"
}

upgrade()
{
	local lower=0.0.9

	result "installs: the packages of version $lower build" ends 0 older
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

# packages_there: builds the packages on Debian's other release, with an index
packages_there()
{
	lab/release packaging/build "$TMPDIR/debs" && (cd "$TMPDIR/debs" && dpkg-scanpackages . > Packages)
}

# on Debian's other release, with a disk of its own
other_release()
{
	local TMPDIR=$TMPDIR/there release

	mkdir "$TMPDIR"
	release=$(debian_other)
	result "installs: the packages build on $release" ends 0 packages_there
	result "installs: lintian of $release has no warning" ends 0 \
		lab/release lintian --allow-root --fail-on error,warning "$TMPDIR"/debs/*.changes
	installation
	on disk boot
	readme
	on disk --chroot removed
}

# test_installs [STEP]: all steps, or one
test_installs()
{
	local version step

	prepare
	for step in "${@:-${installs[@]}}"; do
		"$step"
	done
}
