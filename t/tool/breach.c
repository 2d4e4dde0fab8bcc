/* SPDX-License-Identifier: ISC */
/*
 * breach [-s] [-l msec] how path: inside a sandbox that denies path, get at
 * what stands there in the moment in which a replacement from outside has
 * lost its cover.  Waits for inotify events of its directory, or spins (-s).
 *
 * Says "ready"; for each line on standard input, which says that path has
 * been replaced, answers "in" or "no", as it got through or not; after "in"
 * it waits (-l) and answers "landed" or "failed", as a write later on was
 * possible.  how:
 *
 *	write	open, write, close		keep	open; write later
 *	path	O_PATH; reopen later		read	O_RDONLY; reopen later
 *	flight	as read, the descriptor lies in a socket meanwhile
 *	mmap	map it shared, close; store later
 *	link	a second link; write by that later
 *	own	a file of ours renamed over it
 *	dir	O_PATH of a directory; make a file in it later
 *	cwd	change to the directory; make a file in it later
 *	look	innocent: only reads it, as a file watcher does
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define GRACE_MS 3	/* after the line has come, tries go on so long */

static const char *path;
static char dir[PATH_MAX], aside[PATH_MAX];
static int dirfd_, fd = -1, pair[2], spin;
static char *map;

static long
now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000L + ts.tv_nsec / 1000;
}

static void
nap_ms(long ms)
{
	poll(NULL, 0, (int)ms);
}

static unsigned long long
mount_id(int f)
{
	struct statx st;

	if (statx(f, "", AT_EMPTY_PATH, STATX_MNT_ID | STATX_TYPE, &st) == -1)
		return 0;
	return st.stx_mnt_id;
}

/*
 * Opened by the mount of its directory: there was no cover.  In the middle of
 * a rename over it the name still leads to the old file, which has no link any
 * more: no harm done.
 */
static int
is_bare(int f, int type)
{
	struct stat st;

	return fstat(f, &st) == 0 && (st.st_mode & S_IFMT) == (mode_t)type &&
	    st.st_nlink != 0 && mount_id(f) == mount_id(dirfd_);
}

static int
open_bare(int flags, int type)
{
	if ((fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK)) == -1)
		return 0;
	if (is_bare(fd, type))
		return 1;
	close(fd);
	fd = -1;
	return 0;
}

static int
put(int f)
{
	int ok = f != -1 && write(f, "breach\n", 7) == 7;

	if (f != -1)
		close(f);
	return ok;
}

static int
put_by_name(const char *name, int flags)
{
	return put(open(name, O_WRONLY | O_APPEND | flags, 0644));
}

static int
reopen(void)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return put_by_name(name, 0);
}

static void
send_fd(void)
{
	union { struct cmsghdr h; char b[CMSG_SPACE(sizeof(int))]; } c;
	struct iovec iov = { (char[1]){ 'x' }, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &c, .msg_controllen = sizeof(c) };

	memset(&c, 0, sizeof(c));
	c.h.cmsg_level = SOL_SOCKET;
	c.h.cmsg_type = SCM_RIGHTS;
	c.h.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&c.h), &fd, sizeof(int));
	if (sendmsg(pair[0], &m, 0) != 1)
		err(2, "sendmsg");
	close(fd);
}

static void
receive_fd(void)
{
	union { struct cmsghdr h; char b[CMSG_SPACE(sizeof(int))]; } c;
	char x;
	struct iovec iov = { &x, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &c, .msg_controllen = sizeof(c) };

	if (recvmsg(pair[1], &m, 0) != 1)
		err(2, "recvmsg");
	memcpy(&fd, CMSG_DATA(&c.h), sizeof(int));
}

/* One way: what to try in the moment, what to do later; 1 if it worked. */
static int
try_write(void)
{
	return open_bare(O_WRONLY | O_APPEND, S_IFREG) && put(fd);
}

static int try_keep(void) { return open_bare(O_WRONLY | O_APPEND, S_IFREG); }
static int late_keep(void) { return put(fd); }
static int try_path(void) { return open_bare(O_PATH, S_IFREG); }
static int try_read(void) { return open_bare(O_RDONLY, S_IFREG); }
static int late_reopen(void) { int r = reopen(); close(fd); return r; }

static int
try_flight(void)
{
	if (!open_bare(O_RDONLY, S_IFREG))
		return 0;
	send_fd();
	return 1;
}

static int
late_flight(void)
{
	receive_fd();
	return late_reopen();
}

static int
try_mmap(void)
{
	if (!open_bare(O_RDWR, S_IFREG))
		return 0;
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return map != MAP_FAILED;
}

static int
late_mmap(void)
{
	map[0] = 'B';	/* the file is not empty */
	munmap(map, 4096);
	return 1;
}

