# SPDX-License-Identifier: GPL-2.0-or-later
# Stands in for OpenWrt's rules.mk. The caller sets KERNEL, with the headers of a kernel, MUSL, the
# directory of lab/musl, and OUT.
PKG_BUILD_DIR := $(OUT)/build
INCLUDE_DIR := $(TOPDIR)
CP := cp -fpR
INSTALL_DIR := install -d -m 755
INSTALL_BIN := install -m 755
INSTALL_DATA := install -m 644
TARGET_CC := $(MUSL)/cc
TARGET_AR := aarch64-linux-gnu-ar
TARGET_CFLAGS := -Os -pipe -Werror
export PKG_CONFIG := $(MUSL)/pkg-config
KERNEL_MAKE = $(MAKE) -C $(KERNEL)/build $(shell cat $(KERNEL)/make.flags) KCFLAGS="-Os -Werror"
