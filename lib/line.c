/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "line.h"

void
line_open(struct line_reader *r, const char *name, char *buf, size_t len)
{
	memset(r, 0, sizeof(*r));
	r->name = name;
	r->next = buf;
	r->end = buf + len;
}

static int
is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/*
 * The byte that the escape behind a backslash at *p stands for, with *p left
 * behind it; -1 for what vis(3) would not have written.  Stricter than
 * unvis(3), which takes \q for q: a deny of another path than was meant is
 * worse than an error.
 */
static int
decode_escape(const char **p)
{
	const char *e = *p;
	int byte;

	*p += 1;
	switch (*e) {
	case '\\': return '\\';
	case 'n': return '\n';
	case 's': return ' ';
	case 't': return '\t';
	}
	if (!is_octal(e[0]) || !is_octal(e[1]) || !is_octal(e[2]))
		return -1;
	*p = e + 3;
	byte = (e[0] - '0') << 6 | (e[1] - '0') << 3 | (e[2] - '0');
	return byte == 0 || byte > 0377 ? -1 : byte;
}

/* In place: a word never grows.  No word holds a NUL. */
static int
decode(char *word)
{
	const char *p = word;
	char *w = word;
	int byte;

	while (*p != '\0') {
		if (*p != '\\') {
			*w++ = *p++;
			continue;
		}
		p++;
		if ((byte = decode_escape(&p)) == -1) {
			errno = EPROTO;
			return -1;
		}
		*w++ = (char)byte;
	}
	*w = '\0';
	return 0;
}

static int
split(struct line_reader *r, char *p)
{
	char *word;

	r->nwords = 0;
	while ((word = strsep(&p, " \t")) != NULL) {
		if (*word == '\0')
			continue;
		if (r->nwords == LINE_WORDS) {
			errno = EPROTO;
			return -1;
		}
		if (decode(word) == -1)
			return -1;
		r->word[r->nwords++] = word;
	}
	r->word[r->nwords] = NULL;
	return 0;
}

/*
 * Control bytes are written as escapes, a tab between words excepted.  One
 * as it is, is a mistake: a carriage return would be part of a name.
 */
static int
has_control(const char *p, size_t len)
{
	for (; len > 0; len--, p++)
		if (((unsigned char)*p < ' ' && *p != '\t') || *p == 0x7f)
			return 1;
	return 0;
}

int
line_next(struct line_reader *r)
{
	char *eol, *p;

	while (r->next < r->end) {
		p = r->next;
		eol = memchr(p, '\n', (size_t)(r->end - p));
		if (eol == NULL)
			eol = r->end;
		r->next = eol + 1;
		r->lineno++;
		if (has_control(p, (size_t)(eol - p))) {
			errno = EPROTO;
			return -1;
		}
		*eol = '\0';	/* file_slurp leaves room behind the end */
		p += strspn(p, " \t");
		if (*p == '#' || *p == '\0')
			continue;
		if (split(r, p) == -1)
			return -1;
		return 1;
	}
	return 0;
}

/*
 * One byte, in the form of vis(3) with VIS_OCTAL.  Not with vis(3) itself:
 * libbsd's goes through the locale's characters, and musl's C locale has
 * some for bytes above 0x7f that are none (mbrtowc gives 0xdf80 and up), so
 * that one byte would come out as two.
 */
static char *
encode_byte(char *p, unsigned char c, int plain_blanks)
{
	if (c == '\\') {
		*p++ = '\\';
		*p++ = '\\';
	} else if ((c > ' ' && c < 0x7f) || (c == ' ' && plain_blanks))
		*p++ = (char)c;
	else {
		*p++ = '\\';
		*p++ = (char)('0' + (c >> 6));
		*p++ = (char)('0' + (c >> 3 & 7));
		*p++ = (char)('0' + (c & 7));
	}
	return p;
}

static char *
encode(const char *s, int plain_blanks)
{
	char *enc = reallocarray(NULL, strlen(s) + 1, 4), *p = enc;

	if (enc == NULL)
		return NULL;
	for (; *s != '\0'; s++)
		p = encode_byte(p, (unsigned char)*s, plain_blanks);
	*p = '\0';
	return enc;
}

char *
line_encode(const char *s)
{
	return encode(s, 0);
}

char *
line_printable(const char *s)
{
	return encode(s, 1);
}

void
line_put(FILE *fp, const char *s)
{
	char enc[4] = "";

	for (; *s != '\0'; s++)
		fwrite(enc, 1, (size_t)(encode_byte(enc, (unsigned char)*s,
		    0) - enc), fp);
}

void
line_put_path(FILE *fp, const char *path, int nul)
{
	if (nul)
		fputs(path, fp);
	else
		line_put(fp, path);
	putc(nul ? '\0' : '\n', fp);
}
