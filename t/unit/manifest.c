/* SPDX-License-Identifier: ISC */
/* manifest.h: what is written is read again, and what is no manifest is not. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include "lock.h"
#include "manifest.h"
#include "unit.h"

static struct places places;
static struct mark marks[3];

#define ID "0123456789abcdef"

/* Two places, "one" and "two"; the second is that of the second manifest. */
static void
start(void)
{
	const char *name[] = { "one", "two" };
	size_t i;

	memset(&places, 0, sizeof(places));
	for (i = 0; i < 2; i++) {
		struct place *p = &places.p[i];

		CHECK_INT(mkdir(name[i], 0700), 0);
		p->path = (char *)(uintptr_t)name[i];
		p->fd = open(name[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		p->mutex = -1;
		p->writable = 1;
	}
	places.n = 2;
	memset(marks, 0, sizeof(marks));
	marks[0].path = (char *)(uintptr_t)"/a b\n\\\377";
	marks[0].kind = KIND_SOCKET;
	marks[0].mode = 0444;
	marks[1].path = (char *)(uintptr_t)"/dir";
	marks[1].kind = KIND_DIR;
	marks[1].mode = 0755;
	marks[2] = marks[0];
	marks[2].path = (char *)(uintptr_t)"/file";
	marks[2].role = ROLE_RELY;
	marks[2].kind = KIND_FILE;
	marks[2].dev = 7;
	marks[2].ino = 18446744073709551615ULL;
	marks[2].mtime.tv_sec = marks[2].ctime.tv_sec = 5;
	marks[2].btime.tv_nsec = 999999999;
	marks[2].noted = NOTED_INODE | NOTED_CTIME;
}

static void
stop(const char *dir)
{
	size_t i;

	for (i = 0; i < places.n; i++)
		close(places.p[i].fd);
	CHECK_INT(chdir("/"), 0);
	unit_rmdir(dir);
}

static void
no_manifest(const char *place)
{
	char cmd[64];

	snprintf(cmd, sizeof(cmd), "test -z \"$(ls %s)\"", place);
	CHECK_INT(system(cmd), 0);
}

static void
round_trip(void)
{
	char note[256];
	struct manifests set;
	struct manifest *m;
	struct vouch v;
	char name[64], *bad;
	struct stat st;

	CHECK_INT(manifest_publish(&places, marks, 3, &v), 0);
	CHECK_INT(strlen(v.id), ID_LEN);
	CHECK_INT(strspn(v.id, "0123456789abcdef"), ID_LEN);
	CHECK(v.place[0] == &places.p[0] && v.place[1] == NULL);
	CHECK_INT(v.manifest[1], -1);
	snprintf(name, sizeof(name), "one/%s.manifest", v.id);
	CHECK_INT(stat(name, &st), 0);
	CHECK_INT(st.st_mode & 07777, 0600);
	CHECK(st.st_blocks * 512 > st.st_size);	/* room was set aside */
	/* init is this process; the last line is being written */
	snprintf(note, sizeof(note), "made 1 dir 1 2 3.000000004 5.000000006\n"
	    "placed 1 7.000000008\n{ \"child-pid\": %ld, \"pid-namespace\": "
	    "%llu }\n{ \"child-pid\": 99999999", (long)getpid(),
	    (unsigned long long)pidns_ino());
	CHECK_INT(manifest_append(&v, note, strlen(note)), 0);
	CHECK_INT(manifest_names_nothing(&v), 0);
	CHECK_INT(manifests_read(&places, &set, &bad), 0);
	CHECK_INT(set.n, 1);
	m = &set.m[0];
	CHECK_STR(m->id, v.id);
	CHECK_INT(m->live, 1);
	CHECK_INT(m->claimed, 0);
	CHECK_INT(m->unknown, 0);
	CHECK_INT(m->this_boot, 1);
	CHECK_INT(m->this_pidns, 1);
	CHECK_INT(m->child_pid, getpid());
	CHECK_INT(m->child_pidns, pidns_ino());
	CHECK_INT(m->nmarks, 3);
	CHECK_STR(m->mark[0].path, marks[0].path);
	CHECK_INT(m->mark[0].noted, 0);
	CHECK_INT(m->mark[1].ino, 2);
	CHECK_INT(m->mark[1].noted, NOTED_INODE | NOTED_CTIME);
	CHECK_INT(m->mark[1].ctime.tv_nsec, 8);
	CHECK_INT(m->mark[2].role, ROLE_RELY);
	CHECK(m->mark[2].ino == marks[2].ino);
	manifests_free(&set);
	/* the locks go with the descriptions; but init runs */
	vouch_close(&v);
	CHECK_INT(manifests_read(&places, &set, &bad), 0);
	CHECK_INT(set.m[0].live, 1);
	manifests_free(&set);
	CHECK_INT(unlink(name), 0);
	snprintf(name, sizeof(name), "one/%s.init", v.id);
	CHECK_INT(unlink(name), 0);
}

static void
two_places(void)
{
	struct manifests set;
	struct vouch v;
	char *bad;

	places.p[1].second = 1;
	CHECK_INT(manifest_publish(&places, marks, 1, &v), 0);
	CHECK(v.place[1] == &places.p[1]);
	CHECK_INT(manifests_read(&places, &set, &bad), 0);
	CHECK_INT(set.n, 2);
	CHECK_STR(set.m[0].id, v.id);
	CHECK_STR(set.m[1].id, v.id);
	manifests_free(&set);
	manifest_withdraw(&v);
	no_manifest("one");
	no_manifest("two");
	/* the first cannot be written: the second is both */
	places.p[0].writable = 0;
	CHECK_INT(manifest_publish(&places, marks, 1, &v), 0);
	CHECK(v.place[0] == &places.p[1] && v.place[1] == NULL);
	manifest_withdraw(&v);
	places.p[1].writable = 0;
	CHECK_INT(manifest_publish(&places, marks, 1, &v), -1);
	CHECK_INT(v.manifest[0], -1);
	places.p[0].writable = places.p[1].writable = 1;
	places.p[1].second = 0;
	no_manifest("one");
	no_manifest("two");
}

static void
too_large(void)
{
	struct mark *many;
	struct vouch v;
	size_t i, n = MANIFEST_MAX / 16;

	if ((many = calloc(n, sizeof(*many))) == NULL)
		exit(1);
	for (i = 0; i < n; i++)
		many[i] = marks[0];
	CHECK_INT(manifest_publish(&places, many, n, &v), -1);
	no_manifest("one");
	free(many);
}

/* How the text reads: 0, or the errno. */
static int
reads(const char *text, struct manifest *m)
{
	unit_write("one/" ID ".manifest", text);
	errno = 0;
	if (manifest_read(&places.p[0], ID ".manifest", m) == -1)
		return errno;
	return 0;
}

#define HEAD "srt-manifest 1\n"

static void
refused(void)
{
	static const char *const text[] = {
		"", "\n", "srt-manifest 1", "srt-manifest 2\n", "srt-plan 1\n",
		"srt-manifest\n", "srt-manifest 1 2\n", "hello\n", "{\n",
		HEAD "make socket 0444\n", HEAD "make socket 0444 x\n",
		HEAD "make socket 09 /x\n", HEAD "make pipe 0444 /x\n",
		HEAD "make socket 0444 /x y\n", HEAD "make socket 0444 /\\9\n",
		HEAD "pidns x\n", HEAD "pidns -1\n",
		HEAD "made 0 socket 1 2 3.000000000 4.000000000\n",
		HEAD "make dir 0755 /x\nmade 0 dir 1 2 3.0 4.0\n",
		HEAD "make dir 0755 /x\nmade 0 dir 1 2\n",
		HEAD "make dir 0755 /x\nmade 1 dir 1 2 3.000000000 "
		    "4.000000000\n",
		HEAD "make dir 0755 /x\nplaced 0 x\n",
		HEAD "rely socket 0444 /x\n",
		HEAD "rely socket 0444 1 2 3.000000000 4.000000000 "
		    "5.000000000 x\n",
		HEAD "a b c d e f g h i j k l m n\n"
	};
	struct manifest m;
	size_t i;

	for (i = 0; i < sizeof(text) / sizeof(*text); i++)
		if (reads(text[i], &m) != EPROTO) {
			unit_fail(__FILE__, __LINE__, text[i], NULL, NULL);
			manifest_free(&m);
		}
}

static void
read_as(void)
{
	struct manifest m;

	CHECK_INT(reads(HEAD, &m), 0);
	CHECK_INT(m.live, 0);
	CHECK_INT(m.nmarks, 0);
	manifest_free(&m);
	/* what has no newline is being written */
	CHECK_INT(reads(HEAD "make socket 0444 /x\nmake sock", &m), 0);
	CHECK_INT(m.nmarks, 1);
	manifest_free(&m);
	CHECK_INT(reads(HEAD "{ \"child-pid\": 5", &m), 0);
	CHECK_INT(m.child_pid, 0);
	manifest_free(&m);
	CHECK_INT(reads(HEAD "{ \"exit-code\": 5 }\n", &m), 0);
	CHECK_INT(m.child_pid, 0);
	manifest_free(&m);
	/* a later version's line is no junk */
	CHECK_INT(reads(HEAD "sparkle\n", &m), 0);
	CHECK_INT(m.unknown, 1);
	CHECK_INT(m.live, 1);
	manifest_free(&m);
	CHECK_INT(reads(HEAD "boot other\n", &m), 0);
	CHECK_INT(m.this_boot, 0);
	CHECK_INT(m.live, 0);
	manifest_free(&m);
}

/* However it is cut or garbled, it is read or refused, no more. */
static void
garbled(void)
{
	char text[512], cut[512];
	struct manifest m;
	size_t i, len;
	unsigned seed = 1;

	snprintf(text, sizeof(text), HEAD "boot %s\npidns %llu\n"
	    "recorder 1 2\nmake socket 0444 /x\\040y\nmake dir 0755 /d\n"
	    "rely file 0644 1 2 3.000000004 5.000000006 7.000000008 /f\n"
	    "made 0 socket 1 2 3.000000004 5.000000006\n"
	    "placed 0 7.000000008\n{ \"child-pid\": 5 }\n", boot_id(),
	    (unsigned long long)pidns_ino());
	len = strlen(text);
	for (i = 0; i <= len; i++) {
		memcpy(cut, text, i);
		cut[i] = '\0';
		if (reads(cut, &m) == 0)
			manifest_free(&m);
	}
	for (i = 0; i < 3000; i++) {
		memcpy(cut, text, len + 1);
		seed = seed * 1103515245 + 12345;
		cut[(seed >> 8) % len] = (char)(1 + (seed >> 20) % 255);
		if (reads(cut, &m) == 0)
			manifest_free(&m);
	}
}

/* Its own lock; init's, once init is named. */
static void
locks(void)
{
	struct manifest m;
	int fd, init;

	unit_write("one/" ID ".init", "");
	CHECK_INT(reads(HEAD, &m), 0);
	manifest_free(&m);
	fd = open("one/" ID ".manifest", O_RDWR);
	init = open("one/" ID ".init", O_RDWR);
	CHECK_INT(lock_take(fd), 0);
	CHECK_INT(manifest_read(&places.p[0], ID ".manifest", &m), 0);
	CHECK_INT(m.live, 1);
	manifest_free(&m);
	close(fd);
	CHECK_INT(lock_take(init), 0);
	CHECK_INT(manifest_read(&places.p[0], ID ".manifest", &m), 0);
	CHECK_INT(m.live, 0);
	manifest_free(&m);
	fd = open("one/" ID ".manifest", O_WRONLY | O_TRUNC);
	dprintf(fd, HEAD "boot %s\n{ \"child-pid\": 5 }\n", boot_id());
	close(fd);
	CHECK_INT(manifest_read(&places.p[0], ID ".manifest", &m), 0);
	CHECK_INT(m.live, 1);
	manifest_free(&m);
	close(init);
	CHECK_INT(manifest_read(&places.p[0], ID ".manifest", &m), 0);
	CHECK_INT(m.live, 0);
	manifest_free(&m);
	CHECK_INT(manifest_read(&places.p[0], "x.manifest", &m), -1);
	CHECK_INT(errno, ENOENT);
}

static void
unreadable(void)
{
	struct timespec old[2] = { { 0, 0 }, { 0, 0 } };
	struct manifests set;
	char *bad;

	unit_write("two/" ID ".claimed", "junk");
	CHECK_INT(manifests_read(&places, &set, &bad), -1);
	CHECK_INT(errno, EPROTO);
	CHECK_STR(bad, "two/" ID ".claimed");
	CHECK_INT(set.n, 0);
	free(bad);
	CHECK_INT(utimensat(AT_FDCWD, "two/" ID ".claimed", old, 0), 0);
	CHECK_INT(manifests_read(&places, &set, &bad), 0);
	CHECK_INT(set.n, 1);	/* the good one of place one */
	manifests_free(&set);
	CHECK_INT(unlink("two/" ID ".claimed"), 0);
}

int
main(void)
{
	const char *dir = unit_dir();

	start();
	round_trip();
	two_places();
	too_large();
	refused();
	read_as();
	garbled();
	locks();
	unreadable();
	stop(dir);
	return unit_failures != 0;
}
