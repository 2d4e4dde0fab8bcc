/* SPDX-License-Identifier: ISC */
/*
 * in-calls: makes every call that the filter of a sandbox refuses, and prints
 * what each was answered, "EPERM mount"; and some of the same calls with
 * arguments that are nobody's business.  "passes" is what got through to the
 * kernel: a filter of our own answers it in its stead (with SECCOMP_RET_TRACE
 * and no tracer the call is not made, and ENOSYS, see seccomp(2)), so that
 * this can be run anywhere, as root too.  What the sandbox is to answer with
 * ENOSYS itself is really made, with arguments that no kernel accepts.
 */
#include <errno.h>
#include <linux/btrfs.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* newer than some headers; the same on every architecture */
#ifndef SYS_mount_setattr
#define SYS_mount_setattr	442
#endif
#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd		443
#endif
#ifndef SYS_open_tree_attr
#define SYS_open_tree_attr	467
#endif

#define HIGH	0x100000000	/* the kernel does not look at that half */

static const struct call {
	const char	*name;
	long		 nr;
	unsigned long	 arg[2];
	int		 made;	/* not held up by our own filter */
} calls[] = {
	{ "unshare:user", SYS_unshare, { CLONE_NEWUSER }, 0 },
	{ "unshare:mnt", SYS_unshare, { CLONE_NEWNS }, 0 },
	{ "unshare:net,files", SYS_unshare, { CLONE_NEWNET | CLONE_FILES }, 0 },
	{ "unshare:time", SYS_unshare, { 0x80 }, 0 },
	{ "unshare:files", SYS_unshare, { CLONE_FILES }, 0 },
	{ "clone:user", SYS_clone, { CLONE_NEWUSER | SIGCHLD }, 0 },
	{ "clone:mnt", SYS_clone, { CLONE_NEWNS | SIGCHLD }, 0 },
	{ "clone:pid", SYS_clone, { CLONE_NEWPID | CLONE_VM }, 0 },
	{ "clone:fork", SYS_clone, { SIGCHLD }, 0 },
	{ "clone3", SYS_clone3, { 0, 0 }, 1 },
	{ "setns", SYS_setns, { 0 }, 0 },
	{ "mount", SYS_mount, { 0 }, 0 },
	{ "umount2", SYS_umount2, { 0 }, 0 },
	{ "pivot_root", SYS_pivot_root, { 0 }, 0 },
	{ "open_tree", SYS_open_tree, { 0 }, 0 },
	{ "move_mount", SYS_move_mount, { 0 }, 0 },
	{ "fsopen", SYS_fsopen, { 0 }, 0 },
	{ "fsconfig", SYS_fsconfig, { 0 }, 0 },
	{ "fsmount", SYS_fsmount, { 0 }, 0 },
	{ "fspick", SYS_fspick, { 0 }, 0 },
	{ "mount_setattr", SYS_mount_setattr, { 0 }, 0 },
	{ "open_tree_attr", SYS_open_tree_attr, { 0 }, 0 },
	{ "fcntl:SETLEASE", SYS_fcntl, { 0, 1024 }, 0 },
	{ "fcntl:SETDELEG", SYS_fcntl, { 0, 1040 }, 0 },
	{ "fcntl:GETFL", SYS_fcntl, { 0, 3 }, 0 },
	{ "ioctl:TIOCSTI", SYS_ioctl, { 0, 0x5412 }, 0 },
	{ "ioctl:TIOCSTI,high", SYS_ioctl, { 0, HIGH | 0x5412 }, 0 },
	{ "ioctl:TIOCLINUX", SYS_ioctl, { 0, 0x541c }, 0 },
	{ "ioctl:SNAP_CREATE", SYS_ioctl, { 0, BTRFS_IOC_SNAP_CREATE }, 0 },
	{ "ioctl:SNAP_CREATE_V2", SYS_ioctl, { 0, BTRFS_IOC_SNAP_CREATE_V2 },
	    0 },
	{ "ioctl:SNAP_DESTROY", SYS_ioctl, { 0, BTRFS_IOC_SNAP_DESTROY }, 0 },
	{ "ioctl:SNAP_DESTROY_V2", SYS_ioctl, { 0, BTRFS_IOC_SNAP_DESTROY_V2 },
	    0 },
	{ "ioctl:SUBVOL_CREATE", SYS_ioctl, { 0, BTRFS_IOC_SUBVOL_CREATE }, 0 },
	{ "ioctl:TIOCGWINSZ", SYS_ioctl, { 0, 0x5413 }, 0 },
	{ "socket:unix", SYS_socket, { AF_UNIX, SOCK_STREAM }, 0 },
	{ "socket:unix,high", SYS_socket, { HIGH | AF_UNIX, 2 }, 0 },
	{ "socket:vsock", SYS_socket, { AF_VSOCK, SOCK_STREAM }, 0 },
	{ "socket:inet", SYS_socket, { AF_INET, SOCK_STREAM }, 0 },
	{ "socket:netlink", SYS_socket, { AF_NETLINK, SOCK_RAW }, 0 },
	{ "socketpair:dgram", SYS_socketpair, { AF_UNIX, SOCK_DGRAM }, 0 },
	{ "socketpair:dgram,cloexec", SYS_socketpair,
	    { AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC }, 0 },
	{ "socketpair:raw", SYS_socketpair, { AF_UNIX, SOCK_RAW }, 0 },
	{ "socketpair:stream", SYS_socketpair, { AF_UNIX, SOCK_STREAM }, 0 },
	{ "socketpair:seqpacket", SYS_socketpair,
	    { AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK }, 0 },
	{ "ptrace:attach,1", SYS_ptrace, { 16, 1 }, 0 },
	{ "ptrace:seize,1", SYS_ptrace, { 0x4206, 1 }, 0 },
	{ "ptrace:traceme,1", SYS_ptrace, { 0, 1 }, 0 },
	{ "ptrace:attach,2", SYS_ptrace, { 16, 2 }, 0 },
	{ "process_vm_readv:1", SYS_process_vm_readv, { 1 }, 0 },
	{ "process_vm_readv:2", SYS_process_vm_readv, { 2 }, 0 },
	{ "process_vm_writev:1", SYS_process_vm_writev, { 1 }, 0 },
	{ "process_vm_writev:2", SYS_process_vm_writev, { 2 }, 0 },
	{ "pidfd_getfd", SYS_pidfd_getfd, { 0 }, 0 },
	{ "io_uring_setup", SYS_io_uring_setup, { 0 }, 1 },
	{ "io_uring_enter", SYS_io_uring_enter, { ~0UL }, 1 },
	{ "io_uring_register", SYS_io_uring_register, { ~0UL }, 1 },
	{ "bpf", SYS_bpf, { 0 }, 0 },
	{ "perf_event_open", SYS_perf_event_open, { 0 }, 0 },
	{ "userfaultfd", SYS_userfaultfd, { 0 }, 0 },
	{ "open_by_handle_at", SYS_open_by_handle_at, { 0 }, 0 },
	{ "add_key", SYS_add_key, { 0 }, 1 },
	{ "request_key", SYS_request_key, { 0 }, 1 },
	{ "keyctl", SYS_keyctl, { ~0UL }, 1 },
	{ "kexec_load", SYS_kexec_load, { 0 }, 0 },
	{ "kexec_file_load", SYS_kexec_file_load, { 0 }, 0 },
	{ "init_module", SYS_init_module, { 0 }, 0 },
	{ "finit_module", SYS_finit_module, { 0 }, 0 },
	{ "delete_module", SYS_delete_module, { 0 }, 0 },
	{ "swapon", SYS_swapon, { 0 }, 0 },
	{ "swapoff", SYS_swapoff, { 0 }, 0 },
	{ "reboot", SYS_reboot, { 0 }, 0 },
	{ "quotactl", SYS_quotactl, { 0 }, 0 },
	{ "quotactl_fd", SYS_quotactl_fd, { 0 }, 0 }
};
#define NCALLS	(sizeof(calls) / sizeof(*calls))

