/* SPDX-License-Identifier: ISC */
/*
 * place.h, where /var/tmp, /run and /tmp are the driver's own: which places
 * there are, in which order, and when they are made.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "lock.h"
#include "place.h"
#include "unit.h"

static char path[3][64];	/* the standard places */
static char run[32];		/* /run/user/UID */

static int
enter(void)
{
	char uid[32], gid[32];
	long u = (long)geteuid(), g = (long)getegid();

	snprintf(uid, sizeof(uid), "%ld %ld 1", u, u);
	snprintf(gid, sizeof(gid), "%ld %ld 1", g, g);
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) == -1)
		return -1;
	unit_write("/proc/self/setgroups", "deny");
	unit_write("/proc/self/uid_map", uid);
	unit_write("/proc/self/gid_map", gid);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1)
		return -1;
	return mount("t", "/var/tmp", "tmpfs", 0, "mode=1777") == -1 ||
	    mount("t", "/run", "tmpfs", 0, "mode=755") == -1 ||
	    mount("t", "/tmp", "tmpfs", 0, "mode=1777") == -1 ? -1 : 0;
}

static void
start(void)
{
	unsigned long uid = geteuid();

	unsetenv("SRT_PLACE");
	unsetenv("TMPDIR");
	unsetenv("XDG_RUNTIME_DIR");
	snprintf(run, sizeof(run), "/run/user/%lu", uid);
	snprintf(path[0], sizeof(path[0]), "/var/tmp/srt-mount-points-%lu",
	    uid);
	snprintf(path[1], sizeof(path[1]), "%s/srt-mount-points", run);
	snprintf(path[2], sizeof(path[2]), "/tmp/srt-mount-points-%lu", uid);
	CHECK_INT(mkdir("/run/user", 0755), 0);
	CHECK_INT(mkdir(run, 0700), 0);
}

static mode_t
mode_of(const char *p)
{
	struct stat st;

	return lstat(p, &st) == 0 ? st.st_mode & 07777 : 0;
}

static void
look_and_make(void)
{
	struct places ps;
	size_t i;

	CHECK_INT(places_look(&ps), 0);
	CHECK_INT(ps.n, 3);
	for (i = 0; i < 3; i++) {
		CHECK_STR(ps.p[i].path, path[i]);
		CHECK_INT(ps.p[i].fd, -1);
		CHECK_INT(ps.p[i].makeable, 1);
		CHECK_INT(mode_of(path[i]), 0);
	}
	CHECK(places_writable(&ps, 0) == NULL);
	CHECK(places_second(&ps) == NULL);
	places_close(&ps);
	CHECK_INT(ps.n, 0);
	umask(0);
	CHECK_INT(places_make(&ps), 0);
	umask(022);
	for (i = 0; i < 3; i++) {
		CHECK(ps.p[i].fd != -1);
		CHECK_INT(ps.p[i].writable, 1);
		CHECK_INT(mode_of(path[i]), 0700);
		CHECK(fcntl(ps.p[i].fd, F_GETFD) & FD_CLOEXEC);
		CHECK(places_writable(&ps, i) == &ps.p[i]);
	}
	places_close(&ps);
	/* looking narrows nothing, making does */
	CHECK_INT(chmod(path[1], 0755), 0);
	CHECK_INT(places_look(&ps), 0);
	CHECK_INT(mode_of(path[1]), 0755);
	places_close(&ps);
	CHECK_INT(places_make(&ps), 0);
	CHECK_INT(mode_of(path[1]), 0700);
	places_close(&ps);
}

static void
blocked(void)
{
	struct places ps;

	CHECK_INT(rmdir(path[0]), 0);
	unit_write(path[0], "x");
	CHECK_INT(rmdir(path[2]), 0);
	CHECK_INT(symlink("/var", path[2]), 0);
	CHECK_INT(places_make(&ps), 0);
	CHECK_INT(ps.n, 3);
	CHECK_INT(ps.p[0].fd, -1);
	CHECK_INT(ps.p[0].why, ENOTDIR);
	CHECK_INT(ps.p[2].fd, -1);
	CHECK(ps.p[2].why == ELOOP || ps.p[2].why == ENOTDIR);
	CHECK(places_writable(&ps, 0) == &ps.p[1]);
	CHECK(places_writable(&ps, 2) == NULL);
	places_close(&ps);
	/* a runtime directory that others can write does not count */
	CHECK_INT(chmod(run, 0777), 0);
	CHECK_INT(places_make(&ps), 0);
	CHECK_INT(ps.n, 2);
	places_close(&ps);
	CHECK_INT(chmod(run, 0700), 0);
	CHECK_INT(unlink(path[0]), 0);
	CHECK_INT(unlink(path[2]), 0);
}

