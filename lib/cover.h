/* SPDX-License-Identifier: ISC */
#ifndef SRT_COVER_H
#define SRT_COVER_H

#include "plan.h"
#include "record.h"

/*
 * The mounts that bubblewrap cannot make, or not exactly enough, made from
 * outside in the sandbox's mount namespace.  The caller is in it, and in the
 * user namespace that owns it.
 */

/*
 * Cover everything the plan denies, and check what bubblewrap has mounted:
 *
 *  - a placeholder gets an empty read-only file over it, on the very inode
 *    that was recorded;
 *  - a denied symbolic link gets itself mounted over itself, so that it
 *    cannot be replaced (mount(2) would follow it, move_mount(2) need not);
 *  - what is bound read-only must be what stands outside now.  Where it is
 *    an empty file that bubblewrap made as a mount point, because the path
 *    had just gone, the file is taken into the manifest.
 *
 * host is an O_PATH descriptor of the root outside.  Returns 0, EXIT_AGAIN
 * where a path has changed since it was planned, or EXIT_OURS after a
 * message.
 */
int	cover_all(const struct plan *, struct record *, int host);

#endif
