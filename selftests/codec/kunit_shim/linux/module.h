/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Module parameters in user space are environment variables of the same name.
 */
#ifndef CODEC_LINUX_MODULE_H
#define CODEC_LINUX_MODULE_H

#include <stdlib.h>

#define module_param(name, type, mode)					\
	static void __attribute__((constructor)) name##_from_env(void)	\
	{								\
		const char *value = getenv(#name);			\
									\
		if (value)						\
			name = (type)strtoul(value, NULL, 0);		\
	}								\
	extern int module_param_end

#define MODULE_PARM_DESC(name, text)	extern int module_param_end
#define MODULE_AUTHOR(text)		extern int module_param_end
#define MODULE_DESCRIPTION(text)	extern int module_param_end
#define MODULE_LICENSE(text)		extern int module_param_end

#endif /* CODEC_LINUX_MODULE_H */
