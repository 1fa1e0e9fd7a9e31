# SPDX-License-Identifier: GPL-2.0-or-later
# Stands in for OpenWrt's package.mk: builds, and installs into $(OUT)/root.
.DEFAULT_GOAL := installed

define BuildPackage
installed: built
	$(call Package/$(1)/install,$(OUT)/root)
	install -D -m 644 -t $(OUT)/root/lib/modules $$(modules)
endef

.PHONY: installed built
built:
	$(Build/Prepare)
	$(Build/Compile)
