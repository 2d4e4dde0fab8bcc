/* SPDX-License-Identifier: ISC */
/* Marks: their records, and what still is the placeholder that was noted. */
#include <fcntl.h>

#include "line.h"
#include "mark.h"
#include "unit.h"

static int
parse(const char *text, struct mark *k)
{
	char *copy = strdup(text);
	struct line_reader r;
	int result;

	if (copy == NULL)
		abort();
	line_open(&r, "x", copy, strlen(copy));
	if (line_next(&r) != 1)
		abort();
	result = mark_parse(k, r.word, r.nwords);
	free(copy);
	return result;
}

/* What parsing and printing text gives; NULL where it is refused. */
static const char *
again(const char *text)
{
	static char *out;
	struct mark k;
	size_t len;
	FILE *fp;

	free(out);
	out = NULL;
	if (parse(text, &k) == -1)
		return NULL;
	if ((fp = open_memstream(&out, &len)) == NULL)
		abort();
	mark_print(&k, fp);
	fclose(fp);
	free(k.path);
	out[strcspn(out, "\n")] = '\0';
	return out;
}

static void
same(const char *text)
{
	CHECK_STR(again(text), text);
}

static void
refused(const char *text)
{
	if (again(text) == NULL)
		return;
	printf("taken for a mark: %s\n", text);
	unit_failures++;
}

static void
records(void)
{
	same("make socket 0444 /w/x");
	same("make file 0644 /");
	same("make dir 0755 /a\\040b\\377");
	same("make file 7777 /x");
	same("make file 0000 /x");
	same("rely socket 0444 2049 7 7.000000008 1.000000002 3.000000004 /w/x");
	same("keep dir 0755 0 0 0.000000000 0.000000000 0.000000000 /w/x");
	/* the largest there can be; before 1970 */
	same("rely file 0444 18446744073709551615 18446744073709551615 "
	    "5.000000000 9223372036854775807.999999999 -1.000000000 /w");
	refused("make socket 0444");
	refused("make socket 0444 /x y");
	refused("make socket 0444 x");
	refused("make socket 0444 ./x");
	refused("make pipe 0444 /x");
	refused("make socket 0448 /x");
	refused("make socket 10000 /x");
	refused("make socket -1 /x");
	refused("made socket 0444 /x");
	refused("rely socket 0444 /x");
	refused("rely socket 0444 2049 7 7.000000008 1.000000002 /x");
	refused("rely socket 0444 x 7 7.000000008 1.000000002 3.000000004 /x");
	refused("rely socket 0444 1 -7 7.000000008 1.000000002 3.000000004 /x");
	refused("rely socket 0444 1 18446744073709551616 "
	    "7.000000008 1.000000002 3.000000004 /x");
	refused("rely socket 0444 1 7 7.000000008 1.2 3.000000004 /x");
	refused("rely socket 0444 1 7 7.000000008 1 3.000000004 /x");
	refused("rely socket 0444 1 7 7.000000008 .000000002 3.000000004 /x");
	refused("rely socket 0444 1 7 7.000000008 1.00000000x 3.000000004 /x");
	refused("rely socket 0444 1 7 7.000000008 1.-00000002 3.000000004 /x");
	refused("rely socket 0444 1 7 7.000000008 9223372036854775808.000000000 "
	    "3.000000004 /x");
	CHECK(mark_is_record("make") && mark_is_record("rely") &&
	    mark_is_record("keep"));
	CHECK(!mark_is_record("made") && !mark_is_record("") &&
	    !mark_is_record("makes"));
}

static void
fields(void)
{
	struct mark k;

	CHECK_INT(parse("rely file 0644 1 2 7.000000008 3.000000004 5.000000006 /a", &k),
	    0);
	CHECK_INT(k.role, ROLE_RELY);
	CHECK_INT(k.kind, KIND_FILE);
	CHECK_INT(k.mode, 0644);
	CHECK_INT(k.noted, NOTED_INODE | NOTED_CTIME);
	CHECK_INT(k.dev, 1);
	CHECK_INT(k.ino, 2);
	CHECK_INT(k.mtime.tv_sec, 3);
	CHECK_INT(k.mtime.tv_nsec, 4);
	CHECK_INT(k.ctime.tv_sec, 5);
	CHECK_INT(k.ctime.tv_nsec, 6);
	CHECK_STR(k.path, "/a");
	free(k.path);
	/* 0.0 says that the ctime is not known */
	CHECK_INT(parse("rely file 0644 1 2 7.000000008 3.000000004 0.000000000 /a", &k),
	    0);
	CHECK_INT(k.noted, NOTED_INODE);
	free(k.path);
	CHECK_INT(parse("make file 0644 /a", &k), 0);
	CHECK_INT(k.noted, 0);
	free(k.path);
}

