/* SPDX-License-Identifier: ISC */
#ifndef SRT_SNAPSHOT_H
#define SRT_SNAPSHOT_H

/*
 * Read-only copies of files and directories: of regular files and directories
 * only, with holes, by FICLONE or copy_file_range(2) where the file system has
 * them.  Nothing is looked up but as one component in a directory that is open
 * already, and no symbolic link is followed.
 */

struct snapshot {
	int	(*tick)(const struct snapshot *);	/* or NULL; see below */
	unsigned long long	files;	/* copied so far */
	unsigned long long	bytes;
	/* private: */
	int			no_clone, no_range, no_flag, flag_late;
	unsigned long long	seen_files, seen_bytes, entries;
};

/*
 * Copy the open file or directory fd, which path names in messages, to name in
 * todir, where nothing may be.  Directories stay writable until they are
 * sealed; files are immutable at once where that costs nothing.  tick is called
 * now and then, after some entries or MiB; what it returns, if not 0, ends the
 * copy.
 *
 * A file whose size or modification time has changed meanwhile is refused, and
 * so is a tree with anything in it that is neither a file nor a directory, or
 * that is more than SNAPSHOT_DEPTH directories deep; each takes two descriptors
 * meanwhile.  Returns 0, what tick returned, or -1 after a message; then the
 * caller removes what there is.
 */
#define SNAPSHOT_DEPTH 2000
int	snapshot_copy(struct snapshot *, int fd, const char *path, int todir,
	    const char *name);

/*
 * Look the finished copy name in dirfd through: that it has nothing but what
 * was copied, and make it read-only: files 0444, directories 0555, and
 * immutable where we may.  Returns as snapshot_copy().
 */
int	snapshot_seal(struct snapshot *, int dirfd, const char *name,
	    const char *path);

/*
 * Whether all files and bytes that were copied have been sealed, to be asked
 * after the last.
 */
int	snapshot_is_whole(const struct snapshot *);

#endif
