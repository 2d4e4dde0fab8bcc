/* SPDX-License-Identifier: ISC */
/* The text that crosses pipes: what is written can be read again. */
#include "line.h"
#include "unit.h"

/* Words of the next record of text, joined by "|"; "!" for EPROTO, "" end. */
static const char *
next(struct line_reader *r)
{
	static char out[256];
	size_t i;
	int got;

	errno = 0;
	got = line_next(r);
	out[0] = '\0';
	if (got == -1)
		return errno == EPROTO ? "!" : "wrong errno";
	for (i = 0; got == 1 && i < r->nwords; i++) {
		strlcat(out, r->word[i], sizeof(out));
		strlcat(out, "|", sizeof(out));
	}
	if (got == 1)
		CHECK(r->word[r->nwords] == NULL);
	return out;
}

/* The first record of text, len bytes, with one spare byte behind. */
static const char *
first(const char *text, size_t len)
{
	static char *buf;
	struct line_reader r;

	free(buf);
	if ((buf = malloc(len + 1)) == NULL)
		return NULL;
	memcpy(buf, text, len);
	buf[len] = '\0';
	line_open(&r, "x", buf, len);
	return next(&r);
}

#define FIRST(text) first(text, sizeof(text) - 1)

static void
records(void)
{
	char text[] = "a b\n"
	    "\n"
	    " \t \n"
	    "# comment\n"
	    "  # comment, too\n"
	    "\tc  d\t\te \n"
	    "f#g # h\n"
	    "last";
	struct line_reader r;

	line_open(&r, "x", text, sizeof(text) - 1);
	CHECK_STR(r.name, "x");
	CHECK_STR(next(&r), "a|b|");
	CHECK_INT(r.lineno, 1);
	CHECK_STR(next(&r), "c|d|e|");
	CHECK_INT(r.lineno, 6);
	CHECK_STR(next(&r), "f#g|#|h|");
	CHECK_STR(next(&r), "last|");
	CHECK_INT(r.lineno, 8);
	CHECK_STR(next(&r), "");
	CHECK_STR(next(&r), "");
	CHECK_STR(FIRST(""), "");
	CHECK_STR(FIRST("\n\n"), "");
	CHECK_STR(FIRST("#"), "");
}

static void
limits(void)
{
	struct line_reader r;
	char text[] = "ok\nbad\\\nfine\n";

	CHECK_STR(FIRST("1 2 3 4 5 6 7 8 9\n"), "1|2|3|4|5|6|7|8|9|");
	CHECK_STR(FIRST("1 2 3 4 5 6 7 8 9 0\n"), "!");
	CHECK_STR(FIRST("1 2 3 4 5 6 7 8 9 \t \n"),
	    "1|2|3|4|5|6|7|8|9|");
	line_open(&r, "x", text, sizeof(text) - 1);
	next(&r);
	CHECK_STR(next(&r), "!");
	CHECK_INT(r.lineno, 2);
}

static void
escapes(void)
{
	CHECK_STR(FIRST("a\\040b\n"), "a b|");
	CHECK_STR(FIRST("\\043x\n"), "#x|");
	CHECK_STR(FIRST("a\\012b\\011c\\134d\n"), "a\nb\tc\\d|");
	CHECK_STR(FIRST("a\\\\b\n"), "a\\b|");
	CHECK_STR(FIRST("\\377\n"), "\377|");
	CHECK_STR(FIRST("\377\n"), "\377|");
	CHECK_STR(FIRST("a\\q\n"), "!");
	CHECK_STR(FIRST("a\\400\n"), "!");
	CHECK_STR(FIRST("a\\07\n"), "!");
	CHECK_STR(FIRST("a\\\n"), "!");
	CHECK_STR(FIRST("a\\"), "!");
	CHECK_STR(FIRST("a\\000b\n"), "!");
	CHECK_STR(FIRST("\\000\n"), "!");
	CHECK_STR(FIRST("a\\000\n"), "!");
	CHECK_STR(FIRST("a\0b\n"), "!");
	CHECK_STR(FIRST("a\n\0\n"), "a|");
	CHECK_STR(FIRST("# \0\n"), "!");
}

/* Through line_encode and line_put, and back. */
static void
round_trip(const char *s)
{
	char *enc = line_encode(s), *put = NULL, *e;
	size_t len;
	FILE *fp = open_memstream(&put, &len);
	struct line_reader r;

	if (fp == NULL || enc == NULL)
		abort();
	line_put(fp, s);
	putc('\n', fp);
	fclose(fp);
	for (e = enc; *e != '\0'; e++)
		if (*e <= ' ' || *e > '~') {
			CHECK(0 && "unsafe byte in encoding");
			break;
		}
	CHECK(strncmp(put, enc, strlen(enc)) == 0);
	CHECK_INT(len, strlen(enc) + 1);
	line_open(&r, "x", put, len);
	/* a word that begins like a comment is never the first of a line */
	if (*s != '#') {
		CHECK_INT(line_next(&r), 1);
		CHECK_INT(r.nwords, 1);
		CHECK_STR(r.word[0], s);
		CHECK_INT(line_next(&r), 0);
	}
	free(enc);
	free(put);
}

static void
every_byte(void)
{
	char word[] = "/x/y";
	int a, b;

	for (a = 1; a < 256 && unit_failures < 20; a++)
		for (b = 1; b < 256; b++) {
			word[0] = (char)a;
			word[2] = (char)b;
			round_trip(word);
			word[1] = (char)b;
			round_trip(word);
			word[1] = 'x';
		}
	round_trip("\\");
	round_trip("\\\\040");
	round_trip("\n");
	round_trip("/tail\\");
	round_trip("\303\244 \303");
}

static void
path_lists(void)
{
	char *out = NULL;
	size_t len;
	FILE *fp = open_memstream(&out, &len);

	if (fp == NULL)
		abort();
	line_put_path(fp, "/a b\n", 0);
	line_put_path(fp, "/a b\n", 1);
	fclose(fp);
	CHECK_INT(len, sizeof("/a\\040b\\012\n/a b\n\0") - 1);
	CHECK(memcmp(out, "/a\\040b\\012\n/a b\n\0", len) == 0);
	free(out);
}

int
main(void)
{
	records();
	limits();
	escapes();
	every_byte();
	path_lists();
	return unit_failures != 0;
}
