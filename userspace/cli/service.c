// SPDX-License-Identifier: GPL-2.0-or-later
/* What a command needs to run as a service: see service.h. */
#include <grp.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "service.h"

#define NOBODY	65534	/* the kernel's default in kernel.overflowuid and kernel.overflowgid */

static bool become_nobody(void)
{
	return !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	       !setresuid(NOBODY, NOBODY, NOBODY);
}

/* A process that is not root may have capabilities from its service manager, and root may lack some
 * in a container.
 */
static bool drop_capabilities(uint32_t keep)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data))
		return false;
	keep &= data[0].permitted;
	memset(data, 0, sizeof(data));
	data[0].effective = data[0].permitted = keep;
	return !syscall(SYS_capset, &header, data);
}

bool service_drop_privileges(uint32_t keep)
{
	/* otherwise the change of the user would remove all capabilities */
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) ||
	    (!geteuid() && !become_nobody()))
		return false;
	return drop_capabilities(keep) && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

void service_notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (!len || len > sizeof(to.sun_path))
		return;
	memcpy(to.sun_path, path, len);
	if (to.sun_path[0] == '@')
		to.sun_path[0] = '\0';	/* an abstract name, see unix(7) */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, state, strlen(state), MSG_DONTWAIT, (struct sockaddr *)&to,
	       offsetof(struct sockaddr_un, sun_path) + len);
	close(fd);
}
