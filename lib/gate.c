/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "cover.h"
#include "exits.h"
#include "file.h"
#include "gate.h"
#include "msg.h"
#include "sys.h"

#define MAX_USERNS "/proc/sys/user/max_user_namespaces"
#define MAX_CGROUPNS "/proc/sys/user/max_cgroup_namespaces"

pid_t
gate_child_pid(int fd, off_t from, char **line)
{
	char buf[4096], *p, *eol;
	ssize_t n = pread(fd, buf, sizeof(buf) - 1, from);

	if (n <= 0)
		return 0;
	buf[n] = '\0';
	if ((p = strstr(buf, "\"child-pid\":")) == NULL ||
	    (eol = strchr(p, '\n')) == NULL)
		return 0;
	eol[1] = '\0';
	if (line != NULL)
		*line = strdup(strrchr(buf, '{') == NULL ? p :
		    strrchr(buf, '{'));
	return (pid_t)strtol(p + 12, NULL, 10);
}

/*
 * Wait for "ready": 1, or 0 if it will not come.  A monitor that was killed
 * may have left a child that waits for it for ever, with init's end open:
 * it is ended.  A supervisor sees to that itself, and may have that end
 * open still.
 */
static int
is_ready(const struct gate *g)
{
	struct pollfd p[2] = {
		{ .fd = g->sock, .events = POLLIN },
		{ .fd = g->monitor, .events = POLLIN }
	};
	char c = 0;

	while (poll(p, 2, -1) == -1 && errno == EINTR)
		;
	if ((p[0].revents & POLLIN) != 0)
		return read(g->sock, &c, 1) == 1 && c == GATE_READY;
	if (p[1].revents != 0 && g->told == -1)
		child_end_holders(&g->peer, 0);
	return 0;
}

static int
open_ns(pid_t pid, const char *which)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/ns/%s", (long)pid, which);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static int
is_own_userns(int fd)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && stat("/proc/self/ns/user", &b) == 0 &&
	    a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/*
 * What no process of the sandbox can make.  Mostly user namespaces, and so
 * no mount namespace in which pins do not hold.  Where the profile allows
 * them, root can make no cgroup namespaces: in one it could mount the
 * machine's cgroups, whose files are root's, and end or hold up what shares
 * its own outside.
 */
static const char *
limit_of(const struct plan *p)
{
	if (!p->nested_userns)
		return MAX_USERNS;
	return geteuid() == 0 ? MAX_CGROUPNS : NULL;
}

/*
 * The limit is that of the namespace we are in; it counts for those below
 * it, too, and only a process with CAP_SYS_RESOURCE in it could raise it
 * (user_namespaces(7)).
 */
static int
forbid(const char *limit)
{
	int fd = open(limit, O_RDWR | O_CLOEXEC), ok;
	char now[8] = "";

	if (fd == -1)
		return -1;
	ok = write(fd, "0", 1) == 1 && pread(fd, now, sizeof(now) - 1, 0) > 0;
	file_close(&fd);
	if (ok && strcmp(now, "0\n") == 0)
		return 0;
	errno = ok ? EPERM : errno;
	return -1;
}

/*
 * Enter the user namespace that owns the sandbox's mount namespace, and then
 * that.  Never anybody else's: the pid is one of the /proc we look in, and
 * bubblewrap always makes a user namespace.
 */
