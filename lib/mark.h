/* SPDX-License-Identifier: ISC */
#ifndef SRT_MARK_H
#define SRT_MARK_H

#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

/*
 * Marks: what a plan and a manifest say of one placeholder.  As a record
 * (srt-stream(5)):
 *
 *	make KIND MODE PATH
 *	rely KIND MODE DEV INO BTIME MTIME CTIME PATH	(and keep likewise)
 */

enum role {
	ROLE_MAKE,	/* this run made it, or was about to */
	ROLE_RELY,	/* another's placeholder that this run needs, too */
	ROLE_KEEP	/* another's, below a write root: only pinned */
};

enum kind { KIND_SOCKET, KIND_FILE, KIND_DIR };

/* Which of the identity below is known. */
#define NOTED_INODE	1	/* dev, ino, btime, mtime */
#define NOTED_CTIME	2	/* ctime: it has its final name */

struct mark {
	char		*path;
	size_t		 index;	/* in its manifest: the aside name has it */
	int		 undone;
	enum role	 role;
	enum kind	 kind;
	mode_t		 mode;	/* it is made with */
	int		 noted;
	dev_t		 dev;
	ino_t		 ino;
	struct timespec	 btime;	/* of birth; 0.0 where that is not known */
	struct timespec	 mtime, ctime;
};

/* The word for a kind, and back; -1 for a word that is none. */
const char *kind_name(enum kind);
int	kind_parse(const char *word, enum kind *);

/* Whether word begins a mark's record. */
int	mark_is_record(const char *word);

/* The n words of a record into *k, whose path is the caller's to free. */
int	mark_parse(struct mark *k, char **word, size_t n);

/* The record, with its newline. */
void	mark_print(const struct mark *, FILE *);

/* DEV INO BTIME MTIME, four words; and CTIME. */
int	mark_parse_inode(struct mark *, char **word);
int	mark_parse_ctime(struct mark *, const char *word);

/* Take the identity of what stands at name in dirfd; -1 with errno. */
int	mark_note(struct mark *, int dirfd, const char *name);

/*
 * Is st, what stands at the mark's path, still the placeholder that was
 * noted?  Inode numbers are reused at once, so the time of birth has to be
 * the same where it is known.  A socket with the noted inode and one link
 * is ours whatever its ctime; a regular file needs the noted ctime, size 0
 * and one link; a directory is told by its inode.  other_boot: device
 * numbers are not compared, they change at a reboot or remount.
 */
int	mark_matches(const struct mark *, const struct stat *,
	    const struct timespec *btime, int other_boot);

/* Do both mean the same thing at the same path? */
int	mark_is_same(const struct mark *, const struct mark *);

/* mark_matches() of what stands at name in dirfd, *st then describes it. */
int	mark_is_at(const struct mark *, int dirfd, const char *name,
	    int other_boot, struct stat *st);

/* Decimal numbers up to 64 bits (inode numbers exceed strtonum(3)); -1. */
int	parse_u64(const char *word, unsigned long long *n);

/* One time as records have it, SECONDS.NANOSECONDS, and back; -1. */
#define TIME_FMT "%lld.%09ld"
#define TIME_ARG(ts) (long long)(ts).tv_sec, (ts).tv_nsec
int	parse_time(const char *word, struct timespec *ts);

#endif
