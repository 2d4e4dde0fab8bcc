/* SPDX-License-Identifier: ISC */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "file.h"
#include "msg.h"
#include "sys.h"
#include "trail.h"
#include "wipe.h"

#define DEPTH_MAX	64	/* directories open at a time */
#define TRIES		16	/* for one that is filled again meanwhile */
#define SAID_MAX	20	/* messages about what stays */
#define HELP_FILES	64	/* immutable: worth a process that helps */

#define BELOW	(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV)

struct wipe {
	int		 top;
	int		 sealed;	/* the last file was immutable */
	unsigned	 cleared;	/* files that were */
	pid_t		 helper;	/* 0: none yet, -1: none to be had */
	unsigned	 moved;		/* directories moved up to the top */
	unsigned	 left;		/* entries that stay */
};

static int empty(struct wipe *, int, const struct trail *, int);

int
flag_set(int fd)
{
	unsigned flags;

	if (sys_get_flags(fd, &flags) == -1)
		return -1;
	flags |= FS_IMMUTABLE_FL;
	return sys_set_flags(fd, flags);
}

int
flag_clear(int fd)
{
	unsigned flags;

	if (sys_get_flags(fd, &flags) == -1)
		return -1;
	if ((flags & (FS_IMMUTABLE_FL | FS_APPEND_FL)) == 0)
		return 0;
	flags &= ~(unsigned)(FS_IMMUTABLE_FL | FS_APPEND_FL);
	return sys_set_flags(fd, flags);
}

/*
 * A directory of mode 0000 cannot be opened by its owner to be changed, but
 * by O_PATH, and then has a name in /proc that no rename leads elsewhere.
 */
static void
chmod_closed(int dirfd, const char *name)
{
	int fd = sys_openat2(dirfd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW,
	    BELOW);
	char path[64];

	if (fd == -1)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	chmod(path, 0700);
	close(fd);
}

int
wipe_open(int dirfd, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
	int fd = sys_openat2(dirfd, name, flags, BELOW);

	if (fd == -1 && errno == EACCES) {
		chmod_closed(dirfd, name);
		fd = sys_openat2(dirfd, name, flags, BELOW);
	}
	return fd;
}

/* Let things be removed from this directory, as far as we may. */
static void
open_up(int fd)
{
	struct stat st;
	int saved = errno;

	flag_clear(fd);
	if (fstat(fd, &st) == 0 && (st.st_mode & 0700) != 0700)
		fchmod(fd, 0700);
	errno = saved;
}

/*
 * The flags of the file name.  Not of one with other names: those may lie
 * outside, and an immutable file never gets any (link(2), EPERM).  -1 if it is
 * a mount point, with errno, which stays otherwise.
 */
static int
clear_file(int dirfd, const char *name)
{
	int saved = errno, fd = sys_openat2(dirfd, name, O_RDONLY |
	    O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, BELOW);
	struct stat st;

	if (fd == -1 && errno == EXDEV)
		return -1;
	if (fd != -1 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_nlink == 1)
		flag_clear(fd);
	file_close(&fd);
	errno = saved;
	return 0;
}

/*
 * Clear the flags below fd, as far as that goes.  Nothing depends on it: what
 * it leaves, or what is made meanwhile, unlink_file() and open_up() clear.
 */
static void
clear_below(int fd, int depth)
{
	struct dirent *d;
	DIR *dir;
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), sub;

	if (own == -1 || (dir = fdopendir(own)) == NULL) {
		file_close(&own);
		return;
	}
	flag_clear(own);
	while ((d = readdir(dir)) != NULL) {
		if (d->d_type == DT_REG)
			clear_file(own, d->d_name);
		if (d->d_type != DT_DIR || dir_is_dot(d->d_name) ||
		    depth == DEPTH_MAX || (sub = sys_openat2(own, d->d_name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW, BELOW)) == -1)
			continue;
		clear_below(sub, depth + 1);
		close(sub);
	}
	closedir(dir);
}

/*
 * A process that goes ahead and clears flags, which takes half as long as to
 * remove the files: with a second processor it costs no time.
 */
static void
start_helper(struct wipe *w)
{
	pid_t self = getpid();

	if ((w->helper = fork()) != 0)
		return;
	child_end_with(self);
	clear_below(w->top, 0);
	_exit(0);
}

static void
end_helper(struct wipe *w)
{
	if (w->helper <= 0)
		return;
	kill(w->helper, SIGKILL);
	waitpid(w->helper, NULL, 0);
}

static int
is_refusal(int error)
{
	return error == EPERM || error == EACCES;
}

/* unlinkat(2); what is gone already is removed. */
static int
unlink_one(int dirfd, const char *name, int flags)
{
	return unlinkat(dirfd, name, flags) == 0 || errno == ENOENT ? 0 : -1;
}

/*
 * Anything but a directory.  Where one file is immutable the next mostly is
 * as well, and is not tried in vain, unless the helper has been there.
 */
static int
unlink_file(struct wipe *w, int dirfd, const char *name, int type)
{
	int tries;

	w->sealed = w->sealed && type == DT_REG && w->helper <= 0;
	for (tries = w->sealed ? 2 : 0;; tries++) {
		if (tries == 1)
			open_up(dirfd);
		else if (tries == 2 && type == DT_REG &&
		    clear_file(dirfd, name) == -1)
			return -1;
		else if (tries == 3)
			open_up(dirfd);
		if (unlink_one(dirfd, name, 0) == 0)
			break;
		if (!is_refusal(errno) || tries == 3)
			return -1;
		if (w->cleared != 0 && tries == 0)
			tries = 1;	/* most probably it is the file */
	}
	w->sealed = tries >= 2;
	if (w->sealed && ++w->cleared == HELP_FILES)
		start_helper(w);
	return 0;
}