static int
enter(pid_t init, const struct plan *p)
{
	const char *limit = limit_of(p);
	int mnt = -1, user = -1, r = -1;

	if ((mnt = open_ns(init, "mnt")) == -1 ||
	    (user = ioctl(mnt, NS_GET_USERNS)) == -1)
		goto fail;
	if (is_own_userns(user)) {
		errno = EPERM;
		goto fail;
	}
	if (setns(user, CLONE_NEWUSER) == -1)
		goto fail;
	if (limit != NULL && forbid(limit) == -1) {
		msg_path(limit, "cannot be set to 0 for the sandbox, whose "
		    "command could then get out of it; run where /proc/sys "
		    "is writable");
		goto out;
	}
	/* or what is mounted outside from now on appears inside, writable */
	if (setns(mnt, CLONE_NEWNS) == 0 &&
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
		r = 0;
fail:
	if (r == -1)
		msg_path("sandbox", "its namespaces cannot be entered");
out:
	file_close(&user);
	file_close(&mnt);
	return r;
}

/* The copy in $SRT_PLACE has to say who init is, too. */
static int
tell_second(const struct record *r, const char *line)
{
	if (r->vouch.manifest[1] == -1)
		return 0;
	if (line == NULL) {
		errno = ENOMEM;
		return -1;
	}
	return file_write(r->vouch.manifest[1], line, strlen(line));
}

/* While its /proc can be seen. */
static int
look_at_init(pid_t init, struct watched *w)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%ld/ns/pid", (long)init);
	if (stat(path, &st) == -1)
		return -1;
	w->pidns = st.st_ino;
	snprintf(path, sizeof(path), "/proc/%ld/mountinfo", (long)init);
	w->mountinfo = open(path, O_RDONLY | O_CLOEXEC);
	w->init = sys_pidfd_open(init);
	return w->mountinfo == -1 || w->init == -1 ? -1 : 0;
}

static int
finish(const struct plan *p, struct record *r, const struct gate *g,
    struct cover *cover, struct watched *w)
{
	char *line = NULL;
	pid_t init = gate_child_pid(g->status, g->status_from, &line);
	int status = EXIT_OURS;

	if (init == 0)
		status = EXIT_FAIL;	/* ready without it: cannot be */
	else if (!sys_proc_is_ours()) {
		errno = 0;
		msg_path("/proc", "shows another PID namespace than ours; "
		    "mount one (unshare --mount-proc)");
	} else if (cover_prepare(cover, p, r) == -1 ||
	    tell_second(r, line) == -1 || look_at_init(init, w) == -1)
		msg_path("sandbox", "cannot be finished");
	else if (enter(init, p) == 0)
		status = cover_all(cover);
	free(line);
	return status;
}

/*
 * To end takes some 15 ms where inotify watches have to be taken down
 * (fs/notify/group.c waits for their readers).  Nobody has to wait for that:
 * what others could wait for is let go first.
 */
static void
leave(struct record *r, const struct gate *g)
{
	const char done = GATE_DONE;

	vouch_close(&r->vouch);
	places_close(g->places);
	sys_close_range(0, 2);
	if (g->told != -1 && write(g->told, &done, 1) != 1)
		return;		/* the supervisor has ended: all the same */
}

int
gate_serve(const struct plan *p, struct record *r, const struct gate *g)
{
	const char go = GATE_GO;
	struct watched w = { .gate = g->sock, .ask = g->ask };
	struct cover cover;
	int status;

	if (!is_ready(g))
		return EXIT_FAIL;
	if ((status = finish(p, r, g, &cover, &w)) != 0)
		return status;
	/* init may have lost its parent before it could notice that */
	if (g->monitor != -1 && sys_pidfd_over(g->monitor))
		return EXIT_FAIL;
	/* the end of supervisor and monitor is the end, not ours */
	if (!g->stay)
		vouch_close(&r->vouch);
	else if (vouch_unlock(&r->vouch, cover.host) == -1) {
		msg_path("manifest", "cannot be opened again");
		return EXIT_OURS;
	}
	if (g->told != -1 && write(g->told, &go, 1) != 1)
		return EXIT_FAIL;
	if (send(g->sock, &go, 1, MSG_NOSIGNAL) != 1)
		return EXIT_FAIL;
	if (!g->stay || cover.n == 0)
		return 0;
	if (watch(&cover, g->places, &w, g->on_lost) == -1)
		return EXIT_OURS;
	leave(r, g);
	return 0;
}
