/* SPDX-License-Identifier: ISC */
/*
 * record.h and collect.h: placeholders are made as the plan has them, taken
 * back where it no longer holds, and collected when they are only claimed.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/stat.h>

#include "claim.h"
#include "collect.h"
#include "exits.h"
#include "record.h"
#include "unit.h"

static const char *dir;
static struct places places;
static char *told[64];
static int ntold;

static char *
in_dir(const char *name)
{
	char *p;

	if (asprintf(&p, "%s/w/%s", dir, name) == -1)
		exit(1);
	return p;
}

static void
start(void)
{
	struct place *p = &places.p[0];

	CHECK_INT(mkdir("place", 0700), 0);
	CHECK_INT(mkdir("w", 0755), 0);
	p->path = (char *)(uintptr_t)"place";
	p->fd = open("place", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	p->mutex = -1;
	p->writable = 1;
	places.n = 1;
	umask(022);
}

static struct mark *
add(struct plan *p, const char *name, enum kind kind, mode_t mode)
{
	char *path = in_dir(name);
	struct mark *k = plan_add_mark(p, ROLE_MAKE, path);

	free(path);
	k->kind = kind;
	k->mode = mode;
	return k;
}

static void
own(struct plan *p, const char *name, int blank)
{
	char *path = in_dir(name);
	struct owned *o = plan_add_own(p, path);
	struct stat st;

	CHECK_INT(lstat(path, &st), 0);
	free(path);
	o->type = st.st_mode & S_IFMT;
	o->blank = blank;
	o->dev = st.st_dev;
	o->ino = st.st_ino;
}

/* What stands at a name in w: its type and mode, or "". */
static const char *
at(const char *name)
{
	static char buf[32];
	char *path = in_dir(name);
	struct stat st;

	buf[0] = '\0';
	if (lstat(path, &st) == 0)
		snprintf(buf, sizeof(buf), "%c%04o", S_ISSOCK(st.st_mode) ?
		    's' : S_ISDIR(st.st_mode) ? 'd' : 'f',
		    (unsigned)(st.st_mode & 07777));
	free(path);
	return buf;
}

static void
empty(const char *what)
{
	char cmd[4096];

	snprintf(cmd, sizeof(cmd), "test -z \"$(find %s/%s -mindepth 1 ! "
	    "-name lock)\" || { find %s/%s >&2; exit 1; }", dir, what, dir,
	    what);
	CHECK_INT(system(cmd), 0);
}

static void
tell(const char *path)
{
	if (ntold < 64)
		told[ntold++] = strdup(path);
}

static void
forget(void)
{
	while (ntold > 0)
		free(told[--ntold]);
}

/* Claim, as the lock has gone with r, and collect. */
static void
clean_up(struct record *r)
{
	record_free(r);
	CHECK_INT(claim_all(&places, NULL), 0);
	CHECK_INT(collect_all(&places, tell), 0);
}

static void
make_plan(struct plan *p)
{
	memset(p, 0, sizeof(*p));
	add(p, "a", KIND_DIR, 0755);
	add(p, "a/b", KIND_DIR, 0700);
	add(p, "a/b/key", KIND_SOCKET, 0444);
	add(p, "a/file", KIND_FILE, 0644);
	add(p, "z", KIND_FILE, 0555);
}

static void
made_and_collected(void)
{
	struct record r;
	struct plan p;
	size_t i;

	make_plan(&p);
	CHECK_INT(record_make(&p, &places, 0, 0, &r), 0);
	CHECK_INT(places.p[0].mutex, -1);
	CHECK_STR(at("a"), "d0755");
	CHECK_STR(at("a/b"), "d0700");
	CHECK_STR(at("a/b/key"), "s0444");
	CHECK_STR(at("a/file"), "f0644");
	CHECK_STR(at("z"), "f0555");
	CHECK_INT(r.nmarks, 5);
	for (i = 0; i < r.nmarks; i++)
		CHECK(r.mark[i].ino != 0);
	/* its lock is ours: nothing is claimed */
	CHECK_INT(claim_all(&places, NULL), 0);
	CHECK_INT(collect_all(&places, tell), 0);
	CHECK_INT(ntold, 0);
	clean_up(&r);
	CHECK_INT(ntold, 5);
	if (ntold == 5) {
		CHECK(strstr(told[0], "/w/z") != NULL);
		CHECK(strstr(told[4], "/w/a") != NULL);
	}
	forget();
	empty("w");
	empty("place");
	plan_free(&p);
}

/* The plan does not hold: 75 and nothing is left. */
static void
stale(struct plan *p)
{
	struct record r;

	CHECK_INT(record_make(p, &places, 0, 1, &r), EXIT_AGAIN);
	CHECK_INT(places.p[0].mutex, -1);
	empty("place");
}

