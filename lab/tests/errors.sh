# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest. If something is missing on a machine, a message names the missing thing
# and says what to do. The exit status then is not 0. A message also names each wrong reference in a
# page. The tests do not change this machine: they hide the missing things with namespaces and
# stubs.
# shellcheck disable=SC2016 # lines for other shells

# nobody COMMAND...: runs COMMAND as a user who is not root but may read the same files
nobody()
{
	unshare -U "$@"
}

# small MEGABYTES DIR COMMAND...: runs COMMAND while DIR is an empty file system of this many
# megabytes
small()
{
	mkdir -p "$2"
	apart 'mount -t tmpfs -o "size=$1m" tmpfs "$2"; shift 2; exec "$@"' "$@"
}

no_qemu()
{
	# The folder has links to all commands except QEMU.
	mkdir "$TMPDIR/bin"
	ln -s /usr/bin/* "$TMPDIR/bin"
	rm "$TMPDIR/bin/qemu-system-x86_64"
	result "no QEMU" refused 1 '^freshlink: qemu-system-x86_64 is missing: run lab/setup$' \
		env "PATH=$TMPDIR/bin:/usr/sbin" lab/vm/machine -- true
}

no_space()
{
	local cache=$TMPDIR/small
	# The shell line copies the kernel's version that lab/debs.sh has cached.
	local lists='mkdir "$FL_CACHE/apt"; : > "$FL_CACHE/apt/stamp"; cp -r "$0" "$FL_CACHE"; exec "$@"'

	result "no space for package lists" refused 1 "$cache/apt: [0-9]+ MB free, [0-9]+ MB needed" \
		small 100 "$cache" env "FL_CACHE=$cache" lab/vm/kernel 6.12
	result "no space for Debian's kernel" refused 1 "$cache: [0-9]+ MB free, 1500 MB needed" \
		small 100 "$cache" env "FL_CACHE=$cache" sh -ec "$lists" "$FL_CACHE/series" lab/vm/kernel 6.12
	result "no space for a lab kernel" refused 1 "$cache: [0-9]+ MB free, 4000 MB needed" \
		small 100 "$cache" env "FL_CACHE=$cache" sh -ec "$lists" "$FL_CACHE/series" lab/kernels/build 6.12 lab
	result "no space for modules" refused 1 "$FL_TREE/build: [0-9]+ MB free, [0-9]+ MB needed" \
		small 1 build kmod/build 6.12 stock
	for machine in lab/uml lab/vm/machine; do
		result "no space for $machine" refused 1 "$cache: [0-9]+ MB free, [0-9]+ MB needed" \
			small 50 "$cache" env "TMPDIR=$cache" "$machine" -- true
	done
	result "the small /dev/shm of a container is enough for lab/uml" refused 0 '^100000000$' \
		small 64 /dev/shm env -u TMPDIR lab/uml -- sh -c 'head -c 100000000 /dev/zero | tail -c 100000000 | wc -c'
}

no_network()
{
	result "no network, empty cache" refused 1 '^freshlink: no kernel 6.12 .*: is there a network\?$' \
		apart "exec env 'FL_CACHE=$TMPDIR/empty' lab/vm/kernel 6.12"
	result "no network, no package lists: the cached kernel runs" refused 0 'could not be fetched: using the cache' \
		apart "mount -t tmpfs tmpfs '$FL_CACHE/apt'; exec lab/uml -- true"
	mkdir -p "$TMPDIR/cache/series" "$TMPDIR/cache/stock/6.12.1+deb12"
	echo "6.12.999-1 6.12.999+deb12 gcc-12" > "$TMPDIR/cache/series/6.12"
	result "no network, newer kernel listed: the cached kernel is used" refused 0 "^$TMPDIR/cache/stock/6.12.1\+deb12\$" \
		apart "exec env 'FL_CACHE=$TMPDIR/cache' lab/vm/kernel 6.12"
	result "no network, newer kernel listed: a message names the cached kernel" \
		says 'the packages cannot be fetched: using 6.12.1\+deb12 from the cache'
}

# The archive has the headers of two kernels, but only one image.
half_a_kernel()
{
	# shellcheck disable=SC2016 # lines for another shell
	stub apt-cache 'case $1 in
		pkgnames) printf "linux-%s-amd64\n" headers-6.12.1 image-6.12.1 headers-6.12.2 ;;
		show) shift; printf "Package: %s\nVersion: 1\nDepends: gcc-12\n\n" "$@" ;;
		esac'
	result "a kernel without an image in the archive is not chosen" refused 0 '^1 6.12.1 gcc-12$' \
		stubbed bash -c '. lab/lib.sh; . lab/debs.sh; debs_choose 6.12'
	rm -r "$TMPDIR/stubs"
}

set_up()
{
	local install="apt-get install --no-install-recommends"

	stub dpkg-query 'case "$*" in *sparse | *rsync) exit 1 ;; esac; echo installed'
	stub apt-get 'exit 100'
	result "lab/setup without root prints the command that installs the missing packages" \
		refused 1 "As root: $install sparse rsync\$" stubbed nobody lab/setup
	result "lab/setup reports that packages cannot be fetched" \
		refused 1 'could not be installed: is there a network\?$' stubbed apart 'exec lab/setup'
	printf 'ID=debian\nVERSION_CODENAME=bullseye\n' > "$TMPDIR/os-release"
	result "lab/setup on another release" refused 1 'this is debian bullseye .*: expected Debian 12 \(bookworm\) or 13 \(trixie\)' \
		apart "mount --bind '$TMPDIR/os-release' /etc/os-release; exec lab/setup"
	rm -r "$TMPDIR/stubs"
}

# A single message names the missing compiler and the packages that pkg-config does not find.
no_tools()
{
	local missing="libnl-3-dev libnl-genl-3-dev libnl-route-3-dev nettle-dev libgnutls28-dev libncurses-dev"

	stub pkg-config exit\ 1
	result "make tools without libraries prints the command that installs them" \
		refused 2 "as root: apt-get install --no-install-recommends $missing\$" stubbed make -s tools
	result "make tools without compiler and libraries names both" \
		refused 2 "lacks: gcc libc6-dev $missing\$" stubbed env CC=none make -s tools
	rm -r "$TMPDIR/stubs"
	result "CC may have several words" ends 0 env "CC=env cc" userspace/needs
}

no_root()
{
	result "the tests without root" refused 4 '^run.sh: the tests need root' nobody selftests/run.sh smoke
	result "kmod/install without root" refused 1 'only root can install .*: run it with sudo, or set DESTDIR' \
		nobody env -u DESTDIR kmod/install
	result "MACHINE=host without root" refused 1 'MACHINE=host: only root can load modules' \
		nobody env FL_HOST_LOAD=1 lab/test smoke 6.12 host
}

unasked_for()
{
	result "make test MACHINE=host without FL_HOST_LOAD" refused 2 'set FL_HOST_LOAD=1 if you want that' \
		env -u FL_HOST_LOAD make -s test SUITE=smoke MACHINE=host
	mkdir -p build/demo
	touch build/demo/earlier
	result "make demo MACHINE=host without FL_HOST_LOAD" refused 2 'set FL_HOST_LOAD=1 if you want that' \
		env -u FL_HOST_LOAD make -s demo MACHINE=host
	result "a demo that is refused keeps earlier results" rm build/demo/earlier
	result "an unsupported kernel" refused 2 "kernel '5.4': expected one of 6.1 6.12 7.2" make -s test KERNEL=5.4
	result "an unknown machine" refused 2 "MACHINE='toaster': expected vm, arm64, s390x, lab, " make -s test MACHINE=toaster
	result "an unknown architecture" refused 1 "'mips': expected arm64 or s390x" lab/vm/machine --arch mips -- true
	result "our debug kernel on another architecture" refused 1 'expected only one of --arch and --debug' \
		lab/vm/machine --debug --arch arm64 -- true
	result "cross-built tools for an unknown architecture" refused 1 "'mips': expected arm64 or s390x" userspace/cross mips
	result "an unknown suite" refused 2 "suite 'none': expected " lab/uml --seed 1 -- selftests/run.sh none
}

# The command "make install" installs nothing in a tree where nothing has been built.
nothing_built()
{
	mkdir -p "$TMPDIR/tree"
	cp -r Makefile kmod userspace lab include "$TMPDIR/tree"
	result "make install before make tools names make tools" refused 2 'run "make tools" first$' \
		make -s -C "$TMPDIR/tree" install "DESTDIR=$TMPDIR/none"
	result "make install before make tools installs nothing" [ ! -e "$TMPDIR/none" ]
}

# The script kmod/install keeps the installed files if the kernel has no headers.
no_headers()
{
	stub uname 'echo 0.0.0-none'
	mkdir -p "$TMPDIR/root/lib/modules/0.0.0-none/updates/freshlink"
	result "kmod/install without the kernel's headers" refused 1 'headers there \(package linux-headers-0.0.0-none\)$' \
		stubbed env "DESTDIR=$TMPDIR/root" kmod/install
	result "kmod/install without the kernel's headers removes nothing" \
		[ -d "$TMPDIR/root/lib/modules/0.0.0-none/updates/freshlink" ]
	rm -r "$TMPDIR/stubs"
}

# With the headers of an unsupported old kernel, the compiler's message names the oldest supported
# kernel.
old_kernel()
{
	local dir=$TMPDIR/old/linux

	mkdir -p "$dir"
	printf '#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + (c))\n%s\n' \
		'#define LINUX_VERSION_CODE KERNEL_VERSION(6, 0, 255)' > "$dir/version.h"
	echo '#include <linux/version.h>' > "$TMPDIR/old/module.c"
	result "an older kernel's headers" refused 1 'error "Freshlink needs Linux 6.1 or newer"$' \
		gcc -fsyntax-only -I kmod/compat -I "$TMPDIR/old" "$TMPDIR/old/module.c"
}

# The page contains a wrong reference of each kind. None of the wrong names may occur in this file
# as a whole word.
wrong_references()
{
	local name=nowhere page=$TMPDIR/page.rst wrong

	wrong=("sch_lpd/$name.c" "$name.h" "lpd_$name" "lpd:lpd_$name" "TCA_LPD_${name^^}" "make $name"
		"freshlink $name" "sch_lpd/qdisc.c: xlo_stamp()" "freshlink-$name(8)" "$name.rst" "lab.rst, \"$name\""
		"lpd/lpd_$name")
	printf '``%s``\n' "${wrong[@]:0:7}" > "$page"
	echo '``sch_lpd/qdisc.c``: ``xlo_stamp()``' >> "$page"
	printf '%s\n' "${wrong[@]:8}" "[link](README.$name)" >> "$page"
	wrong+=("README.$name")
	result "a page with wrong references" refused 1 '' lab/references "$page"
	for wrong in "${wrong[@]}"; do
		result "it names $wrong" grep -qF "page.rst: $wrong: not in the tree" "$TMPDIR/out"
	done
	result "and nothing else" [ "$(wc -l < "$TMPDIR/out")" = 13 ]
	result "lab/lint finds them, too" refused 1 "lpd_$name: not in the tree" \
		apart "mount --bind '$page' Documentation/lab.rst; exec lab/lint pages"
}

# in_chroot DIR COMMAND...: runs COMMAND in a chroot in DIR. DIR is no mount point, and has the same
# folders as /.
in_chroot()
{
	apart 'for dir in /*; do
			if [ -L "$dir" ]; then
				cp -P "$dir" "$1$dir"
			elif [ -d "$dir" ]; then
				mkdir -p "$1$dir"
				mount --rbind "$dir" "$1$dir"
			fi
		done
		exec chroot "$@"' "$@"
}

no_namespaces()
{
	mkdir "$TMPDIR/chroot"
	result "lab/selftest in a chroot says that namespaces are missing" \
		refused 1 'unshare: .*' in_chroot "$TMPDIR/chroot" "$FL_TREE/lab/selftest" modules
	result "lab/selftest in a chroot says what to do" \
		says '^freshlink: this may be a chroot, .*: enter it with systemd-nspawn'
	result "lab/selftest in a chroot tests nothing" [ "$(wc -l < "$TMPDIR/out")" = 2 ]
}

test_errors()
{
	# The first command fills the cache if the cache is empty.
	result "Debian's kernel can be fetched" ends 0 lab/vm/kernel 6.12
	no_qemu
	no_space
	no_network
	half_a_kernel
	set_up
	no_tools
	no_root
	unasked_for
	nothing_built
	no_headers
	old_kernel
	wrong_references
	no_namespaces
}
