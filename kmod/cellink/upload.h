/* SPDX-License-Identifier: GPL-2.0 */
/* Uploads: traces of which the kernel has received only a part so far. */
#ifndef _CELLINK_UPLOAD_H
#define _CELLINK_UPLOAD_H

#include <linux/list.h>
#include <linux/types.h>

struct net;

/**
 * struct cell_upload - an upload of a trace
 * @list: entry in the list of all uploads
 * @net: netns of the socket; the socket holds a reference to it
 * @portid: port id of the socket in @net
 * @expires: time at which the upload is deleted, in jiffies
 * @ms: the times of the trace in ms
 * @count: number of entries that the complete trace will have, not 0
 * @filled: number of entries so far
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
