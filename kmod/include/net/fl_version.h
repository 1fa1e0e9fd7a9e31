/* SPDX-License-Identifier: GPL-2.0 */
/* The version of modules, tools and library. See "Versions" in the README. */
#ifndef _NET_FL_VERSION_H
#define _NET_FL_VERSION_H

#define FL_VERSION "0.1.0"

#endif /* _NET_FL_VERSION_H */
