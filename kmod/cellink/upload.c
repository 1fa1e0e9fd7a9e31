// SPDX-License-Identifier: GPL-2.0
/*
 * Traces that are on their way into the kernel: one a socket, some a namespace. One that its
 * socket leaves behind is forgotten with the socket, or after a while.
 */

#include <linux/cellink.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "upload.h"

static DEFINE_MUTEX(cell_uploads_mutex);	/* of all of this file */
static LIST_HEAD(cell_uploads);			/* in the order in which they expire */

/** cell_uploads_lock() - have the uploads stay as they are; may sleep, outside RTNL */
void cell_uploads_lock(void)
{
	mutex_lock(&cell_uploads_mutex);
}

/** cell_uploads_unlock() - let them go on */
void cell_uploads_unlock(void)
{
	mutex_unlock(&cell_uploads_mutex);
}

static void cell_uploads_expire(struct work_struct *work);
static DECLARE_DELAYED_WORK(cell_uploads_work, cell_uploads_expire);

/* Look again when the first of them expires. */
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
 * cell_upload_find() - the upload of a socket
 * @net: its namespace
 * @portid: its number there
 *
 * Locked.
 *
 * Return: the upload, NULL if there is none
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

/**
 * cell_upload_alloc() - make an upload that has not begun
 * @count: how many opportunities there will be, not 0
 *
 * Takes long for many of them, so without the lock. Where there is no room for them
 * nobody is to be killed to make some.
 *
 * Return: the upload, NULL without memory
 */
struct cell_upload *cell_upload_alloc(u32 count)
{
	struct cell_upload *upload;

	upload = kzalloc(sizeof(*upload), GFP_KERNEL_ACCOUNT);
	if (!upload)
		return NULL;
	upload->ms = kvmalloc_array(count, sizeof(*upload->ms),
				    GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL |
				    __GFP_NOWARN);
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
 * @upload: one that has not begun
 * @net: the namespace of its socket
 * @portid: the socket's number there; an upload it had is forgotten
 *
 * Locked.
 *
 * Return: 0, or -EBUSY if the namespace has as many as it may
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
 * cell_upload_add() - go on with an upload
 * @upload: the upload
 * @ms: the next opportunities
 * @count: how many
 *
 * Locked.
 *
 * Return: 0; or nothing is added: -E2BIG if there were more than was said, -EINVAL if one
 * is less than the one before
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
 * cell_upload_forget() - end an upload
 * @upload: the upload, freed with its opportunities unless they have been taken out
 *
 * Locked, unless it has not begun.
 */
void cell_upload_forget(struct cell_upload *upload)
{
	list_del(&upload->list);
	kvfree(upload->ms);
	kfree(upload);
}

/* A socket is closed. */
static int cell_uploads_event(struct notifier_block *nb, unsigned long event,
			      void *ptr)
{
	const struct netlink_notify *n = ptr;
	struct cell_upload *upload;

	if (event != NETLINK_URELEASE || n->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;
	/* its own would be there: others need not wait for a lock that is not about them */
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
 * cell_uploads_init() - see sockets close from now on
 *
 * Return: 0 or an error
 */
int cell_uploads_init(void)
{
	return netlink_register_notifier(&cell_uploads_notifier);
}

/** cell_uploads_exit() - forget all; no request comes any more */
void cell_uploads_exit(void)
{
	struct cell_upload *upload, *next;

	netlink_unregister_notifier(&cell_uploads_notifier);
	cell_uploads_lock();
	list_for_each_entry_safe(upload, next, &cell_uploads, list)
		cell_upload_forget(upload);
	cell_uploads_unlock();
	/* finds none, so it does not start itself again */
	cancel_delayed_work_sync(&cell_uploads_work);
}
