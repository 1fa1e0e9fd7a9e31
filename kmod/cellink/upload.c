// SPDX-License-Identifier: GPL-2.0
/*
 * Uploads: traces of which the kernel has received only a part so far. A socket can have one
 * upload, a netns up to CELLINK_UPLOADS_MAX. An upload is deleted when its socket is closed, or
 * CELLINK_UPLOAD_MS after the last request for the upload.
 */

#include <linux/cellink.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include "upload.h"

static DEFINE_MUTEX(cell_uploads_mutex);	/* protects all uploads */
static LIST_HEAD(cell_uploads);			/* in order of their expiry */

/** cell_uploads_lock() - lock all uploads; may sleep; taken before RTNL */
void cell_uploads_lock(void)
{
	mutex_lock(&cell_uploads_mutex);
}

/** cell_uploads_unlock() - unlock all uploads */
void cell_uploads_unlock(void)
{
	mutex_unlock(&cell_uploads_mutex);
}

static void cell_uploads_expire(struct work_struct *work);
static DECLARE_DELAYED_WORK(cell_uploads_work, cell_uploads_expire);

/* Run the work when the first upload expires. */
static void cell_uploads_watch(void)
{
	const unsigned long now = jiffies;
	const struct cell_upload *first;

	first = list_first_entry_or_null(&cell_uploads, struct cell_upload,
					 list);
	if (first)
		schedule_delayed_work(&cell_uploads_work,
				      time_after(first->expires, now) ?
				      first->expires - now : 0);
}

static void cell_uploads_expire(struct work_struct *work)
{
	struct cell_upload *upload, *next;

	cell_uploads_lock();
	list_for_each_entry_safe(upload, next, &cell_uploads, list)
		if (time_after_eq(jiffies, upload->expires))
			cell_upload_forget(upload);
	cell_uploads_watch();
	cell_uploads_unlock();
}

static void cell_upload_touch(struct cell_upload *upload)
{
	upload->expires = jiffies + msecs_to_jiffies(CELLINK_UPLOAD_MS);
	list_move_tail(&upload->list, &cell_uploads);
}

/**
 * cell_upload_find() - find the upload of a socket
 * @net: netns of the socket
 * @portid: port id of the socket
 *
 * The caller holds cell_uploads_lock().
 *
 * Return: the upload, NULL if the socket has no upload
 */
struct cell_upload *cell_upload_find(const struct net *net, u32 portid)
{
	struct cell_upload *upload;

	list_for_each_entry(upload, &cell_uploads, list)
		if (upload->net == net && upload->portid == portid)
			return upload;
	return NULL;
}

static int cell_uploads_count(const struct net *net)
{
	struct cell_upload *upload;
	int count = 0;

	list_for_each_entry(upload, &cell_uploads, list)
		count += upload->net == net;
	return count;
}

#define CELL_UPLOAD_GFP (GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | \
			 __GFP_NOWARN)

static void cell_pages_free(struct page **pages, u32 count)
{
	while (count)
		__free_page(pages[--count]);
	kvfree(pages);
}

/* Return: the array of pages, NULL without memory */
static struct page **cell_pages_alloc(u32 count)
{
	struct page **pages = kvmalloc_array(count, sizeof(*pages),
					     CELL_UPLOAD_GFP);
	u32 i;

	if (!pages)
		return NULL;
	for (i = 0; i < count; i++) {
		pages[i] = alloc_page(CELL_UPLOAD_GFP);
		if (!pages[i]) {
			cell_pages_free(pages, i);
			return NULL;
		}
		cond_resched();
	}
	return pages;
}

/*
 * Allocate an array of times; vfree() frees it. If vmalloc() fails, kernels since 6.18 leave the
 * pages that it has got to a worker. Until the worker runs, the memory cgroup is full, and the
 * refused process would be killed for its next page. So this function allocates the pages.
 */
static u32 *cell_times_alloc(u32 count)
{
	const u32 n = DIV_ROUND_UP(count, PAGE_SIZE / sizeof(u32));
	struct page **pages = cell_pages_alloc(n);
	u32 *ms;

	if (!pages)
		return NULL;
	ms = vmap(pages, n, VM_MAP | VM_MAP_PUT_PAGES, PAGE_KERNEL);
	if (!ms)
		cell_pages_free(pages, n);
	return ms;
}

