/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an installation lacks, in words, with the command that provides it on this system.
 *
 * advice.c only computes. look.c looks at the running system.
 */
#ifndef FRESHLINK_ADVICE_H
#define FRESHLINK_ADVICE_H

#include <stdbool.h>

#define ADVICE_RELEASE	65	/* bytes of the name of a kernel's release */

/**
 * struct advice_system - what is known about the running system
 * @release: the kernel's release, as in "uname -r"
 * @is_root: the user is root
 * @is_inner: the process is in a user namespace below the first, as in some containers
 * @has_packages: the Debian package freshlink is installed
 * @has_dkms: the Debian package freshlink-dkms is installed
 * @has_headers: the headers of the running kernel are installed
 * @signed_only: the kernel loads only modules with a signature of a key that it knows
 */
struct advice_system {
	char release[ADVICE_RELEASE];
	bool is_root;
	bool is_inner;
	bool has_packages;
	bool has_dkms;
	bool has_headers;
	bool signed_only;
};

/**
 * enum advice_file - where a module's file is, for the running kernel
 * @ADVICE_FILE_UNKNOWN: the list of the kernel's modules cannot be seen, or the module is not ours
 * @ADVICE_FILE_LISTED: modprobe knows the file
 * @ADVICE_FILE_UNLISTED: the file is installed, but modprobe does not know it
 * @ADVICE_FILE_MISSING: there is no file
 */
enum advice_file {
	ADVICE_FILE_UNKNOWN,
	ADVICE_FILE_LISTED,
	ADVICE_FILE_UNLISTED,
	ADVICE_FILE_MISSING,
};

/**
 * struct advice - something that is missing
 * @cause: what is missing
 * @command: what to type, or other advice
 */
struct advice {
	char cause[192];
	char command[192];
};

/**
 * advise_module - say how to get a module that is not loaded
 * @system: the running system
 * @module: name of the module
 * @file: where the module's file is
 *
 * Return: the words
 */
struct advice advise_module(const struct advice_system *system, const char *module,
			    enum advice_file file);

/**
 * advise_plugin - say how to get tc's plugin for lpd
 * @system: the running system
 *
 * Return: the words
 */
struct advice advise_plugin(const struct advice_system *system);

/**
 * advise_right - say who has a capability that the process lacks
 * @system: the running system
 *
 * Return: words that follow the name of the capability
 */
const char *advise_right(const struct advice_system *system);

#endif
