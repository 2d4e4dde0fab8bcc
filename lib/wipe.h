/* SPDX-License-Identifier: ISC */
#ifndef SRT_WIPE_H
#define SRT_WIPE_H

/*
 * Removing a tree that something hostile has made, and may still be changing.
 * Every name is looked up in a directory that is open, as one component; no
 * symbolic link is followed and no mount point crossed (openat2(2),
 * RESOLVE_NO_SYMLINKS and RESOLVE_NO_XDEV), and the way up is never taken by
 * "..": whatever is renamed meanwhile, only what was found in the tree goes.
 */

/*
 * Open the directory name in dirfd to be wiped; -1 with errno: ELOOP or
 * ENOTDIR for what is none, EXDEV for a mount point.  A mode that keeps its
 * owner out is reset.
 */
int	wipe_open(int dirfd, const char *name);

/*
 * Remove all there is in the directory fd, which path names in messages; the
 * flags and modes that would stop it are reset.  Returns 0, or -1 after
 * messages that name what stays.
 */
int	wipe_below(int fd, const char *path);

/*
 * Remove the directory fd itself, which is name in dirfd, once it is empty;
 * what fills it again meanwhile is wiped again, some times.  0, or -1 after
 * messages.
 */
int	wipe_dir(int fd, int dirfd, const char *name, const char *path);

/*
 * Set or clear the immutable flag of an open file or directory; clearing takes
 * append-only along (FS_IOC_SETFLAGS, ioctl_iflags(2)).  -1 with errno.
 */
int	flag_set(int fd);
int	flag_clear(int fd);

#endif
