# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of lab/selftest. The directory "selftests" works as a target in a kernel tree. The kernel's
# own make installs the directory, and the kernel's own run_kselftest.sh reports passed, failed and
# skipped tests.
# shellcheck disable=SC2016 # lines for other shells

# plant DIR: copies a kernel's tools/testing/selftests to DIR, and adds the project's selftests
plant()
{
	local kernel

	kernel=$(lab/kselftest 6.12) || return
	cp -r "$kernel" "$1"
	# The kernel has a target of this name. The directory of this target must not disturb the
	# project's tests.
	mkdir "$1/tools/testing/selftests/kmod"
	# The option -L copies files instead of links, because links to the headers would not
	# resolve.
	cp -rL selftests "$1/tools/testing/selftests/freshlink"
}

# kselftest TARGET [ARGUMENT]...: runs the kernel's make for the project's target only
kselftest()
{
	make -s -C "$TMPDIR/kernel/tools/testing/selftests" TARGETS=freshlink "$@"
}

# runner COMMAND...: runs COMMAND in a machine, and then the installed run_kselftest.sh in the same
# environment. The variable RUN contains arguments for run.sh.
runner()
{
	lab/uml --seed 1 -- env "KSELFTEST_RUN_SH_ARGS=$RUN" "INSTALLED=$TMPDIR/installed" \
		bash -c "$1"'; "$INSTALLED/run_kselftest.sh"'
}

# lists_lpd_and_tdc_alone DIR: checks that the list has tests of lpd and tdc, but not of codec and
# cli. The suites codec and cli test programs that only the project's tree builds.
lists_lpd_and_tdc_alone()
{
	ends 0 "$1/run.sh" -l all && says '^lpd/' && says '^tdc/' && ! says '^(codec|cli)/'
}

test_kselftest()
{
	local name="selftests: freshlink: run.sh" RUN

	result "kselftest: the folder is copied into a kernel tree" ends 0 plant "$TMPDIR/kernel"
	result "kselftest: in a kernel tree only the tests of kernel code are listed" \
		lists_lpd_and_tdc_alone "$TMPDIR/kernel/tools/testing/selftests/freshlink"
	result "kselftest: the kernel's make installs the folder" ends 0 kselftest install "KSFT_INSTALL_PATH=$TMPDIR/installed"
	RUN="-t tdc/traffic -t lpd_rewrite tdc lpd"
	result "kselftest: run_kselftest.sh reports passed tests as ok" refused 0 "^ok 1 $name\$" runner :
	RUN="-t lpd_deliberate lpd"
	result "kselftest: run_kselftest.sh reports a failed test as not ok" refused 0 "^not ok 1 $name # exit=1\$" \
		runner 'echo "print(\"not ok 1 - deliberate\"); raise SystemExit(1)" > "$INSTALLED/freshlink/net/lpd_deliberate.py"'
	RUN="-t lpd_rewrite -t xlo_config -t tdc/traffic lpd xlo tdc"
	result "kselftest: without the module the tests skip" refused 0 "^ok 1 $name # SKIP\$" \
		runner 'unset FL_MODULES FL_EXPECT_ALL'
	result "kselftest: the skipped tests name the missing module" \
		says 'SKIP sch_lpd is not installed, and FL_MODULES does not'
	RUN="-t tdc/traffic -t lpd_rewrite tdc lpd"
	result "kselftest: with an installed module, but without tc's plugin, only tdc skips" \
		refused 0 "^# [1-9][0-9]* passed, 0 failed, [1-9][0-9]* skipped" \
		runner 'cp "$FL_MODULES"/{sch_lpd,xlo_rto}.ko "/lib/modules/$(uname -r)"; depmod; unset FL_MODULES FL_EXPECT_ALL TC_LIB_DIR IP_LIB_DIR'
	result "kselftest: tdc names the missing plugin" says 'SKIP tc has no plugin for lpd'
}