static void
changed(void)
{
	struct plan p;
	char *a = in_dir("a"), *z = in_dir("z"), *file = in_dir("file");
	char *other = in_dir("other");

	make_plan(&p);
	CHECK_INT(mkdir(a, 0755), 0);
	stale(&p);
	CHECK_STR(at("a/b"), "");
	CHECK_INT(rmdir(a), 0);
	unit_write(z, "mine");
	stale(&p);
	CHECK_STR(at("a"), "");
	CHECK_STR(at("z"), "f0644");
	CHECK_INT(unlink(z), 0);
	plan_free(&p);
	/* the user's own */
	make_plan(&p);
	unit_write(file, "content");
	own(&p, "file", 0);
	CHECK_INT(rename(file, other), 0);
	stale(&p);
	CHECK_INT(mkdir(file, 0755), 0);
	stale(&p);
	CHECK_INT(rmdir(file), 0);
	unit_write(file, "");	/* looks like a placeholder now */
	stale(&p);
	CHECK_INT(unlink(file), 0);
	CHECK_INT(rename(other, file), 0);
	CHECK_INT(unlink(file), 0);
	plan_free(&p);
	make_plan(&p);
	unit_write(file, "");
	own(&p, "file", 1);
	unit_write(other, "");
	CHECK_INT(rename(other, file), 0);	/* another inode */
	stale(&p);
	CHECK_INT(unlink(file), 0);
	plan_free(&p);
	empty("w");
	/* the same name twice: made, then taken back */
	memset(&p, 0, sizeof(p));
	add(&p, "x", KIND_SOCKET, 0444);
	add(&p, "y", KIND_SOCKET, 0444);
	add(&p, "y", KIND_SOCKET, 0444);
	stale(&p);
	empty("w");
	plan_free(&p);
	free(a);
	free(z);
	free(file);
	free(other);
}

/* Another run's placeholder is relied on; it goes with the last. */
static void
relied(void)
{
	struct record one, two;
	struct plan p, q;
	struct mark *k;

	memset(&p, 0, sizeof(p));
	add(&p, "x", KIND_FILE, 0444);
	CHECK_INT(record_make(&p, &places, 0, 0, &one), 0);
	memset(&q, 0, sizeof(q));
	k = add(&q, "x", KIND_FILE, 0444);
	free(k->path);
	*k = one.mark[0];
	k->path = in_dir("x");
	k->role = ROLE_RELY;
	k->noted = NOTED_INODE | NOTED_CTIME;
	CHECK_INT(record_make(&q, &places, 0, 0, &two), 0);
	clean_up(&one);
	CHECK_INT(ntold, 0);
	CHECK_STR(at("x"), "f0444");
	clean_up(&two);
	CHECK_INT(ntold, 1);
	forget();
	empty("w");
	empty("place");
	/* It is gone now.  The name stays, until the next clean-up. */
	CHECK_INT(record_make(&q, &places, 0, 1, &two), EXIT_AGAIN);
	CHECK_INT(places.p[0].mutex, -1);
	clean_up(&two);
	CHECK_INT(ntold, 0);
	empty("place");
	plan_free(&p);
	plan_free(&q);
}

static void
named_later(void)
{
	struct record r;
	struct plan p;
	struct mark k;
	char *path = in_dir("late"), *again = in_dir("d/e/again");
	char *root = in_dir("");
	int at_fd = open("w", O_RDONLY | O_DIRECTORY);

	memset(&p, 0, sizeof(p));
	add(&p, "x", KIND_SOCKET, 0444);
	CHECK_INT(record_make(&p, &places, 0, 0, &r), 0);
	/* made by bubblewrap, adopted */
	CHECK_INT(close(open(path, O_CREAT | O_WRONLY, 0444)), 0);
	memset(&k, 0, sizeof(k));
	k.role = ROLE_RELY;
	k.kind = KIND_FILE;
	k.mode = 0444;
	k.path = path;
	CHECK_INT(mark_note(&k, at_fd, "late"), 0);
	CHECK_INT(record_adopt(&r, &k), 0);
	/* made again, with the directories above */
	root[strlen(root) - 1] = '\0';
	CHECK_INT(record_again(&r, again, root, KIND_SOCKET, 0444), 0);
	CHECK_STR(at("d/e/again"), "s0444");
	CHECK_INT(record_again(&r, again, root, KIND_SOCKET, 0444), -1);
	CHECK_INT(errno, EEXIST);
	clean_up(&r);
	CHECK_INT(ntold, 5);
	forget();
	empty("w");
	empty("place");
	close(at_fd);
	plan_free(&p);
	free(path);
	free(again);
	free(root);
}

/* Two thousand, half of them in directories made for them. */
static void
many(void)
{
	struct record r;
	struct plan p;
	char name[64];
	int i;

	memset(&p, 0, sizeof(p));
	for (i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "d%03d", i);
		add(&p, name, KIND_DIR, 0755);
		snprintf(name, sizeof(name), "d%03d/key", i);
		add(&p, name, KIND_SOCKET, 0444);
		snprintf(name, sizeof(name), "f%03d", i);
		add(&p, name, KIND_FILE, 0444);
		snprintf(name, sizeof(name), "s%03d", i);
		add(&p, name, KIND_SOCKET, 0444);
	}
	CHECK_INT(record_make(&p, &places, 0, 0, &r), 0);
	CHECK_STR(at("d499/key"), "s0444");
	record_free(&r);
	CHECK_INT(claim_all(&places, NULL), 0);
	CHECK_INT(collect_all(&places, NULL), 0);
	empty("w");
	empty("place");
	plan_free(&p);
}

static void
names(void)
{
	char name[ASIDE_LEN];

	aside_name(name, "0123456789abcdef", 0);
	CHECK_STR(name, ".srt-0123456789abcdef.0");
	aside_name(name, "0123456789abcdef", SIZE_MAX);
	CHECK_STR(name, ".srt-0123456789abcdef.18446744073709551615");
}

int
main(void)
{
	dir = unit_dir();
	start();
	names();
	made_and_collected();
	changed();
	relied();
	named_later();
	many();
	close(places.p[0].fd);
	unit_rmdir(dir);
	return unit_failures != 0;
}