/* All that are not really made are answered by us, if nobody else does it. */
static int
hold_up(void)
{
	static struct sock_filter code[2 * NCALLS + 2];
	struct sock_fprog prog = { 0, code };
	size_t i;

	code[prog.len++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W |
	    BPF_ABS, offsetof(struct seccomp_data, nr));
	for (i = 0; i < NCALLS; i++) {
		if (calls[i].made)
			continue;
		code[prog.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP |
		    BPF_JEQ | BPF_K, (unsigned)calls[i].nr, 0, 1);
		code[prog.len++] = (struct sock_filter)BPF_STMT(BPF_RET |
		    BPF_K, SECCOMP_RET_TRACE);
	}
	code[prog.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
	    SECCOMP_RET_ALLOW);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == -1 ? -1 : 0;
}

static const char *
name_of(int errnum, int made)
{
	if (errnum == ENOSYS)
		return made ? "ENOSYS" : "passes";
	return made ? "passes" : errnum == EPERM ? "EPERM" :
	    errnum == EAFNOSUPPORT ? "EAFNOSUPPORT" : strerror(errnum);
}

#ifdef __x86_64__
/* getpid(2) as the ABI of 32 bits has it: 20 */
static long
as_i386(void)
{
	long r;

	__asm__ volatile("int $0x80" : "=a" (r) : "a" (20) : "memory",
	    "r8", "r9", "r10", "r11");
	return r;
}
#endif

/* What comes of a call by another ABI. */
static const char *
other_abi(void)
{
#ifdef __x86_64__
	int wstatus = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(as_i386() == getpid() ? 0 : 1);
	waitpid(pid, &wstatus, 0);
	if (!WIFSIGNALED(wstatus))
		return WEXITSTATUS(wstatus) == 0 ? "passes" : "fails";
	return WTERMSIG(wstatus) == SIGSYS ? "SIGSYS" : "none";
#else
	return "none";
#endif
}

int
main(void)
{
	size_t i;

	printf("%s i386\n", other_abi());
	fflush(stdout);
	if (hold_up() == -1) {
		perror("seccomp");
		return 1;
	}
	for (i = 0; i < NCALLS; i++) {
		const struct call *c = &calls[i];

		if (syscall(c->nr, c->arg[0], c->arg[1], 0, 0, 0, 0) != -1)
			printf("passes %s\n", c->name);
		else
			printf("%s %s\n", name_of(errno, c->made), c->name);
	}
	return 0;
}
