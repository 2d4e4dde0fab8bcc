/* SPDX-License-Identifier: ISC */
#ifndef SRT_LINE_H
#define SRT_LINE_H

#include <stddef.h>
#include <stdio.h>

/*
 * The one format of everything that crosses a pipe or stays on disk: text,
 * one record a line, words separated by blanks, each word encoded with
 * vis(3) (octal, white space included) so that any byte but NUL survives
 * and a record never spans lines.  srt-stream(5) lists the records.
 */

#define LINE_WORDS 9		/* no record has more words */

struct line_reader {
	const char	*name;	/* of the source, for messages; borrowed */
	unsigned long	 lineno;	/* of the last record, from 1 */
	char		*word[LINE_WORDS + 1];	/* decoded, then NULL */
	size_t		 nwords;
	char		*next, *end;
};

/*
 * Read records from text, len bytes at buf, which the reader changes and
 * borrows until the caller is done with the words.
 */
void	line_open(struct line_reader *, const char *name, char *buf,
	    size_t len);

/*
 * The next record that is neither empty nor a comment (first character #).
 * Returns 1 with word[] and nwords set, 0 at the end, -1 with errno EPROTO
 * for a bad escape, a control byte or too many words (lineno says where).
 */
int	line_next(struct line_reader *);

/* Write s encoded; stdio keeps errors until fflush(3). */
void	line_put(FILE *, const char *s);

/* One path of a list: a line, or as it is with a NUL behind it (-0). */
void	line_put_path(FILE *, const char *path, int nul);

/*
 * s encoded, in memory the caller frees; NULL with ENOMEM.  The second is
 * for people: spaces stay.
 */
char	*line_encode(const char *s);
char	*line_printable(const char *s);

#endif