static void
words(void)
{
	const enum kind all[] = { KIND_SOCKET, KIND_FILE, KIND_DIR };
	unsigned long long n;
	enum kind k;
	size_t i;

	for (i = 0; i < 3; i++) {
		CHECK_INT(kind_parse(kind_name(all[i]), &k), 0);
		CHECK_INT(k, all[i]);
	}
	CHECK_INT(kind_parse("link", &k), -1);
	CHECK_INT(kind_parse("", &k), -1);
	CHECK_INT(parse_u64("18446744073709551615", &n), 0);
	CHECK(n == ~0ULL);
	CHECK_INT(parse_u64("0", &n), 0);
	CHECK_INT(parse_u64("18446744073709551616", &n), -1);
	CHECK_INT(parse_u64("", &n), -1);
	CHECK_INT(parse_u64("-1", &n), -1);
	CHECK_INT(parse_u64("+1", &n), -1);
	CHECK_INT(parse_u64(" 1", &n), -1);
	CHECK_INT(parse_u64("1x", &n), -1);
}

/* matching --------------------------------------------------------------- */

static const struct timespec born = { 50, 8 };

/* A mark as a recorder notes it, of something with this mode. */
static struct stat
noted(struct mark *k, enum kind kind, mode_t mode)
{
	struct stat st;

	memset(&st, 0, sizeof(st));
	memset(k, 0, sizeof(*k));
	k->kind = kind;
	k->noted = NOTED_INODE | NOTED_CTIME;
	st.st_mode = mode;
	st.st_dev = 5;
	st.st_ino = 6;
	st.st_nlink = kind == KIND_DIR ? 2 : 1;
	st.st_uid = geteuid();
	st.st_mtim.tv_sec = 100;
	st.st_ctim.tv_sec = 200;
	st.st_ctim.tv_nsec = 7;
	k->dev = st.st_dev;
	k->ino = st.st_ino;
	k->btime = born;
	k->mtime = st.st_mtim;
	k->ctime = st.st_ctim;
	return st;
}

/* One that was born when the mark was. */
static int
matches(const struct mark *k, const struct stat *st, int other_boot)
{
	return mark_matches(k, st, &born, other_boot);
}

/* Inode numbers are reused: the time of birth tells, where it is known. */
static void
births(void)
{
	struct timespec other = { 50, 9 }, unknown = { 0, 0 };
	struct mark k;
	struct stat st = noted(&k, KIND_SOCKET, S_IFSOCK | 0444);

	CHECK(!mark_matches(&k, &st, &other, 0));
	CHECK(mark_matches(&k, &st, &unknown, 0));
	k.btime = unknown;
	CHECK(mark_matches(&k, &st, &other, 0));
}

static void
whatever_kind(enum kind kind, mode_t mode)
{
	struct mark k;
	struct stat st = noted(&k, kind, mode), other;

	CHECK(matches(&k, &st, 0));
	CHECK(matches(&k, &st, 1));
	other = st;
	other.st_ino++;
	CHECK(!matches(&k, &other, 0));
	CHECK(!matches(&k, &other, 1));
	/* device numbers change at a reboot */
	other = st;
	other.st_dev++;
	CHECK(!matches(&k, &other, 0));
	CHECK(matches(&k, &other, 1));
	other = st;
	other.st_uid++;
	CHECK(!matches(&k, &other, 0));
	other = st;
	other.st_mode = S_IFLNK | 0777;
	CHECK(!matches(&k, &other, 0));
	other.st_mode = S_IFIFO | 0444;
	CHECK(!matches(&k, &other, 0));
	other.st_mode = kind == KIND_FILE ? S_IFSOCK | 0444 : S_IFREG | 0444;
	CHECK(!matches(&k, &other, 0));
	k.noted = NOTED_CTIME;
	CHECK(!matches(&k, &st, 0));
	k.noted = 0;
	CHECK(!matches(&k, &st, 0));
}