static void
environment(void)
{
	struct places ps;
	int i;

	CHECK_INT(mkdir("/tmp/mine", 0700), 0);
	setenv("TMPDIR", "/tmp/mine", 1);
	setenv("XDG_RUNTIME_DIR", "/tmp/mine", 1);
	CHECK_INT(places_make(&ps), 0);
	CHECK_INT(ps.n, 3);
	places_close(&ps);
	for (i = 0; i < 3; i++) {
		CHECK_INT(rmdir(path[i]), 0);
		unit_write(path[i], "");
	}
	CHECK_INT(places_make(&ps), 0);
	CHECK_INT(ps.n, 5);
	CHECK_STR(ps.p[3].path, "/tmp/mine/srt-mount-points");
	CHECK(places_writable(&ps, 0) == &ps.p[3]);
	places_close(&ps);
	setenv("TMPDIR", "relative", 1);
	unsetenv("XDG_RUNTIME_DIR");
	CHECK_INT(places_look(&ps), 0);
	CHECK_INT(ps.n, 3);
	places_close(&ps);
	unsetenv("TMPDIR");
	for (i = 0; i < 3; i++)
		CHECK_INT(unlink(path[i]), 0);
}

static void
second(void)
{
	static const char *const bad[] = { "x", "./x", "../x" };
	struct places ps;
	char once[128];
	size_t i;

	for (i = 0; i < 3; i++) {
		setenv("SRT_PLACE", bad[i], 1);
		CHECK_INT(places_look(&ps), -1);
		CHECK_INT(errno, EINVAL);
	}
	setenv("SRT_PLACE", "", 1);
	CHECK_INT(places_make(&ps), 0);
	CHECK(places_second(&ps) == NULL);
	places_close(&ps);
	setenv("SRT_PLACE", "/tmp/here//", 1);
	CHECK_INT(places_make(&ps), 0);
	CHECK_INT(ps.n, 4);
	CHECK(places_second(&ps) == &ps.p[3]);
	CHECK_STR(ps.p[3].path, "/tmp/here");
	CHECK_INT(mode_of("/tmp/here"), 0700);
	places_close(&ps);
	/* another name of the first */
	CHECK_INT(symlink("/var", "/tmp/var"), 0);
	snprintf(once, sizeof(once), "/tmp%s", path[0]);
	setenv("SRT_PLACE", once, 1);
	CHECK_INT(places_make(&ps), 0);
	CHECK_INT(ps.n, 3);
	CHECK(places_second(&ps) == &ps.p[0]);
	places_close(&ps);
	/* parents are not made; nor anything where the kernel's are */
	setenv("SRT_PLACE", "/tmp/no/such", 1);
	CHECK_INT(places_make(&ps), 0);
	CHECK_INT(places_second(&ps)->fd, -1);
	CHECK_INT(places_second(&ps)->why, ENOENT);
	CHECK_INT(access("/tmp/no", F_OK), -1);
	places_close(&ps);
	setenv("SRT_PLACE", "/dev/shm/place", 1);
	CHECK_INT(places_make(&ps), 0);
	CHECK_INT(places_second(&ps)->fd, -1);
	CHECK_INT(access("/dev/shm/place", F_OK), -1);
	places_close(&ps);
	unsetenv("SRT_PLACE");
}

static void
mutexes(void)
{
	struct places ps;
	struct place *who;
	long holder;
	size_t i;
	int fd;

	CHECK_INT(places_make(&ps), 0);
	CHECK_INT(places_lock(&ps, &who, &holder), 0);
	for (i = 0; i < ps.n; i++) {
		CHECK(ps.p[i].mutex != -1);
		fd = openat(ps.p[i].fd, "lock", O_RDWR);
		CHECK_INT(lock_held(fd), 1);
		close(fd);
	}
	CHECK_INT(places_lock(&ps, &who, &holder), 0);	/* has them already */
	places_unlock(&ps);
	for (i = 0; i < ps.n; i++) {
		CHECK_INT(ps.p[i].mutex, -1);
		fd = openat(ps.p[i].fd, "lock", O_RDWR);
		CHECK_INT(lock_held(fd), 0);
		close(fd);
	}
	/* one that cannot be had is named */
	CHECK_INT(unlinkat(ps.p[1].fd, "lock", 0), 0);
	CHECK_INT(mkdirat(ps.p[1].fd, "lock", 0700), 0);
	CHECK_INT(places_lock(&ps, &who, &holder), -1);
	CHECK(who == &ps.p[1]);
	places_close(&ps);
}

static void
all(void)
{
	start();
	look_and_make();
	blocked();
	environment();
	second();
	mutexes();
}

int
main(void)
{
	unit_inside(enter, all);
	return unit_failures != 0;
}
