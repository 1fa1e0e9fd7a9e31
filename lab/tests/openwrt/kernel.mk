# SPDX-License-Identifier: GPL-2.0-or-later
# Stands in for OpenWrt's kernel.mk: installs the modules of a package.
define KernelPackage
$(call KernelPackage/$(1))
modules := $$(FILES)
endef