/* Likewise a directory, which fd is. */
static int
unlink_dir(int dirfd, const char *name, int fd)
{
	if (unlink_one(dirfd, name, AT_REMOVEDIR) == 0)
		return 0;
	if (!is_refusal(errno))
		return -1;
	open_up(dirfd);
	flag_clear(fd);
	return unlink_one(dirfd, name, AT_REMOVEDIR);
}

/* Say that it stays, and why: errno. */
static int
stays(struct wipe *w, const struct trail *at)
{
	if (++w->left > SAID_MAX)
		return -1;
	if (errno == EXDEV || errno == EBUSY) {
		errno = 0;
		trail_msg(at, "a mount point, left as it is");
	} else
		trail_msg(at, "cannot be removed");
	return -1;
}

static void
moved_name(char *name, size_t size, unsigned n)
{
	snprintf(name, size, ".srt-wipe.%u", n);
}

/*
 * Too deep to have every directory on the way open: it becomes one of the
 * top's.  To be moved it has to be writable, for its "..".
 */
static int
move_up(struct wipe *w, int dirfd, const char *name, int fd)
{
	char new[32];
	int opened = 0;

	for (;;) {
		moved_name(new, sizeof(new), w->moved);
		if (renameat(dirfd, name, w->top, new) == 0) {
			w->moved++;
			return 0;
		}
		if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR)
			w->moved++;	/* that name is taken */
		else if (is_refusal(errno) && !opened++) {
			open_up(dirfd);
			open_up(fd);
			open_up(w->top);
		} else
			return errno == ENOENT ? 0 : -1;
	}
}

static int
remove_dir(struct wipe *w, int dirfd, const struct trail *at, int depth)
{
	int fd = wipe_open(dirfd, at->name), i, r = -1;

	if (fd == -1 && errno == EACCES) {
		open_up(dirfd);
		fd = wipe_open(dirfd, at->name);
	}
	if (fd == -1)
		return errno == ENOENT ? 0 : stays(w, at);
	if (depth == DEPTH_MAX) {
		if ((r = move_up(w, dirfd, at->name, fd)) == -1)
			stays(w, at);
		close(fd);
		return r;
	}
	for (i = 0; i < TRIES; i++) {
		if (empty(w, fd, at, depth) == -1)
			break;		/* said already */
		if ((r = unlink_dir(dirfd, at->name, fd)) == 0)
			break;
		if ((errno != ENOTEMPTY && errno != EEXIST) ||
		    i + 1 == TRIES) {
			stays(w, at);
			break;
		}
	}
	close(fd);
	return r;
}

/* One entry; type is d_type.  A guess that has become wrong is corrected. */
static int
remove_entry(struct wipe *w, int dirfd, const struct trail *at, int type,
    int depth)
{
	type = dir_type(dirfd, at->name, type);
	if (type != DT_DIR) {
		if (unlink_file(w, dirfd, at->name, type) == 0)
			return 0;
		if (errno != EISDIR)
			return stays(w, at);
	}
	return remove_dir(w, dirfd, at, depth);
}

/* One pass over a directory. */
static int
empty(struct wipe *w, int fd, const struct trail *at, int depth)
{
	struct trail here = { at, NULL };
	struct dirent *d;
	DIR *dir;
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;

	if (own == -1 && errno == EACCES) {
		open_up(fd);
		own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (own == -1 || (dir = fdopendir(own)) == NULL) {
		file_close(&own);
		return stays(w, at);
	}
	while ((d = readdir(dir)) != NULL) {
		here.name = d->d_name;
		if (!dir_is_dot(d->d_name) && remove_entry(w, fd, &here,
		    d->d_type, depth + 1) == -1)
			r = -1;
	}
	closedir(dir);
	return r;
}

int
wipe_below(int fd, const char *path)
{
	struct trail root = { NULL, path }, here = { &root, NULL };
	struct wipe w = { .top = fd };
	char name[32];
	unsigned i;

	open_up(fd);
	empty(&w, fd, &root, 0);
	/* what has been moved up is wiped after that, and may move up more */
	for (i = 0; i < w.moved; i++) {
		moved_name(name, sizeof(name), i);
		here.name = name;
		remove_entry(&w, fd, &here, DT_DIR, 1);
	}
	end_helper(&w);
	if (w.left > SAID_MAX) {
		errno = 0;
		msg_path(path, "%u more cannot be removed",
		    w.left - SAID_MAX);
	}
	return w.left == 0 ? 0 : -1;
}

int
wipe_dir(int fd, int dirfd, const char *name, const char *path)
{
	int i;

	for (i = 0; i < TRIES; i++) {
		if (wipe_below(fd, path) == -1)
			return -1;
		/* dirfd is not ours to open up; fd was */
		if (unlink_one(dirfd, name, AT_REMOVEDIR) == 0)
			return 0;
		if (errno != ENOTEMPTY && errno != EEXIST)
			break;
	}
	msg_path(path, "cannot be removed");
	return -1;
}
