/* SPDX-License-Identifier: ISC */
#ifndef SRT_LOCK_H
#define SRT_LOCK_H

/*
 * Open file description locks (fcntl_locking(2), F_OFD_*).  They belong to
 * the description: they survive exec, are shared by whoever inherited it and
 * go with its last close, whatever container or PID namespace asks.
 */

/* Take the exclusive lock on fd (open for writing); -1 with EAGAIN if held. */
int	lock_take(int fd);

/*
 * The same, but for this process alone (F_SETLK): no child has it, not even
 * until it becomes another program.  It goes when the process ends, and also
 * when that closes any descriptor of the file.
 */
int	lock_take_alone(int fd);

/*
 * Whether somebody else's description holds a lock on the file.  Asks with
 * F_OFD_GETLK, which takes nothing and so disturbs nobody; any open mode
 * will do.  Returns 1, 0, or -1 with errno.
 */
int	lock_held(int fd);

/*
 * The mutex of a place: take the lock on dirfd's file "lock", waiting at
 * most LOCK_WAIT_S seconds, and leave our pid in it.  Returns a descriptor
 * to close, or -1: EAGAIN when the wait was over, with *holder the pid that
 * is written in the file (0: none).
 */
#define LOCK_WAIT_S 5
int	lock_mutex(int dirfd, long *holder);

/*
 * Say why the mutex of the place at path cannot be had: errno and holder are
 * those of lock_mutex().
 */
void	lock_say(const char *path, long holder);

#endif
