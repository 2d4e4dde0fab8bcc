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
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "file.h"
#include "gate.h"
#include "lock.h"
#include "msg.h"
#include "sys.h"
#include "watch.h"

#define READER_MS 50	/* a reader closes in that time, we guess */
#define ROUNDS	10	/* while somebody goes on replacing */
#define PAUSE_MS 10	/* who removes and makes again does both in that time */
#define PAUSED_MS 10000	/* at most, while somebody goes on removing */
#define ANSWER_MS 200	/* of the supervisor, or init */

/* What is known of a guard that has been restored. */
enum suspect { CLEAR, NEW, READER };

struct watcher {
	struct cover	*cover;
	struct places	*places;
	int		 inotify;	/* -1: not to be had, or not needed */
	int		 blind;		/* that has been said */
	int		 recheck_ms;	/* to the next look for signs; or -1 */
	long long	 until;		/* all inside are stopped; or 0 */
	const struct watched *watched;
	enum on_lost	 on_lost;
};

/* processes ------------------------------------------------------------- */

static DIR *
open_host_dir(int host, const char *path)
{
	int fd = openat(host, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd == -1 ? NULL : fdopendir(fd);

	if (dir == NULL)
		file_close(&fd);
	return dir;
}

static int
is_inside(const struct watcher *w, const char *pid)
{
	char path[NAME_MAX + 32];
	struct stat st;

	snprintf(path, sizeof(path), "proc/%s/ns/pid", pid);
	return fstatat(w->cover->host, path, &st, 0) == 0 &&
	    st.st_ino == w->watched->pidns;
}

/* signs ----------------------------------------------------------------- */

enum found { NOTHING, READING, WRITING };

/*
 * How was descriptor fd of process pid opened?  O_PATH can be reopened.  What
 * cannot be read has been closed meanwhile.
 */
static enum found
how_open(int host, const char *pid, const char *fd, unsigned long long cover)
{
	char path[NAME_MAX * 2 + 32], *buf, *flags, *mount;
	enum found how = NOTHING;
	size_t len;
	int info;

	snprintf(path, sizeof(path), "proc/%s/fdinfo/%s", pid, fd);
	if ((info = openat(host, path, O_RDONLY | O_CLOEXEC)) == -1)
		return NOTHING;
	if (file_slurp(info, 65536, &buf, &len) == 0) {
		flags = strstr(buf, "flags:");
		mount = strstr(buf, "mnt_id:");
		if (flags != NULL && (mount == NULL ||
		    strtoull(mount + 7, NULL, 10) != cover))
			how = (strtoul(flags + 6, NULL, 8) &
			    (O_ACCMODE | O_PATH)) == O_RDONLY ? READING :
			    WRITING;
		free(buf);
	}
	close(info);
	return how;
}

/* Does the process have it open, other than through the cover? */
static enum found
has_open(int host, const char *pid, const struct stat *want,
    unsigned long long cover)
{
	char path[NAME_MAX * 2 + 32];
	enum found found = NOTHING, how;
	struct dirent *d;
	struct stat st;
	DIR *dir;

	snprintf(path, sizeof(path), "proc/%s/cwd", pid);
	if (fstatat(host, path, &st, 0) == 0 && st.st_ino == want->st_ino &&
	    st.st_dev == want->st_dev)
		return WRITING;	/* a directory: its cover is too new */
	snprintf(path, sizeof(path), "proc/%s/fd", pid);
	if ((dir = open_host_dir(host, path)) == NULL)
		return NOTHING;
	while (found != WRITING && (d = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "proc/%s/fd/%s", pid, d->d_name);
		if (fstatat(host, path, &st, 0) == -1 ||
		    st.st_ino != want->st_ino || st.st_dev != want->st_dev)
			continue;
		how = how_open(host, pid, d->d_name, cover);
		if (S_ISDIR(st.st_mode) && how == READING)
			how = WRITING;	/* openat(2) needs no more */
		if (how > found)
			found = how;
	}
	closedir(dir);
	return found;
}

/* ADDRESS MODE OFFSET DEVICE INODE PATH, as proc(5) has it in maps */
static int
is_shared_map(char *line, ino_t ino)
{
	const char *word[5];
	int n = 0;

	while (n < 5 && (word[n] = strsep(&line, " ")) != NULL)
		n += *word[n] != '\0';
	return n == 5 && strlen(word[1]) == 4 && word[1][3] == 's' &&
	    strtoull(word[4], NULL, 10) == ino;
}

/* Does the process map the file shared? */
static enum found
has_mapped(int host, const char *pid, const struct stat *want)
{
	char path[NAME_MAX + 32], *buf, *line, *next;
	enum found found = NOTHING;
	size_t len;
	int fd;

	snprintf(path, sizeof(path), "proc/%s/maps", pid);
	if ((fd = openat(host, path, O_RDONLY | O_CLOEXEC)) == -1)
		return NOTHING;
	if (file_slurp(fd, 16 << 20, &buf, &len) == 0) {
		for (next = buf; (line = strsep(&next, "\n")) != NULL;)
			if (is_shared_map(line, want->st_ino))
				found = WRITING;
		free(buf);
	}
	close(fd);
	return found;
}

/* Who inside has it?  mapped: look for mappings, too. */
static enum found
look_inside(const struct watcher *w, const struct stat *st,
    unsigned long long cover, int mapped)
{
	const int host = w->cover->host;
	DIR *proc = open_host_dir(host, "proc");
	enum found found = NOTHING, how;
	const char *pid;

	if (proc == NULL)
		return NOTHING;
	while (found != WRITING && child_next(proc, &pid) != 0) {
		if (!is_inside(w, pid))
			continue;
		how = has_open(host, pid, st, cover);
		if (how == NOTHING && mapped)
			how = has_mapped(host, pid, st);
		if (how > found)
			found = how;
	}
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
 * In the moment without a cover, has somebody inside got at what stands
 * there now?  What says so, or NULL; *reading: only readers were seen.  A
 * write that was over by then leaves no sign, nor does a descriptor that
 * lies in a socket's queue.
 */
static const char *
sign(const struct watcher *w, const struct guard *g, int *reading)
{
	int under = cover_open_outside(w->cover, g->path);
	int top = cover_open(g->path), refused = 0;
	const char *what = NULL;
	enum found found;
	struct stat st;

	*reading = 0;
	if (top == -1 || under == -1 || fstat(under, &st) == -1 ||
	    (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		goto out;
	if (S_ISREG(st.st_mode))
		refused = lease_is_refused(g->path);
	found = look_inside(w, &st, sys_mount_id(top), refused);
	*reading = found == READING && !g->secret;
	if (found != NOTHING)
		what = "was opened inside before it was denied again";
	else if (g->denied && S_ISREG(st.st_mode) && st.st_nlink > 1)
		what = "has a second link";
out:
	file_close(&top);
	file_close(&under);
	return what;
}

/* giving way ------------------------------------------------------------ */

/*
 * Is the answer to a question, one byte, yes?  An old one may have come late.
 * At end of file init is ending, and all inside with it.
 */
static int
is_yes(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char c = GATE_NO;
	ssize_t n;

	poll(&p, 1, ANSWER_MS);
	while ((n = recv(fd, &c, 1, MSG_DONTWAIT)) == 1)
		;
	return n == 0 || c == GATE_YES;
}

/*
 * Is somebody outside at work in that directory?  In the sandbox's user
 * namespace we cannot see that (ptrace(2), access mode checking), but our
 * supervisor can.  A stopped one does not answer.
 */
static int
is_worked_in(const struct watched *w, const char *dir)
{
	write(w->ask, dir, strlen(dir) + 1);
	return is_yes(w->ask);
}

/* It looks when a signal comes.  All are blocked here, SIGPIPE, too. */
static void
tell_init(const struct watched *w, char word)
{
	if (write(w->gate, &word, 1) == 1)
		sys_pidfd_kill(w->init, SIGCHLD);
}

/* Have all inside stopped, and do they stay so?  A timer can wake who wants. */
static int
are_stopped(const struct watched *w)
{
	tell_init(w, GATE_PAUSE);
	return is_yes(w->gate);
}

/*
 * Whoever removes a denied name may be about to make it again, as editors and
 * git do, or to remove its directory, too: what we made there would be in the
 * way.  So all inside are stopped, who could make it, until it is there, or
 * nothing is left in which it could be; or else it is for us to make, and at
 * once where somebody inside is awake.
 */
static int
cover_or_give_way(struct watcher *w, size_t i)
{
	const struct watched *wd = w->watched;
	struct pollfd end = { .fd = wd->init, .events = POLLIN };
	int r;

	while ((r = cover_again(w->cover, i, 0)) == 1 &&
	    !sys_pidfd_over(end.fd)) {
		if (w->until == 0)
			w->until = sys_now_ms() + PAUSED_MS;
		else if (sys_now_ms() >= w->until ||
		    !is_worked_in(wd, w->cover->guard[i].root))
			break;
		if (!are_stopped(wd))
			break;
		poll(&end, 1, PAUSE_MS);
	}
	/* the run has ended: nobody inside can make it any more */
	return r == 1 && !sys_pidfd_over(end.fd) ?
	    cover_again(w->cover, i, 1) : r;
}

/* covering -------------------------------------------------------------- */

static int
say_lost(const struct guard *g, const char *what)
{
	errno = 0;
	msg_path(g->path, "was replaced or removed outside%s%s", what == NULL ?
	    "" : ", and ", what == NULL ? "" : what);
	return -1;
}

static int
have_inotify(struct watcher *w)
{
	if (w->inotify == -1)
		w->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	return w->inotify == -1 ? -1 : 0;
}

/*
 * An inode, by its descriptor: the working directory is /proc/self/fd outside.
 * A path would lead to the cover.
 */
static int
watch_inode(struct watcher *w, int fd, uint32_t mask)
{
	char name[16];

	snprintf(name, sizeof(name), "%d", fd);
	return have_inotify(w) == -1 ? -1 :
	    inotify_add_watch(w->inotify, name, mask | IN_MASK_ADD);
}

/*
 * What is moved away takes its cover or pin along, and no mount changes:
 * inotify(7) tells, of the inode itself, and of its directory where it is to
 * come back.  Where reading is denied there are no pins above.
 * Returns the length of the path that is there.
 */
static size_t
watch_path(struct watcher *w, const struct guard *g)
{
	uint32_t mask = IN_MOVE_SELF;
	char *path = strdup(g->path);
	size_t len = path == NULL ? 0 : strlen(path), there = 0;
	int fd, r = path == NULL ? -1 : 0;

	while (len > 0) {
		path[len] = '\0';
		if ((fd = cover_open_outside(w->cover, path)) != -1) {
			r |= watch_inode(w, fd, mask) == -1 ? -1 : 0;
			close(fd);
			if (there == 0)
				there = len;
			if (!g->secret)
				break;
			mask = IN_MOVE_SELF;
		} else
			mask |= IN_CREATE | IN_MOVED_TO;
		while (path[--len] != '/')
			;
	}
	free(path);
	if (r == -1 && !w->blind) {
		msg_path(g->path, "cannot be watched: if it is moved outside, "
		    "that is not noticed");
		w->blind = 1;
	}
	return there;
}

static int
say_not_again(const struct guard *g)
{
	msg_path(g->path, "is lost and cannot be denied again%s%s",
	    g->refused == NULL ? "" : ": ",
	    g->refused == NULL ? "" : g->refused);
	return -1;
}

/* -1: the run has to end; it has been said why. */
static int
restore(struct watcher *w, size_t i)
{
	struct guard *g = &w->cover->guard[i];
	const int ruled = g->denied || g->secret;
	size_t there = 0, before;

	if (g->final || (w->on_lost == LOST_END && ruled &&
	    g->type != GUARD_EMPTY))
		return say_lost(g, NULL);
	do {	/* what has come before it was watched is not missed */
		before = there;
		if (cover_or_give_way(w, i) == -1)
			return say_not_again(&w->cover->guard[i]);
		g = &w->cover->guard[i];	/* it may have moved */
		there = watch_path(w, g);
	} while (g->away && there != before);
	if (g->away || !ruled)
		return 0;
	g->join = g->denied;
	if (w->on_lost == LOST_REPORT)
		say_lost(g, "is denied again");
	else
		g->suspect = NEW;
	return 0;
}

/*
 * Once everything is covered, look for signs.  Who only reads, on the news
 * of a change, is done in a moment: such a one is looked at again.
 */
static int
look_for_signs(struct watcher *w, int again)
{
	const char *what;
	int reading;
	size_t i;

	w->recheck_ms = -1;
	for (i = 0; i < w->cover->n; i++) {
		struct guard *g = &w->cover->guard[i];

		if (g->suspect == READER && !again)
			w->recheck_ms = READER_MS;
		if (g->suspect == CLEAR || (g->suspect == READER && !again))
			continue;
		what = sign(w, g, &reading);
		if (what != NULL && (!reading || g->suspect == READER))
			return say_lost(g, what);
		g->suspect = what == NULL ? CLEAR : READER;
		if (what != NULL)
			w->recheck_ms = READER_MS;
	}
	return 0;
}

/* What is only shown may go. */
static int
matters(const struct guard *g)
{
	return g->denied || cover_hides(g) || g->type == GUARD_PIN;
}

/*
 * One look at the guards that can be made again, or at those that cannot: how
 * many were restored, or -1.
 */
static int
restore_round(struct watcher *w, int makeable)
{
	int restored = 0;
	size_t i;

	for (i = 0; i < w->cover->n; i++) {
		if ((w->cover->guard[i].refused == NULL) != makeable ||
		    cover_holds(w->cover, i) || !matters(&w->cover->guard[i]))
			continue;
		if (restore(w, i) == -1)
			return -1;
		restored += !w->cover->guard[i].away;
	}
	return restored;
}

/*
 * What is covered again may be another run's placeholder: then it is ours,
 * too.  That waits until all is covered, as it takes the mutex.
 */
static int
join_all(struct watcher *w)
{
	struct place *who;
	long holder;
	size_t i;
	int any = 0, r = 0;

	for (i = 0; i < w->cover->n; i++)
		any |= w->cover->guard[i].join;
	if (!any)
		return 0;
	if (places_lock(w->places, &who, &holder) == -1) {
		lock_say(who->path, holder);
		r = -1;
	}
	for (i = 0; i < w->cover->n && r == 0; i++) {
		struct guard *g = &w->cover->guard[i];

		if (g->join)
			record_join(w->cover->record, w->places, g->path,
			    w->cover->host);
		g->join = 0;
	}
	places_unlock(w->places);
	return r;
}

/*
 * What cannot be made again ends the run where it has been removed, as with a
 * worktree of git: then nothing else that goes with it is to be made again, in
 * the way of who removes it.  To make one again may bring back what another
 * one waits for.
 */
static int
restore_all(struct watcher *w)
{
	int round, restored = 1;

	if (restore_round(w, 0) == -1)
		return -1;
	for (round = 0; restored > 0 && round < ROUNDS; round++)
		restored = restore_round(w, 1);
	if (w->until != 0)
		tell_init(w->watched, GATE_RESUME);
	w->until = 0;
	return restored == -1 ? -1 : join_all(w);
}

static void
drain(int inotify)
{
	char buf[4096];

	while (read(inotify, buf, sizeof(buf)) > 0)
		;
}

static int
go_to_descriptors(const struct cover *c)
{
	int fd = openat(c->host, "proc/self/fd", O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC), r;

	r = fd == -1 ? -1 : fchdir(fd);
	file_close(&fd);
	return r;
}

int
watch(struct cover *c, struct places *places, const struct watched *watched,
    enum on_lost on_lost)
{
	struct watcher w = {
		.cover = c, .places = places, .inotify = -1,
		.watched = watched, .on_lost = on_lost
	};
	struct pollfd p[3] = {
		{ .fd = watched->mountinfo, .events = POLLPRI },
		{ .events = POLLIN },
		{ .fd = watched->init, .events = POLLIN }
	};
	size_t i;
	int n;

	if (go_to_descriptors(c) == -1) {
		msg_path("/proc/self/fd", "cannot be used to watch");
		return -1;
	}
	for (i = 0; i < c->n; i++)
		if (matters(&c->guard[i]) && (c->guard[i].root != NULL ||
		    c->guard[i].secret))
			watch_path(&w, &c->guard[i]);
	w.recheck_ms = -1;
	for (;;) {
		p[1].fd = w.inotify;
		p[1].revents = 0;
		n = poll(p, 3, w.recheck_ms);
		if (n == -1 && errno != EINTR)
			break;
		if (p[2].revents != 0)
			return 0;
		/* POLLERR: mounts have changed (fs/proc_namespace.c) */
		if (p[1].revents != 0)
			drain(w.inotify);
		if (restore_all(&w) == -1 || look_for_signs(&w, n == 0) == -1)
			return -1;
	}
	msg_path("mountinfo", "cannot be watched");
	return -1;
}
