/* SPDX-License-Identifier: ISC */
/*
 * What the filter refuses (filter.h): a table for each concern, a row for each
 * call, with the reason.  Included with CONCERN and CALL defined, and so
 * without a guard.
 *
 *	CONCERN(word, lifted by, why)
 *	CALL(name, number on x86_64, on aarch64, when, answer, why)
 *
 * When is ALWAYS, IS(argument, value) or HAS(argument, bits), any of them; the
 * answer an errno, or 0 to let the call pass.  Rows of one call stand
 * together, the first that fits decides.  Of arguments the low 32 bits count:
 * the kernel itself looks at no more of these, so that what stands in the high
 * ones must not let anything pass.
 */

/* sched.h has them; not all, and not for both architectures */
#define NEW_BY_CLONE	0x7e020000U	/* CLONE_NEWNS, NEWCGROUP to NEWNET */
#define NEW_BY_UNSHARE	0x7e020080U	/* and CLONE_NEWTIME */

CONCERN(namespaces, FILTER_NESTED,
    "in a mount namespace of its own a command can take covers off, and pins "
    "do not hold")
CALL(unshare, 272, 97, HAS(0, NEW_BY_UNSHARE), EPERM,
    "makes namespaces")
CALL(clone, 56, 220, HAS(0, NEW_BY_CLONE), EPERM,
    "makes namespaces")
CALL(clone3, 435, 435, ALWAYS, ENOSYS,
    "its flags are in memory, where no filter sees them; libc then uses clone")
CALL(setns, 308, 268, ALWAYS, EPERM,
    "enters the namespaces of another process")

CONCERN(mounts, FILTER_NESTED,
    "covers and pins are mounts")
CALL(mount, 165, 40, ALWAYS, EPERM, "mounts, moves, remounts writable")
CALL(umount2, 166, 39, ALWAYS, EPERM, "takes a cover off")
CALL(pivot_root, 155, 41, ALWAYS, EPERM, "leaves what is mounted behind")
CALL(open_tree, 428, 428, ALWAYS, EPERM, "clones mounts without their covers")
CALL(move_mount, 429, 429, ALWAYS, EPERM, "moves mounts, covers among them")
CALL(fsopen, 430, 430, ALWAYS, EPERM, "sets up a file system to be mounted")
CALL(fsconfig, 431, 431, ALWAYS, EPERM, "sets up a file system to be mounted")
CALL(fsmount, 432, 432, ALWAYS, EPERM, "mounts a file system")
CALL(fspick, 433, 433, ALWAYS, EPERM, "reconfigures a mounted file system")
CALL(mount_setattr, 442, 442, ALWAYS, EPERM, "makes mounts writable")
CALL(open_tree_attr, 467, 467, ALWAYS, EPERM,
    "open_tree and mount_setattr in one")

CONCERN(ioctls, 0,
    "what is typed into the terminal is read by a shell outside; and btrfs "
    "does not look at what is mounted where")
CALL(ioctl, 16, 29, IS(1, 0x5412), EPERM,
    "TIOCSTI types into the terminal")
CALL(ioctl, 16, 29, IS(1, 0x541c), EPERM,
    "TIOCLINUX pastes into a virtual console")
CALL(ioctl, 16, 29, IS(1, 0x50009401), EPERM,
    "BTRFS_IOC_SNAP_CREATE copies a subvolume with what is hidden in it")
CALL(ioctl, 16, 29, IS(1, 0x50009417), EPERM,
    "BTRFS_IOC_SNAP_CREATE_V2, the same")
CALL(ioctl, 16, 29, IS(1, 0x5000940f), EPERM,
    "BTRFS_IOC_SNAP_DESTROY removes a subvolume with what is denied in it")
CALL(ioctl, 16, 29, IS(1, 0x5000943f), EPERM,
    "BTRFS_IOC_SNAP_DESTROY_V2, the same")