static int
try_link(void)
{
	return link(path, aside) == 0;
}

static int
late_link(void)
{
	int r = put_by_name(aside, 0);

	unlink(aside);
	return r;
}

static int
try_own(void)
{
	if (access(aside, F_OK) == -1)
		put_by_name(aside, O_CREAT);
	return rename(aside, path) == 0;
}

static int late_none(void) { return 1; }

static int
try_dir(void)
{
	return open_bare(O_PATH | O_DIRECTORY, S_IFDIR);
}

static int
late_dir(void)
{
	int r = put(openat(fd, "breach", O_WRONLY | O_CREAT, 0644));

	close(fd);
	return r;
}

static int
try_cwd(void)
{
	int f, bare;

	if (chdir(path) == -1)
		return 0;
	f = open(".", O_PATH | O_DIRECTORY);
	bare = is_bare(f, S_IFDIR);
	close(f);
	if (!bare && chdir("/") == -1)
		err(2, "/");
	return bare;
}

static int
late_cwd(void)
{
	int r = put_by_name("breach", O_CREAT);

	if (chdir("/") == -1)
		err(2, "/");
	return r;
}

/* It is no breach, so it never says "in". */
static int
try_look(void)
{
	char buf[64];
	int f = open(path, O_RDONLY | O_NONBLOCK);

	while (f != -1 && read(f, buf, sizeof(buf)) > 0)
		;
	if (f != -1)
		close(f);
	return 0;
}

static const struct way {
	const char	*name;
	int		(*try)(void), (*late)(void);
} ways[] = {
	{ "cwd",	try_cwd,	late_cwd },
	{ "dir",	try_dir,	late_dir },
	{ "flight",	try_flight,	late_flight },
	{ "keep",	try_keep,	late_keep },
	{ "link",	try_link,	late_link },
	{ "look",	try_look,	late_none },
	{ "mmap",	try_mmap,	late_mmap },
	{ "own",	try_own,	late_none },
	{ "path",	try_path,	late_reopen },
	{ "read",	try_read,	late_reopen },
	{ "write",	try_write,	late_none },
};

static void
say(const char *word)
{
	dprintf(1, "%s\n", word);
}

/* One replacement; 0 at end of input. */
static int
one(const struct way *w, int inotify, long late_ms)
{
	struct pollfd p[2] = {
		{ .fd = 0, .events = POLLIN },
		{ .fd = inotify, .events = POLLIN }
	};
	char buf[4096], c;
	long until = 0;
	int in = 0, told = 0, i;

	/* as long as nothing has happened there is nothing to try */
	while (!in && (!told || now_us() < until)) {
		if (poll(p, 2, spin || told ? 0 : -1) == -1)
			err(2, "poll");
		if (!told && p[0].revents != 0) {
			if (read(0, &c, 1) != 1)
				return 0;
			if (c != '\n')
				continue;
			told = 1;
			until = now_us() + GRACE_MS * 1000L;
		}
		if (p[1].revents != 0 && read(inotify, buf, sizeof(buf)) == -1
		    && errno != EAGAIN)
			err(2, "inotify");
		for (i = 0; !in && i < 50; i++)
			in = w->try();
	}
	say(in ? "in" : "no");
	while (!told && read(0, &c, 1) == 1)
		told = c == '\n';
	if (in) {
		nap_ms(late_ms);
		say(w->late() ? "landed" : "failed");
	}
	return told;
}

int
main(int argc, char **argv)
{
	long late_ms = 100;
	int ch, inotify;
	size_t i;

	while ((ch = getopt(argc, argv, "l:s")) != -1)
		switch (ch) {
		case 'l': late_ms = atol(optarg); break;
		case 's': spin = 1; break;
		default: return 64;
		}
	if (argc - optind != 2)
		errx(64, "usage: breach [-s] [-l msec] how path");
	path = argv[optind + 1];
	snprintf(dir, sizeof(dir), "%s", path);
	*strrchr(dir, '/') = '\0';
	snprintf(aside, sizeof(aside), "%s.aside", path);
	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(ways[i].name, argv[optind]) == 0)
			break;
	if (i == sizeof(ways) / sizeof(*ways))
		errx(64, "%s: no way that is known", argv[optind]);
	if ((dirfd_ = open(dir, O_RDONLY | O_DIRECTORY)) == -1)
		err(2, "%s", dir);
	inotify = inotify_init1(IN_NONBLOCK);
	if (inotify == -1 || inotify_add_watch(inotify, dir, IN_CREATE |
	    IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE) == -1)
		err(2, "inotify");
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == -1)
		err(2, "socketpair");
	if (strcmp(ways[i].name, "own") == 0)
		put_by_name(aside, O_CREAT);
	say("ready");
	while (one(&ways[i], inotify, late_ms))
		;
	return 0;
}
