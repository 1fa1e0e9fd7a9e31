/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations that the files of libfreshlink share. */
#ifndef FRESHLINK_INTERNAL_H
#define FRESHLINK_INTERNAL_H

#include <errno.h>
#include <net/xlo.h>
#include <stdint.h>

#include "freshlink.h"

#define NSEC_PER_SEC	INT64_C(1000000000)
#define NSEC_PER_MSEC	INT64_C(1000000)

static inline int fail(int err)
{
	errno = err;
	return -1;
}

/**
 * freshlink_write_option() - write the option in the form that the kernel accepts
 * @buf: space for XLO_IPV6_HBH_LEN bytes
 * @family: AF_INET or AF_INET6
 * @lifetime: the content of the option
 *
 * Return: the option's size in bytes, or -1 with errno EAFNOSUPPORT or EINVAL
 */
int freshlink_write_option(unsigned char *buf, int family,
			   const struct freshlink_lifetime *lifetime);

#endif
