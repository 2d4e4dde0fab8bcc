/* SPDX-License-Identifier: ISC */
/* snapshot.h: what changes while it is copied, and what a copy is. */
#include <fcntl.h>
#include <sys/stat.h>

#include "snapshot.h"
#include "unit.h"
#include "wipe.h"

#define LARGE	(9 << 20)	/* ticks twice */

static int top, to;

static int
open_any(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	CHECK(fd != -1);
	return fd;
}

/* As srt-work does it: copied, sealed, whole. */
static int
copy(struct snapshot *s, const char *name)
{
	int fd = open_any(name), r;

	r = snapshot_copy(s, fd, name, to, name);
	if (r == 0)
		r = snapshot_seal(s, to, name, name);
	if (r == 0)
		CHECK(snapshot_is_whole(s));
	close(fd);
	return r;
}

static void
start(void)
{
	CHECK_INT(mkdir("to", 0700), 0);
	to = open_any("to");
}

static void
end(void)
{
	CHECK_INT(wipe_dir(to, top, "to", "to"), 0);
	close(to);
}

static void
make_large(void)
{
	int fd = open("large", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	static char block[1 << 16];
	int i;

	memset(block, 'x', sizeof(block));
	for (i = 0; i < LARGE; i += (int)sizeof(block))
		CHECK_INT(write(fd, block, sizeof(block)), sizeof(block));
	close(fd);
}

static void
modes(void)
{
	struct snapshot s = { 0 };
	struct stat st;
	mode_t old = umask(0777);

	start();
	umask(old);
	CHECK_INT(mkdir("tree", 0700), 0);
	CHECK_INT(mkdir("tree/d", 0700), 0);
	unit_write("tree/d/f", "text");
	CHECK_INT(chmod("tree/d/f", 04700), 0);
	umask(0777);
	CHECK_INT(copy(&s, "tree"), 0);
	CHECK_INT(umask(old), 0777);
	CHECK_INT(s.files, 1);
	CHECK_INT(s.bytes, 4);
	CHECK_INT(fstatat(to, "tree", &st, 0), 0);
	CHECK_INT(st.st_mode, S_IFDIR | 0555);
	CHECK_INT(fstatat(to, "tree/d/f", &st, 0), 0);
	CHECK_INT(st.st_mode, S_IFREG | 0444);
	CHECK_INT(st.st_size, 4);
	CHECK_INT(fstatat(top, "tree/d/f", &st, 0), 0);
	CHECK_INT(st.st_mode, S_IFREG | 04700);
	end();
}

/* ticks that change things --------------------------------------------- */

static int ticks, at_tick;
static void (*change)(void);

static int
on_tick(const struct snapshot *s)
{
	(void)s;
	if (ticks++ == at_tick)
		change();
	return 0;
}

static void
grow(void)
{
	int fd = open("large", O_WRONLY | O_APPEND | O_CLOEXEC);

	CHECK_INT(write(fd, "y", 1), 1);
	close(fd);
}

static void
rewrite(void)
{
	const struct timespec times[2] = { { 1, 0 }, { 1, 0 } };
	int fd = open("large", O_WRONLY | O_CLOEXEC);

	CHECK_INT(write(fd, "y", 1), 1);
	close(fd);
	/* whatever the clock's grain is */
	CHECK_INT(utimensat(AT_FDCWD, "large", times, 0), 0);
}

static void
shrink(void)
{
	CHECK_INT(truncate("large", 100), 0);
}

static void
nothing(void)
{
}

static void
copy_large(void)
{
	struct snapshot s = { .tick = on_tick };

	ticks = 0;
	start();
	_exit(copy(&s, "large") == -1 ? 7 : 0);
}

/* Without clones: the file system of /tmp seldom has them. */
static void
changing(void)
{
	static void (*const changes[])(void) = { grow, rewrite, shrink };
	struct unit_end e;
	size_t i;

	at_tick = 0;
	for (i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		make_large();
		change = changes[i];
		e = unit_end_of(copy_large);
		to = open_any("to");
		end();
		CHECK_INT(e.status, 7);
		CHECK(strstr(e.err, ": large: has changed while it was "
		    "copied\n") != NULL);
	}
	make_large();
	change = nothing;
	e = unit_end_of(copy_large);
	to = open_any("to");
	end();
	CHECK_INT(e.status, 0);
}

/* Swapped for links after the directory has been read. */
static void
swap_dir(void)
{
	CHECK_INT(rename("swap/d", "elsewhere"), 0);
	CHECK_INT(symlink("../host", "swap/d"), 0);
}

static void
swap_file(void)
{
	CHECK_INT(rename("swap/f", "elsewhere"), 0);
	CHECK_INT(symlink("../host/secret", "swap/f"), 0);
}

static void
copy_swap(void)
{
	struct snapshot s = { .tick = on_tick };

	ticks = 0;
	start();
	_exit(copy(&s, "swap") == -1 ? 7 : 0);
}

static void
swapped(const char *what, const char *inner, void (*how)(void))
{
	char message[64];
	struct unit_end e;
	struct stat st;

	CHECK_INT(mkdir("swap", 0700), 0);
	if (inner != NULL)
		CHECK_INT(mkdir(inner, 0700), 0);
	else
		unit_write("swap/f", "x");
	change = how;
	at_tick = 0;
	e = unit_end_of(copy_swap);
	CHECK_INT(e.status, 7);
	snprintf(message, sizeof(message), ": %s: has changed", what);
	CHECK(strstr(e.err, message) != NULL);
	to = open_any("to");
	CHECK_INT(fstatat(to, "swap/d/secret", &st, 0), -1);
	CHECK_INT(fstatat(to, "swap/f", &st, 0), -1);
	end();
	unit_rmdir("swap");
	unit_rmdir("elsewhere");
}

/* The copy itself is changed before it is sealed. */
static void
tamper(void)
{
	struct snapshot s = { 0 };
	int fd = open_any("tree"), r;

	start();
	CHECK_INT(snapshot_copy(&s, fd, "tree", to, "tree"), 0);
	CHECK_INT(symlinkat("/etc", to, "tree/d/link"), 0);
	r = snapshot_seal(&s, to, "tree", "tree");
	_exit(r == -1 ? 7 : 0);
}

static void
tamper_less(void)
{
	struct snapshot s = { 0 };
	int fd = open_any("tree"), r, f;

	start();
	CHECK_INT(snapshot_copy(&s, fd, "tree", to, "tree"), 0);
	f = openat(to, "tree/d/f", O_RDONLY | O_CLOEXEC);
	flag_clear(f);	/* fails where there is none */
	CHECK_INT(unlinkat(to, "tree/d/f", 0), 0);
	r = snapshot_seal(&s, to, "tree", "tree");
	_exit(r == 0 && !snapshot_is_whole(&s) ? 7 : 0);
}

static void
sealing(void)
{
	CHECK_INT(unit_end_of(tamper).status, 7);
	to = open_any("to");
	end();
	CHECK_INT(unit_end_of(tamper_less).status, 7);
	to = open_any("to");
	end();
}

/* What tick returns ends it. */
static int
enough(const struct snapshot *s)
{
	return s->bytes > 0 ? 42 : 0;
}

static void
ended(void)
{
	struct snapshot s = { .tick = enough };

	make_large();
	start();
	CHECK_INT(copy(&s, "large"), 42);
	end();
}

/* A file of many small pieces is a long copy, too. */
static void
ended_between_holes(void)
{
	struct snapshot s = { .tick = enough };
	int fd = open("holes", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	CHECK_INT(write(fd, "x", 1), 1);
	CHECK_INT(pwrite(fd, "x", 1, 1 << 20), 1);
	close(fd);
	start();
	CHECK_INT(copy(&s, "holes"), 42);
	end();
}

static int
once_sealing(const struct snapshot *s)
{
	ticks++;
	return s->seen_files > 0 ? 42 : 0;
}

/* Whatever there is much of, directories alone, and while it is sealed. */
static void
ended_anywhere(void)
{
	struct snapshot s = { .tick = once_sealing };
	char name[32];
	int i;

	CHECK_INT(mkdir("many", 0700), 0);
	unit_write("many/first", "x");
	for (i = 0; i < 320; i++) {
		snprintf(name, sizeof(name), "many/%d", i);
		CHECK_INT(mkdir(name, 0700), 0);
	}
	unit_write("many/last", "x");
	ticks = 0;
	start();
	CHECK_INT(copy(&s, "many"), 42);
	CHECK(ticks > 20);
	end();
}

int
main(void)
{
	const char *dir = unit_dir();

	top = open_any(".");
	CHECK_INT(mkdir("host", 0700), 0);
	unit_write("host/secret", "secret");
	modes();
	changing();
	swapped("swap/d", "swap/d", swap_dir);
	swapped("swap/f", NULL, swap_file);
	sealing();
	ended();
	ended_between_holes();
	ended_anywhere();
	close(top);
	unit_rmdir(dir);
	return unit_failures != 0;
}
