# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest. Tests of the Debian packages, for arm64 in a machine, otherwise without one:
# they build, two builds have the same bytes, each package has its files, and apt installs and removes
# them without a network in a plain Debian of this release, where DKMS builds the modules for each
# kernel with headers. The test needs root, and once a quarter Debian's archive. The script
# lab/tests/packages-there contains the checks in the plain Debian.

# timed NAME COMMAND...: like result. Says how long the command takes
timed()
{
	local start=$SECONDS

	result "$@"
	echo "# $1: $((SECONDS - start)) s"
}

elsewhere=another/deeper/folder

# builds_elsewhere [OPTION...]: builds in another folder, with another umask, locale, time zone and home
builds_elsewhere()
{
	(umask 077 && ends 0 env LC_ALL=POSIX TZ=Pacific/Kiritimati HOME=/nonexistent \
		"FL_CACHE=$FL_CACHE" packaging/build "$@" "$TMPDIR/$elsewhere")
}

# same_bytes KIND...: compares the files of each kind, such as deb, in the folders of both builds
same_bytes()
{
	local kind file

	for kind; do
		for file in "$deb"/*."$kind"; do
			ends 0 cmp "$file" "$TMPDIR/$elsewhere/${file##*/}" || return
		done
	done
}

# no_complaints: checks that lintian has no error and no warning
no_complaints()
{
	ends 0 lintian --allow-root --fail-on error,warning "$deb"/*.changes && ! says '^[EW]:'
}

# has PACKAGE: prints the files in PACKAGE, with * for the architecture, and /lib as on Debian 12
has()
{
	dpkg-deb -c "$deb/$1"_*.deb | grep -v '^d' |
		sed -E "s/ (->|link to) .*//; s/.* \\.(.*)/\\1/; s,/$triplet/,/*/,; s,/freshlink-$version/,/freshlink-VERSION/,
			s,^/usr(/lib/(systemd|udev)/),\\1," | sort
}

# pages FOLDER SECTION: prints the installed names of the man pages
pages()
{
	(cd userspace/man && printf "/usr/share/man/man$1/%s.gz\n" ./*."$1" | sed 's,/\./,/,')
}

# expected PACKAGE: prints the files that PACKAGE should have
expected()
{
	{
		sed -n "s,^$1 ,,p" lab/tests/packages.list
		[ "$1" = freshlink-doc ] || echo "/usr/share/doc/$1/changelog.gz"
		case $1 in
		freshlink) pages 5; pages 8 ;;
		libfreshlink-dev) pages 3
			find include/uapi/linux -type f -printf '/usr/include/freshlink/linux/%f\n' ;;
		freshlink-doc) echo "/usr/share/doc/$1/changelog.gz"
			find Documentation README.md -type f -printf '/usr/share/doc/freshlink/%p\n' ;;
		freshlink-dkms) find include kmod sch_lpd tcp_cong_iftpv \
			\( -name '*.[ch]' ! -name '*_test.c' -o -name Kbuild \) -printf '/usr/src/freshlink-VERSION/%p\n' ;;
		esac
		echo "/usr/share/doc/$1/copyright"
	} | sort
}

has_its_files()
{
	diff <(expected "$1") <(has "$1") > "$TMPDIR/out"
}

# depends PACKAGE PATTERN: checks the dependencies of PACKAGE
depends()
{
	ends 0 dpkg-deb -f "$deb/$1"_*.deb Depends Recommends && says "$2"
}

# works_on_arm64: unpacks the packages in a machine, where the command runs and tc finds its plugin
# shellcheck disable=SC2016 # a line for another shell
works_on_arm64()
{
	userspace/cross arm64 > "$TMPDIR/out" 2>&1 &&
		ends 0 lab/vm/machine --arch arm64 -- bash -ec '
			for deb in build/deb-arm64/*.deb; do
				dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C /
			done
			unset TC_LIB_DIR IP_LIB_DIR
			PATH=/usr/sbin:/usr/bin
			freshlink --version
			insmod "$FL_MODULES/sch_lpd.ko"
			tc qdisc add dev lo root lpd limit 77
			tc qdisc show dev lo' &&
		says "^freshlink $version\$" && says '^qdisc lpd .* limit 77'
}

# for_arm64: tests of the packages for arm64, which are built on this machine
for_arm64()
{
	local deb=build/deb-arm64 triplet package

	triplet=$(triplet_of arm64)
	timed "packages: they build for arm64" ends 0 packaging/build --arch arm64
	timed "packages: lintian has no warning about arm64" no_complaints
	timed "packages: they build for arm64 elsewhere" builds_elsewhere --arch arm64
	result "packages: both builds for arm64 have the same bytes" same_bytes deb
	for package in freshlink libfreshlink0 libfreshlink-dccp0 libfreshlink-dev; do
		result "packages: $package has its files on arm64" has_its_files "$package"
	done
	result "packages: on arm64 freshlink needs its libraries" depends freshlink 'libc6 .*libgnutls30 .*libnl-3-200 '
	result "packages: on arm64 the command runs, and tc finds its plugin" works_on_arm64
}

# has_version: the packages, DKMS and pkg-config have the version in the header
has_version()
{
	local root=$TMPDIR/unpacked name

	mkdir -p "$root"
	for name in freshlink freshlink-dkms libfreshlink-dev; do
		dpkg-deb -x "$TMPDIR/deb/${name}_$version"_*.deb "$root" || return
	done
	{ "$root/usr/bin/freshlink" --version
	  sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$root/usr/src/freshlink-$version/dkms.conf"
	  sed -n 's/^Version: //p' "$root/usr/lib/$triplet/pkgconfig/"*.pc
	} > "$TMPDIR/versions"
	{ echo "freshlink $version"; printf '%s\n' "$version" "$version" "$version"; } |
		ends 0 diff - "$TMPDIR/versions"
}

# plain_packages: prints what the plain Debian has beside the essential packages: DKMS, the headers of
# the release's kernels, and what the packages depend on, because the test has no network
plain_packages()
{
	echo dkms openssl iproute2 libnl-genl-3-200 libnl-route-3-200 libnettle8 libgnutls28-dev \
		libncurses-dev "linux-headers-$(dpkg --print-architecture)"
	[ "$1" != bookworm ] || echo "linux-headers-6.12-$(dpkg --print-architecture)"
}

# plain DIR CODENAME: installs the plain Debian in DIR
plain()
{
	[ ! -d "$1" ] || return 0
	need_space "$FL_CACHE" 2500
	say "fetching a plain Debian $2 for the packages"
	rm -rf "$1.tmp"
	mkdir -p "${1%/*}"
	# shellcheck disable=SC2046 # words
	quietly "$1.log" debs_bootstrap "$1.tmp" "$2" $(plain_packages "$2") &&
		mv "$1.tmp" "$1"
}

# enter ROOT DIR TREE VERSION: runs the checks in a copy of ROOT. All changes are in a memory file system
enter()
{
	mkdir -p "$2/plain"
	mount -t tmpfs -o size=1g tmpfs "$2/plain"
	cd "$2/plain" || exit
	mkdir upper work root
	mount -t overlay -o "lowerdir=$1,upperdir=upper,workdir=work" overlay root
	mkdir root/mnt/deb root/mnt/tests
	mount --bind "$2/deb" root/mnt/deb
	mount --bind "$3/lab/tests" root/mnt/tests
	mount -t proc proc root/proc
	exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot root bash /mnt/tests/packages-there "$4"
}

# in_plain DIR: runs the checks in a copy of the plain Debian, without a network
in_plain()
{
	unshare -mnpf --kill-child bash -ec "$(declare -f enter); enter \"\$@\"" enter \
		"$1" "$TMPDIR" "$FL_TREE" "$version"
}

test_packages()
{
	local version triplet codename root package deb=$TMPDIR/deb

	[ "$(id -u)" = 0 ] || die "only root can install packages: run it with sudo"
	# shellcheck source=lab/debs.sh
	. lab/debs.sh
	need_commands dpkg-buildpackage dh dh_dkms lintian debootstrap
	version=$(sed -n 's/^#define FL_VERSION "\(.*\)"/\1/p' kmod/include/net/fl_version.h)
	triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
	timed "packages: they build" ends 0 packaging/build "$TMPDIR/deb"
	timed "packages: lintian has no warning" no_complaints
	timed "packages: they build in another folder, with another umask, locale and time zone" builds_elsewhere
	result "packages: both builds have the same bytes" same_bytes deb dsc tar.xz
	for package in freshlink freshlink-dkms freshlink-doc libfreshlink0 libfreshlink-dccp0 libfreshlink-dev; do
		result "packages: $package has its files" has_its_files "$package"
	done
	result "packages: the command, DKMS and pkg-config have the version of the header" has_version
	result "packages: freshlink recommends the modules" depends freshlink '^Recommends: freshlink-dkms$'
	result "packages: freshlink needs tc and ip" depends freshlink '^Depends: iproute2, '
	result "packages: the modules' package needs what DKMS signs them with" depends freshlink-dkms '^Depends: .*openssl'
	result "packages: libfreshlink-dccp0 needs libfreshlink0" \
		depends libfreshlink-dccp0 "libfreshlink0 \\(>= $version\\)"
	result "packages: libfreshlink-dev needs the libraries of the same version" \
		depends libfreshlink-dev "libfreshlink-dccp0 \\(= $version\\), libfreshlink0 \\(= $version\\)"
	for_arm64
	read -r _ codename < <(debian_release)
	root=$FL_CACHE/packages/$codename-$({ plain_packages "$codename"
		echo "$(date +%Y) $((($(date +%-m) - 1) / 3))"; } | sha256sum | cut -c1-12)
	timed "packages: a plain Debian" locked "packages-$codename" plain "$root" "$codename"
	keep_newest "$FL_CACHE/packages/$codename"-*
	timed "packages: the checks in the plain Debian" take_over packages in_plain "$root"
}