CONCERN(leases, 0,
    "whoever opens the file outside, to read it even, waits for 45 s")
CALL(fcntl, 72, 25, IS(1, 1024), EPERM,
    "F_SETLEASE, on any file of the user's that can be read")
CALL(fcntl, 72, 25, IS(1, 1040), EPERM,
    "F_SETDELEG (Linux 6.19), on directories, too")

CONCERN(sockets, FILTER_SOCKETS,
    "of families that no network namespace confines: what listens outside "
    "would do the command's bidding")
CALL(socket, 41, 198, IS(0, 1), EAFNOSUPPORT,
    "AF_UNIX: D-Bus, container engines, agents, wherever a path leads to one")
CALL(socket, 41, 198, IS(0, 40), EAFNOSUPPORT,
    "AF_VSOCK: the host of a virtual machine, and its other guests")
CALL(socketpair, 53, 199, HAS(1, 2), EAFNOSUPPORT,
    "SOCK_DGRAM, SOCK_RAW: one of a pair can be sent from to any socket; "
    "stream pairs cannot be connected again")

CONCERN(init, 0,
    "PID 1 of the sandbox holds the locks that vouch for the run")
CALL(ptrace, 101, 117, IS(0, 0), 0,
    "PTRACE_TRACEME does not look at the pid")
CALL(ptrace, 101, 117, IS(1, 1), EPERM, "takes PID 1 over")
CALL(process_vm_readv, 310, 270, IS(0, 1), EPERM, "reads PID 1's memory")
CALL(process_vm_writev, 311, 271, IS(0, 1), EPERM, "writes PID 1's memory")
CALL(pidfd_getfd, 438, 438, ALWAYS, EPERM,
    "takes a process's descriptors, and a filter cannot see whose")

CONCERN(kernel, 0,
    "more of the kernel than a command needs, with a history of holes")
CALL(io_uring_setup, 425, 425, ALWAYS, ENOSYS,
    "does what system calls do without being one, past this filter")
CALL(io_uring_enter, 426, 426, ALWAYS, ENOSYS, "the same")
CALL(io_uring_register, 427, 427, ALWAYS, ENOSYS, "the same")
CALL(bpf, 321, 280, ALWAYS, EPERM, "loads programs into the kernel")
CALL(perf_event_open, 298, 241, ALWAYS, EPERM,
    "watches other processes and the kernel")
CALL(userfaultfd, 323, 282, ALWAYS, EPERM,
    "lets a process hold the kernel up where it reads memory")
CALL(open_by_handle_at, 304, 265, ALWAYS, EPERM,
    "opens files without a path, so past what is mounted over them")

CONCERN(keyrings, 0,
    "the caller's session keyring comes along, with keys from outside")
CALL(add_key, 248, 217, ALWAYS, ENOSYS, "puts keys into it")
CALL(request_key, 249, 218, ALWAYS, ENOSYS,
    "has a program run outside that gets the key")
CALL(keyctl, 250, 219, ALWAYS, ENOSYS, "reads and changes it")

CONCERN(machine, 0,
    "is for those who run the machine")
CALL(kexec_load, 246, 104, ALWAYS, EPERM, "another kernel")
CALL(kexec_file_load, 320, 294, ALWAYS, EPERM, "another kernel")
CALL(init_module, 175, 105, ALWAYS, EPERM, "kernel modules")
CALL(finit_module, 313, 273, ALWAYS, EPERM, "kernel modules")
CALL(delete_module, 176, 106, ALWAYS, EPERM, "kernel modules")
CALL(swapon, 167, 224, ALWAYS, EPERM, "swap")
CALL(swapoff, 168, 225, ALWAYS, EPERM, "swap")
CALL(reboot, 169, 142, ALWAYS, EPERM, "the machine's end")
CALL(quotactl, 179, 60, ALWAYS, EPERM, "other users' quotas")
CALL(quotactl_fd, 443, 443, ALWAYS, EPERM, "other users' quotas")
