/* SPDX-License-Identifier: GPL-2.0 */
/* Traces that are on their way into the kernel. */
#ifndef _CELLINK_UPLOAD_H
#define _CELLINK_UPLOAD_H

#include <linux/list.h>
#include <linux/types.h>

struct net;

/**
 * struct cell_upload - a trace of which a part is here
 * @list: among all of them
 * @net: the namespace of its socket, which keeps it
 * @portid: the socket's number there
 * @expires: when it is forgotten, in jiffies
 * @ms: the opportunities
 * @count: how many there will be, not 0
 * @filled: how many there are
 */
struct cell_upload {
	struct list_head list;
	const struct net *net;
	u32 portid;
	unsigned long expires;
	u32 *ms;
	u32 count;
	u32 filled;
};

int cell_uploads_init(void);
void cell_uploads_exit(void);
void cell_uploads_lock(void);
void cell_uploads_unlock(void);

struct cell_upload *cell_upload_alloc(u32 count);
int cell_upload_start(struct cell_upload *upload, const struct net *net,
		      u32 portid);
struct cell_upload *cell_upload_find(const struct net *net, u32 portid);
int cell_upload_add(struct cell_upload *upload, const u32 *ms, u32 count);
void cell_upload_forget(struct cell_upload *upload);

#endif /* _CELLINK_UPLOAD_H */
