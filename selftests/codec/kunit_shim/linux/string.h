/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CODEC_LINUX_STRING_H
#define CODEC_LINUX_STRING_H

#include <stdio.h>
#include <string.h>

#define strscpy(to, from, size) ((void)snprintf(to, size, "%s", from))

#endif /* CODEC_LINUX_STRING_H */
