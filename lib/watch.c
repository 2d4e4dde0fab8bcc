/* SPDX-License-Identifier: ISC */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "msg.h"
#include "sys.h"
#include "watch.h"

struct watcher {
	struct cover	*cover;
	int		 inotify;	/* -1: not to be had, or not needed */
	ino_t		 pidns;
	enum on_lost	 on_lost;
};

/* signs ----------------------------------------------------------------- */

/* The mount that descriptor fd of process pid was opened by, 0 if unknown. */
static unsigned long long
mount_of(int host, const char *pid, const char *fd)
{
	char path[NAME_MAX * 2 + 32], *buf, *p;
	unsigned long long id = 0;
	size_t len;
	int info;

	snprintf(path, sizeof(path), "proc/%s/fdinfo/%s", pid, fd);
	if ((info = openat(host, path, O_RDONLY | O_CLOEXEC)) == -1)
		return 0;
	if (file_slurp(info, 65536, &buf, &len) == 0) {
		if ((p = strstr(buf, "mnt_id:")) != NULL)
			id = strtoull(p + 7, NULL, 10);
		free(buf);
	}
	close(info);
	return id;
}

static DIR *
open_host_dir(int host, const char *path)
{
	int fd = openat(host, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd == -1 ? NULL : fdopendir(fd);

	if (dir == NULL)
		file_close(&fd);
	return dir;
}

/* Does the process have the file open, other than through the cover? */
static int
has_open(int host, const char *pid, const struct stat *want,
    unsigned long long cover_id)
{
	char path[NAME_MAX * 2 + 32];
	struct dirent *d;
	struct stat st;
	DIR *dir;
	int found = 0;

	snprintf(path, sizeof(path), "proc/%s/fd", pid);
	if ((dir = open_host_dir(host, path)) == NULL)
		return 0;
	while (!found && (d = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "proc/%s/fd/%s", pid, d->d_name);
		found = fstatat(host, path, &st, 0) == 0 &&
		    st.st_ino == want->st_ino && st.st_dev == want->st_dev &&
		    mount_of(host, pid, d->d_name) != cover_id;
	}
	closedir(dir);
	return found;
}

static int
is_inside(const struct watcher *w, const char *pid)
{
	char path[NAME_MAX + 32];
	struct stat st;

	snprintf(path, sizeof(path), "proc/%s/ns/pid", pid);
	return fstatat(w->cover->host, path, &st, 0) == 0 &&
	    st.st_ino == w->pidns;
}

static int
is_open_inside(const struct watcher *w, const struct stat *st,
    unsigned long long cover_id)
{
	DIR *proc = open_host_dir(w->cover->host, "proc");
	struct dirent *d;
	int found = 0;

	if (proc == NULL)
		return 0;
	while (!found && (d = readdir(proc)) != NULL)
		found = d->d_name[0] >= '1' && d->d_name[0] <= '9' &&
		    is_inside(w, d->d_name) &&
		    has_open(w->cover->host, d->d_name, st, cover_id);
	closedir(proc);
	return found;
}

/*
 * A read lease is refused while anybody has the file open for writing, or
 * mapped shared and writable (fs/locks.c, check_conflicting_open()).
 */
static int
lease_is_refused(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int refused;

	if (fd == -1)
		return 0;
	refused = fcntl(fd, F_SETLEASE, F_RDLCK) == -1 && errno == EAGAIN;
	if (!refused)
		fcntl(fd, F_SETLEASE, F_UNLCK);
	close(fd);
	return refused;
}

/*
 * In the moment without a cover, has somebody inside got at the file that
 * stands there now?  What says so, or NULL.  A write that was over by then
 * leaves no sign.
 */
static const char *
sign(const struct watcher *w, const struct guard *g, int fd)
{
	int top = cover_open(g->path);
	unsigned long long id;
	const char *what = NULL;
	struct stat st;

	if (top == -1 || fstat(fd, &st) == -1 || !S_ISREG(st.st_mode)) {
		file_close(&top);
		return NULL;
	}
	id = sys_mount_id(top);
	if (st.st_nlink > 1)
		what = "it has a second link";
	else if (is_open_inside(w, &st, id))
		what = "it was opened inside before";
	else if (lease_is_refused(g->path))
		what = "it is open for writing";
	file_close(&top);
	return what;
}

/* covering -------------------------------------------------------------- */

static int
say_lost(const struct guard *g, const char *what)
{
	errno = 0;
	msg_path(g->path, "was replaced or removed outside%s%s", what == NULL ?
	    "" : " and ", what == NULL ? "" : what);
	return -1;
}

/*
 * While a read-denied path is away nothing is mounted that could be lost:
 * only its directory tells when it comes back.
 */
static void
wait_for_return(struct watcher *w, const struct guard *g)
{
	char *dir = strdup(g->path), *slash;

	if (dir != NULL && (slash = strrchr(dir, '/')) != NULL) {
		slash[slash == dir] = '\0';
		if (w->inotify == -1)
			w->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
		if (w->inotify == -1 || inotify_add_watch(w->inotify, dir,
		    IN_CREATE | IN_MOVED_TO | IN_MOVE_SELF | IN_DELETE_SELF |
		    IN_MASK_ADD) == -1)
			msg_path(dir, "cannot be watched");
	}
	free(dir);
}

/* -1: the run has to end; it has been said why. */
static int
restore(struct watcher *w, struct guard *g)
{
	const int existing = g->type == GUARD_SELF || g->type == GUARD_LINK;
	const char *what = NULL;
	int fd, r = 0;

	if (w->on_lost == LOST_END && existing && g->denied)
		return say_lost(g, NULL);
	if (cover_again(w->cover, g, &fd) == -1) {
		if (errno == ENOENT) {
			g->away = 1;	/* with all that was around it */
			return 0;
		}
		msg_path(g->path, "has lost its cover and cannot be denied "
		    "again%s%s", g->refused == NULL ? "" : ": ",
		    g->refused == NULL ? "" : g->refused);
		return -1;
	}
	if (g->away)
		wait_for_return(w, g);
	else if (w->on_lost == LOST_REPORT)
		say_lost(g, "is denied again");
	else if (g->denied && (what = sign(w, g, fd)) != NULL)
		r = say_lost(g, what);
	file_close(&fd);
	return r;
}

static int
restore_all(struct watcher *w)
{
	size_t i;

	for (i = 0; i < w->cover->n; i++) {
		struct guard *g = &w->cover->guard[i];

		if (cover_holds(g))
			continue;
		/* what is only shown may go; what was away may be still */
		if (!g->denied && g->type != GUARD_HIDDEN &&
		    g->type != GUARD_MASKED)
			continue;
		if (g->away && access(g->path, F_OK) == -1)
			continue;
		if (restore(w, g) == -1)
			return -1;
	}
	return 0;
}

/*
 * A directory above a denied path that is moved takes the covers with it,
 * and no mount changes: inotify(7) tells of these.
 */
static void
watch_directories(struct watcher *w)
{
	const struct plan *p = w->cover->plan;
	size_t i;

	for (i = 0; i < p->nops; i++) {
		if (p->op[i].type != OP_PIN)
			continue;
		if (w->inotify == -1)
			w->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
		if (w->inotify == -1 || inotify_add_watch(w->inotify,
		    p->op[i].path, IN_MOVE_SELF | IN_MASK_ADD) == -1) {
			msg_path(p->op[i].path, "cannot be watched: if it is "
			    "moved outside, what is denied in it is not "
			    "denied again");
			return;
		}
	}
}

static void
drain(int inotify)
{
	char buf[4096];

	while (read(inotify, buf, sizeof(buf)) > 0)
		;
}

int
watch(struct cover *c, int mountinfo, int init, ino_t pidns,
    enum on_lost on_lost)
{
	struct watcher w = {
		.cover = c, .inotify = -1, .pidns = pidns, .on_lost = on_lost
	};
	struct pollfd p[3] = {
		{ .fd = mountinfo, .events = POLLPRI },
		{ .events = POLLIN },
		{ .fd = init, .events = POLLIN }
	};

	watch_directories(&w);
	for (;;) {
		p[1].fd = w.inotify;
		p[1].revents = 0;
		if (poll(p, 3, -1) == -1 && errno != EINTR)
			break;
		if (p[2].revents != 0)
			return 0;
		/* POLLERR: mounts have changed (fs/proc_namespace.c) */
		if (p[1].revents != 0)
			drain(w.inotify);
		if (restore_all(&w) == -1)
			return -1;
	}
	msg_path("mountinfo", "cannot be watched");
	return -1;
}