static void
sockets(void)
{
	struct mark k;
	struct stat st = noted(&k, KIND_SOCKET, S_IFSOCK | 0444), other = st;

	/* chown -R, touch and backups change the ctime */
	other.st_ctim.tv_sec++;
	other.st_mode = S_IFSOCK | 0666;
	CHECK(matches(&k, &other, 0));
	other = st;
	other.st_nlink = 2;
	CHECK(!matches(&k, &other, 0));
}

static void
files(void)
{
	struct mark k;
	struct stat st = noted(&k, KIND_FILE, S_IFREG | 0644), other = st;

	other.st_ctim.tv_nsec++;
	CHECK(!matches(&k, &other, 0));
	CHECK(!matches(&k, &other, 1));
	k.noted = NOTED_INODE;	/* not placed yet: no ctime to compare */
	CHECK(matches(&k, &other, 0));
	other = st;
	other.st_mtim.tv_nsec++;
	CHECK(!matches(&k, &other, 0));
	k.noted |= NOTED_CTIME;
	other = st;
	other.st_size = 1;
	CHECK(!matches(&k, &other, 0));
	other = st;
	other.st_nlink = 2;
	CHECK(!matches(&k, &other, 0));
}

static void
dirs(void)
{
	struct mark k;
	struct stat st = noted(&k, KIND_DIR, S_IFDIR | 0755);

	/* emptiness is rmdir's to judge */
	st.st_ctim.tv_sec++;
	st.st_nlink = 9;
	st.st_size = 4096;
	st.st_mode = S_IFDIR | 0700;
	CHECK(matches(&k, &st, 0));
}

/* What is noted is what is matched, and what goes to disk and back. */
static void
noted_fields(void)
{
	struct mark k, back;
	struct stat st = noted(&k, KIND_SOCKET, S_IFSOCK | 0444);
	char *out = NULL;
	size_t len;
	FILE *fp;

	k.role = ROLE_KEEP;
	k.path = strdup("/p q");
	if ((fp = open_memstream(&out, &len)) == NULL)
		abort();
	mark_print(&k, fp);
	fclose(fp);
	CHECK_INT(parse(out, &back), 0);
	CHECK(matches(&back, &st, 0));
	CHECK_INT(back.role, ROLE_KEEP);
	CHECK_STR(back.path, "/p q");
	CHECK(back.mtime.tv_sec == 100 && back.ctime.tv_nsec == 7);
	free(out);
	free(k.path);
	free(back.path);
}

/* Noted from the file system, and found there again. */
static void
on_disk(void)
{
	const char *dir = unit_dir();
	struct stat st;
	struct mark k;

	memset(&k, 0, sizeof(k));
	k.kind = KIND_SOCKET;
	CHECK_INT(mark_note(&k, AT_FDCWD, "x"), -1);
	CHECK_INT(errno, ENOENT);
	CHECK_INT(mknod("x", S_IFSOCK | 0444, 0), 0);
	CHECK_INT(mark_note(&k, AT_FDCWD, "x"), 0);
	CHECK_INT(k.noted, NOTED_INODE | NOTED_CTIME);
	CHECK(mark_is_at(&k, AT_FDCWD, "x", 0, &st));
	CHECK(S_ISSOCK(st.st_mode) && st.st_ino == k.ino);
	CHECK(!mark_is_at(&k, AT_FDCWD, "y", 0, &st));
	CHECK_INT(rename("x", "y"), 0);
	CHECK(mark_is_at(&k, AT_FDCWD, "y", 0, &st));
	/* a link to it is not it, and nor is it with a second name */
	CHECK_INT(symlink("y", "x"), 0);
	CHECK(!mark_is_at(&k, AT_FDCWD, "x", 0, &st));
	CHECK_INT(link("y", "z"), 0);
	CHECK(!mark_is_at(&k, AT_FDCWD, "y", 0, &st));
	unit_rmdir(dir);
}

int
main(void)
{
	records();
	fields();
	words();
	whatever_kind(KIND_SOCKET, S_IFSOCK | 0444);
	whatever_kind(KIND_FILE, S_IFREG | 0644);
	whatever_kind(KIND_DIR, S_IFDIR | 0755);
	sockets();
	files();
	dirs();
	births();
	noted_fields();
	on_disk();
	return unit_failures != 0;
}