/**
 * cell_upload_alloc() - allocate an upload that has not begun
 * @count: number of entries that the trace will have, not 0
 *
 * The allocation of a large upload takes long, so the caller does not hold cell_uploads_lock(). If
 * there is not enough memory, the allocation fails without the OOM killer.
 *
 * Return: the upload, NULL without memory
 */
struct cell_upload *cell_upload_alloc(u32 count)
{
	struct cell_upload *upload;

	upload = kzalloc(sizeof(*upload), GFP_KERNEL_ACCOUNT);
	if (!upload)
		return NULL;
	upload->ms = cell_times_alloc(count);
	if (!upload->ms) {
		kfree(upload);
		return NULL;
	}
	INIT_LIST_HEAD(&upload->list);
	upload->count = count;
	return upload;
}

/**
 * cell_upload_start() - begin an upload
 * @upload: an upload that has not begun
 * @net: netns of the socket
 * @portid: port id of the socket; an earlier upload of this socket is deleted
 *
 * The caller holds cell_uploads_lock().
 *
 * Return: 0, or -EBUSY if the netns has CELLINK_UPLOADS_MAX uploads
 */
int cell_upload_start(struct cell_upload *upload, const struct net *net,
		      u32 portid)
{
	struct cell_upload *old = cell_upload_find(net, portid);

	if (!old && cell_uploads_count(net) >= CELLINK_UPLOADS_MAX)
		return -EBUSY;
	if (old)
		cell_upload_forget(old);
	upload->net = net;
	upload->portid = portid;
	cell_upload_touch(upload);
	cell_uploads_watch();
	return 0;
}

/**
 * cell_upload_add() - append to an upload
 * @upload: the upload
 * @ms: the next times in ms
 * @count: number of entries in @ms
 *
 * The caller holds cell_uploads_lock(). After an error, the upload is as before.
 *
 * Return: 0, -E2BIG if the upload would have more entries than announced, or -EINVAL if a time is
 * less than the previous time
 */
int cell_upload_add(struct cell_upload *upload, const u32 *ms, u32 count)
{
	u32 last = upload->filled ? upload->ms[upload->filled - 1] : 0;
	u32 i;

	if (count > upload->count - upload->filled)
		return -E2BIG;
	for (i = 0; i < count; i++) {
		if (ms[i] < last)
			return -EINVAL;
		last = ms[i];
	}
	memcpy(upload->ms + upload->filled, ms, count * sizeof(*ms));
	upload->filled += count;
	cell_upload_touch(upload);
	return 0;
}

/**
 * cell_upload_forget() - delete an upload
 * @upload: the upload; this function frees the upload and the array in its field @ms
 *
 * The caller holds cell_uploads_lock(), unless the upload has not begun.
 */
void cell_upload_forget(struct cell_upload *upload)
{
	list_del(&upload->list);
	vfree(upload->ms);
	kfree(upload);
}

/* Delete the upload of a socket that is closed. */
static int cell_uploads_event(struct notifier_block *nb, unsigned long event,
			      void *ptr)
{
	const struct netlink_notify *n = ptr;
	struct cell_upload *upload;

	if (event != NETLINK_URELEASE || n->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;
	/* without uploads, closing a socket of another family does not wait for the lock */
	if (list_empty_careful(&cell_uploads))
		return NOTIFY_DONE;
	cell_uploads_lock();
	upload = cell_upload_find(n->net, n->portid);
	if (upload)
		cell_upload_forget(upload);
	cell_uploads_unlock();
	return NOTIFY_DONE;
}

static struct notifier_block cell_uploads_notifier = {
	.notifier_call = cell_uploads_event,
};

/**
 * cell_uploads_init() - register for notification about closed sockets
 *
 * Return: 0 or an error
 */
int cell_uploads_init(void)
{
	return netlink_register_notifier(&cell_uploads_notifier);
}

/** cell_uploads_exit() - delete all uploads; the family is already unregistered */
void cell_uploads_exit(void)
{
	struct cell_upload *upload, *next;

	netlink_unregister_notifier(&cell_uploads_notifier);
	cell_uploads_lock();
	list_for_each_entry_safe(upload, next, &cell_uploads, list)
		cell_upload_forget(upload);
	cell_uploads_unlock();
	/* the work item finds no upload, so it does not schedule itself again */
	cancel_delayed_work_sync(&cell_uploads_work);
}
