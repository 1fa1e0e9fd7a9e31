/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CODEC_LINUX_TIME64_H
#define CODEC_LINUX_TIME64_H

#define USEC_PER_MSEC	1000L
#define USEC_PER_SEC	1000000L

#endif /* CODEC_LINUX_TIME64_H */
