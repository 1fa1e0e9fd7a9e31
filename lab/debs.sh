# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Downloads Debian's kernel packages without installing them. The functions keep their own state of
# apt in the cache, and use the mirror of the system's apt. The functions never change the state of
# the system's apt. A script sources lab/lib.sh before this file, and may set FL_ARCH, the Debian
# architecture of the kernels (amd64).

FL_ARCH=${FL_ARCH:-amd64}
# what folders in the cache have after their names
FL_OF_ARCH=-$FL_ARCH
[ "$FL_ARCH" != amd64 ] || FL_OF_ARCH=
FL_APT=$FL_CACHE/apt$FL_OF_ARCH

# debs_suites: prints the Debian suites that have packages of the three kernel series for this host
debs_suites()
{
	local release

	release=$(debian_release)
	case $release in
	"debian bookworm") echo "bookworm bookworm-backports trixie trixie-backports" ;;
	"debian trixie") echo "bookworm trixie trixie-backports" ;;
	*) die "this is $release: expected Debian 12 (bookworm) or 13 (trixie)" ;;
	esac
}

# debs_mirror main|security: prints the URI of the mirror in apt's configuration. Other archives may
# use the names of Debian's suites, so this function prefers a URI that contains "debian". If the
# mirror is wrong, apt's check of the signature fails.
debs_mirror()
{
	local suite='^(bookworm|trixie|stable|oldstable)$'

	[ "$1" = main ] || suite='^(bookworm|trixie|stable|oldstable)-security$'
	# shellcheck disable=SC2016 # apt's own variables
	apt-get indextargets --no-release-info 'Identifier: Packages' \
		--format '$(COMPONENT) $(RELEASE) $(REPO_URI)' |
		awk -v suite="$suite" '
			$1 == "main" && $2 ~ suite {
				if (!any) any = $3
				if (!named && $3 ~ /debian/) named = $3
			}
			END { print named ? named : any }'
}

# debs_main: prints the URI of the main mirror; ends the script if the URI or the keys are missing
debs_main()
{
	local main

	[ -r "$FL_KEYRING" ] || die "$FL_KEYRING is missing: install debian-archive-keyring"
	main=$(debs_mirror main)
	[ -n "$main" ] || die "apt's configuration names no Debian mirror: expected a bookworm or trixie suite in it"
	echo "$main"
}

debs_write_sources()
{
	local suite suites main security

	suites=$(debs_suites) || exit
	main=$(debs_main) || exit
	security=$(debs_mirror security)
	[ -n "$security" ] || say "apt's configuration names no security suite: continuing without it"
	for suite in $suites; do
		echo "deb [signed-by=$FL_KEYRING] $main $suite main"
		[ "${suite%-backports}" = "$suite" ] && [ -n "$security" ] &&
			echo "deb [signed-by=$FL_KEYRING] $security $suite-security main"
	done
	return 0
}

# debs_write_conf: prints apt's configuration. The configuration contains the system's settings for
# downloads, such as proxies, but not the system's hooks.
debs_write_conf()
{
	cat <<-EOF
	Dir::Etc::main "/dev/null";
	Dir::Etc::parts "/dev/null";
	Dir::Etc::preferences "/dev/null";
	Dir::Etc::preferencesparts "/dev/null";
	Dir::Etc::sourcelist "$FL_APT/sources.list";
	Dir::Etc::sourceparts "/dev/null";
	Dir::State "$FL_APT";
	Dir::State::status "$FL_APT/status";
	Dir::Cache "$FL_APT";
	APT::Architecture "amd64";
	APT::Architectures { "amd64"; "$FL_ARCH"; };
	APT::Sandbox::User "";
	EOF
	apt-config dump | grep '^Acquire::' |
		grep -vE '^Acquire::(IndexTargets|Languages|GzipIndexes|CompressionTypes)' || true
	echo 'Acquire::Languages "none"; Acquire::Retries "3";'
}

# debs_refresh: updates package lists that are older than a day. Without a network the old lists
# remain.
debs_refresh()
{
	local stamp=$FL_APT/stamp

	[ -z "$(find "$stamp" -mtime -1 2> /dev/null)" ] || return 0
	need_space "$FL_APT" 400
	mkdir -p "$FL_APT/lists/partial" "$FL_APT/archives/partial"
	: > "$FL_APT/status"
	debs_write_sources > "$FL_APT/sources.list"
	debs_write_conf > "$FL_APT/apt.conf"
	if quietly "$FL_APT/update.log" \
		env APT_CONFIG="$FL_APT/apt.conf" apt-get update -o APT::Update::Error-Mode=any; then
		touch "$stamp"
		return
	fi
	say "package lists could not be fetched: using the cached lists"
	# the next attempt is in ten minutes
	touch -d '1430 minutes ago' "$stamp"
}

debs_cache()
{
	APT_CONFIG=$FL_APT/apt.conf apt-cache "$@"
}

