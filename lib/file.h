/* SPDX-License-Identifier: ISC */
#ifndef SRT_FILE_H
#define SRT_FILE_H

#include <stddef.h>
#include <sys/types.h>

/* Small helpers on open files and paths.  All keep errno on failure. */

/*
 * Read all of fd, at most max bytes, into *buf (the caller frees it), with
 * one spare byte behind the end.  Returns 0, or -1: EFBIG if there is more.
 */
int	file_slurp(int fd, size_t max, char **buf, size_t *len);

/* Write all of it, or return -1. */
int	file_write(int fd, const void *buf, size_t len);

/* Make /dev/null the standard input, what was read is not to be read again. */
int	file_null_stdin(void);

/*
 * Open /dev/null for whichever of 0, 1 and 2 is closed: what we open must
 * not become the command's standard output, or ours.  With O_RDWR what is
 * written there is gone, with O_RDONLY it is an error.  -1 if that cannot be
 * done.
 */
int	file_std_open(int flags);

/* close(2) that leaves errno alone; -1 is passed over. */
void	file_close(int *fd);

/*
 * Open the directory that holds the absolute path p, following no symbolic
 * link in any component (openat2(2), RESOLVE_NO_SYMLINKS), and point *name
 * at the last component in p.  Returns an O_PATH descriptor or -1.
 */
int	file_parent(const char *p, const char **name);

/* "." or "..", which readdir(3) gives as well. */
int	dir_is_dot(const char *name);

/*
 * What is at name in dirfd, as the d_type that readdir(3) gave, or asked for
 * where that is DT_UNKNOWN, as on some file systems; DT_UNKNOWN if it has gone.
 */
int	dir_type(int dirfd, const char *name, int type);

/* The path of the program that is running, NULL without /proc. */
char	*file_self(void);

/* The path of name in the directory it lies in; NULL likewise. */
char	*file_beside(const char *name);

/* Whether path is dir or lies below it, by component; both absolute, clean. */
int	path_within(const char *path, const char *dir);

/*
 * An absolute path without empty, "." and ".." components, the last taken
 * away from what precedes it by text.  The caller frees it; NULL: ENOMEM.
 */
char	*path_clean(const char *abs);

/* dir and name with one slash between; the caller frees it. */
char	*path_join(const char *dir, const char *name);

#endif
