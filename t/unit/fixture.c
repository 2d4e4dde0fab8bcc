/* SPDX-License-Identifier: ISC */
/* fixture.h: which keys are keys. */
#include <limits.h>
#include <sys/stat.h>

#include "fixture.h"
#include "unit.h"

static void
good(const char *key, const char *clean)
{
	const char *why;
	char *got = key_clean(key, strlen(key), &why);

	CHECK_STR(got, clean);
	CHECK(why == NULL);
	free(got);
}

static void
bad(const char *key, size_t len, const char *because)
{
	const char *why = NULL;

	CHECK(key_clean(key, len, &why) == NULL);
	CHECK_STR(why, because);
}

static void
keys(void)
{
	static const char root[] = "is the work directory itself";
	static const char out[] = "leaves the work directory";
	char name[NAME_MAX + 2];

	good("a", "a");
	good("a/b", "a/b");
	good("./a//b/./c/", "a/b/c");
	good("a/../b", "b");
	good("a/b/../../c/d", "c/d");
	good("...", "...");
	good("..a/b..", "..a/b..");
	good(" \n\377", " \n\377");
	bad("", 0, "is empty");
	bad("/a", 2, "is absolute");
	bad("a\0b", 3, "has a NUL in it");
	bad("\0", 1, "has a NUL in it");
	bad(".", 1, root);
	bad("./.", 3, root);
	bad("a/..", 4, root);
	bad("a/b/../..", 9, root);
	bad("..", 2, out);
	bad("a/../..", 7, out);
	bad("a/../../b", 9, out);
	memset(name, 'x', sizeof(name));
	name[NAME_MAX + 1] = '\0';
	bad(name, NAME_MAX + 1, "has a name in it that is too long");
	name[NAME_MAX] = '\0';
	good(name, name);
}

/* Parents come first, and know who lies in them. */
static void
order(void)
{
	struct fixtures fs = { NULL, 0 };

	CHECK_INT(mkdir("d", 0700), 0);
	unit_write("f", "x");
	CHECK_INT(fixture_add(&fs, "a/b/c=f"), 0);
	CHECK_INT(fixture_add(&fs, "a=d"), 0);
	CHECK_INT(fixture_add(&fs, "ab=f"), 0);
	CHECK_INT(fixtures_open(&fs), 0);
	CHECK_INT(fs.n, 3);
	CHECK_STR(fs.f[0].key, "a");
	CHECK(fs.f[0].above == NULL && fs.f[0].is_dir);
	CHECK_STR(fs.f[1].key, "ab");
	CHECK(fs.f[1].above == NULL && !fs.f[1].is_dir);
	CHECK(fs.f[2].above == &fs.f[0]);
	fixtures_close(&fs);
	CHECK_INT(fs.n, 0);
}

int
main(void)
{
	const char *dir = unit_dir();

	keys();
	order();
	unit_rmdir(dir);
	return unit_failures != 0;
}