# debs_versions PATTERN: prints the fields of all packages whose names match and that the archive has
debs_versions()
{
	debs_cache pkgnames linux- | grep -E "$1" | APT_CONFIG=$FL_APT/apt.conf xargs -r apt-cache show
}

# debs_candidates SERIES: prints "version abi compiler" of every plain kernel. The archive may have the
# headers of a new kernel before its signed image; such a kernel is no candidate.
debs_candidates()
{
	local plain="${1//./\\.}\.[0-9.]+([+-][a-z0-9.]+)?-$FL_ARCH\$"

	debs_versions "^linux-(image|headers)-$plain" |
		awk '/^Package:/ { name = $2; abi = $2; gsub(/^linux-(image|headers)-|-[a-z0-9]+$/, "", abi) }
		     /^Version:/ { kernel = $2 " " abi
				   if (name ~ /^linux-image-/) images[kernel] }
		     /^Depends:/ && name ~ /^linux-headers-/ {
				   match($0, /gcc-[0-9]+/)
				   compilers[kernel] = substr($0, RSTART, RLENGTH) }
		     END { for (kernel in compilers)
				   if (kernel in images)
					   print kernel, compilers[kernel] }'
}

# debs_choose SERIES: prints the newest kernel that was built by the host's version of gcc. Without
# such a kernel, the function prints the newest kernel of the series.
debs_choose()
{
	local all gcc

	gcc=gcc-$(gcc -dumpversion)
	all=$(debs_candidates "$1" | sort -V)
	{ grep " $gcc\$" <<< "$all" || cat <<< "$all"; } | tail -n 1
}

# debs_resolve SERIES: prints "version abi compiler" of the series' newest kernel. If the package
# lists have no kernel of the series, the function prints the last result.
debs_resolve()
{
	locked apt debs_resolve_locked "$1"
}

debs_resolve_locked()
{
	local kept=$FL_CACHE/series$FL_OF_ARCH/$1 found

	debs_refresh
	if [ ! "$kept" -nt "$FL_APT/stamp" ]; then
		mkdir -p "$FL_CACHE/series$FL_OF_ARCH"
		found=$(debs_choose "$1" 2> /dev/null) || true
		[ -z "$found" ] || echo "$found" > "$kept"
		[ ! -e "$kept" ] || touch "$kept"
	fi
	cat "$kept" 2> /dev/null || die "no kernel $1 in the package lists and none cached: is there a network?"
}

# debs_download DIR PACKAGE[=VERSION]...: downloads and verifies packages, into DIR/debs
debs_download()
{
	local dir=$1

	shift
	mkdir -p "$dir/debs"
	(cd "$dir/debs" && APT_CONFIG=$FL_APT/apt.conf quietly ../download.log apt-get download "$@") || return
	rm "$dir/download.log"
}

# debs_extract DIR: unpacks the packages in DIR/debs into DIR, and removes them
debs_extract()
{
	local deb

	for deb in "$1"/debs/*.deb; do
		dpkg -x "$deb" "$1" || return
	done
	rm -r "$1/debs"
}

# debs_unpack DIR PACKAGE[=VERSION]...: downloads and verifies packages, and unpacks them into DIR
debs_unpack()
{
	debs_download "$@" && debs_extract "$1"
}

# debs_fill DIR CODENAME MIRROR SECURITY KEYRING PACKAGE...: see debs_bootstrap
debs_fill()
{
	local dir=$1 codename=$2 mirror=$3 security=$4 keyring=$5

	shift 5
	unset TMPDIR			# the new Debian has no such folder
	debootstrap --variant=minbase --keyring="$keyring" "$codename" "$dir" "$mirror"
	[ -z "$security" ] || echo "deb $security $codename-security main" >> "$dir/etc/apt/sources.list"
	apt-config dump | grep -E '^Acquire::(http|https)::' > "$dir/etc/apt/apt.conf.d/90downloads" || true
	chroot "$dir" apt-get update
	DEBIAN_FRONTEND=noninteractive chroot "$dir" apt-get install -y --no-install-recommends "$@"
	rm -rf "$dir"/var/cache/apt/archives/*.deb
}

# debs_bootstrap DIR CODENAME PACKAGE...: installs a release of Debian in DIR, with packages beside the
# essential ones. All processes of the installation end with it.
debs_bootstrap()
{
	local main proxy='' dir=$1 codename=$2

	shift 2
	main=$(debs_main) || return
	eval "$(apt-config shell proxy Acquire::http::Proxy)"
	unshare -mpf --kill-child --mount-proc env ${proxy:+"http_proxy=$proxy"} \
		bash -ec "$(declare -f debs_fill); debs_fill \"\$@\"" debs_fill \
		"$dir" "$codename" "$main" "$(debs_mirror security)" "$FL_KEYRING" "$@"
}
