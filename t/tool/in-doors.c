/* SPDX-License-Identifier: ISC */
/*
 * in-doors pid: tries every door that leads from a sandboxed command into
 * the process pid (PID 1 of the sandbox), out of its mounts, or to more
 * privileges, and prints "open: DOOR" for each that is not shut.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

static pid_t pid;

static void
tell(long result, const char *door)
{
	if (result != -1)
		printf("open: %s\n", door);
}

/* The same in a child, for what changes the process. */
static void
tell_child(long (*f)(void), const char *door)
{
	int wstatus = 0;
	pid_t child;

	fflush(stdout);
	if ((child = fork()) == 0)
		_exit(f() == -1 ? 1 : 0);
	waitpid(child, &wstatus, 0);
	tell(wstatus == 0 ? 0 : -1, door);
}

static void
of_proc(void)
{
	static const struct {
		const char	*name;
		int		 flags;
		int		 read;	/* opens, and refuses to be read */
	} file[] = {
		{ "mem", O_RDONLY, 0 }, { "mem", O_RDWR, 0 },
		{ "environ", O_RDONLY, 0 },
		{ "maps", O_RDONLY, 0 }, { "smaps", O_RDONLY, 0 },
		{ "pagemap", O_RDONLY, 0 }, { "auxv", O_RDONLY, 0 },
		{ "syscall", O_RDONLY, 1 }, { "stack", O_RDONLY, 1 },
		{ "io", O_RDONLY, 1 }, { "root", O_PATH | O_DIRECTORY, 0 },
		{ "root/etc", O_RDONLY, 0 }, { "cwd", O_PATH | O_DIRECTORY, 0 },
		{ "cwd/.", O_RDONLY, 0 }, { "exe", O_RDONLY, 1 },
		{ "ns/mnt", O_RDONLY, 0 }, { "ns/user", O_RDONLY, 0 },
		{ "ns/pid", O_RDONLY, 0 }, { "ns/net", O_RDONLY, 0 },
		{ "task/1/mem", O_RDWR, 0 }
	};
	char path[PATH_MAX], buf[64], door[PATH_MAX + 16];
	size_t i;
	int fd;

	for (i = 0; i < sizeof(file) / sizeof(*file); i++) {
		snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid,
		    file[i].name);
		if ((fd = open(path, file[i].flags)) == -1)
			continue;
		if (!file[i].read || read(fd, buf, sizeof(buf)) > 0)
			tell(0, path);
		close(fd);
	}
	for (i = 0; i < 64; i++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%zu", (int)pid, i);
		snprintf(door, sizeof(door), "open %s", path);
		tell(open(path, O_RDONLY | O_NONBLOCK), door);
		tell(open(path, O_RDWR | O_NONBLOCK), door);
		tell(open(path, O_PATH), door);
		snprintf(door, sizeof(door), "readlink %s", path);
		tell(readlink(path, buf, sizeof(buf)), door);
		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%zu", (int)pid,
		    i);
		tell(open(path, O_RDONLY), path);
	}
}

static void
of_process(void)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0), i, any = 0;
	char buf[16];
	struct iovec local = { buf, sizeof(buf) };
	struct iovec remote = { (void *)(uintptr_t)0x400000, sizeof(buf) };

	for (i = 0; i < 64; i++)
		if (syscall(SYS_pidfd_getfd, pidfd, i, 0) != -1)
			any = 1;
	tell(any ? 0 : -1, "pidfd_getfd");
	tell(ptrace(PTRACE_SEIZE, pid, NULL, NULL), "ptrace seize");
	if (process_vm_readv(pid, &local, 1, &remote, 1, 0) != -1 ||
	    errno == EFAULT)
		tell(0, "process_vm_readv");
	if (process_vm_writev(pid, &local, 1, &remote, 1, 0) != -1 ||
	    errno == EFAULT)
		tell(0, "process_vm_writev");
	tell(setns(pidfd, CLONE_NEWNS), "setns mnt");
	tell(setns(pidfd, CLONE_NEWUSER), "setns user");
	tell(setns(pidfd, CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID),
	    "setns all");
	tell(syscall(SYS_kcmp, getpid(), pid, 0, 0, 0), "kcmp");
}

static long new_user(void) { return unshare(CLONE_NEWUSER); }
static long new_user_mnt(void) { return unshare(CLONE_NEWUSER | CLONE_NEWNS); }
static long new_mnt(void) { return unshare(CLONE_NEWNS); }
static long new_pid(void) { return unshare(CLONE_NEWPID); }
static long new_net(void) { return unshare(CLONE_NEWNET); }
static long new_ipc(void) { return unshare(CLONE_NEWIPC); }
static long new_uts(void) { return unshare(CLONE_NEWUTS); }
static long new_cgroup(void) { return unshare(CLONE_NEWCGROUP); }

static long
clone_user(void)
{
	long child = syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWNS | SIGCHLD,
	    0, 0, 0, 0);

	if (child == 0)
		_exit(0);
	return child;
}

static void
of_namespaces(void)
{
	tell_child(new_user, "unshare user");
	tell_child(new_user_mnt, "unshare user and mnt");
	tell_child(new_mnt, "unshare mnt");
	tell_child(new_pid, "unshare pid");
	tell_child(new_net, "unshare net");
	tell_child(new_ipc, "unshare ipc");
	tell_child(new_uts, "unshare uts");
	tell_child(new_cgroup, "unshare cgroup");
	tell_child(clone_user, "clone user");
	tell(open("/proc/sys/user/max_user_namespaces", O_WRONLY),
	    "max_user_namespaces");
	tell(open("/proc/self/uid_map", O_WRONLY) == -1 ? -1 :
	    write(open("/proc/self/uid_map", O_WRONLY), "0 0 1\n", 6),
	    "uid_map");
}

static long root_of(void) { return chroot("."); }

static long
root_pivot(void)
{
	return syscall(SYS_pivot_root, ".", ".");
}

/* The system calls for mounts; in vain without CAP_SYS_ADMIN. */
static void
of_mounts(void)
{
	tell(mount("tmpfs", "/tmp", "tmpfs", 0, NULL), "mount tmpfs");
	tell(mount("/", "/tmp", NULL, MS_BIND, NULL), "mount bind");
	tell(mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL),
	    "mount remount");
	tell(mount(NULL, "/", NULL, MS_SHARED | MS_REC, NULL), "mount shared");
	tell(mount("/proc", "/tmp", NULL, MS_MOVE, NULL), "mount move");
	tell(umount2("/proc", MNT_DETACH), "umount /proc");
	tell(umount2("/tmp", MNT_DETACH), "umount /tmp");
	tell(syscall(SYS_open_tree, AT_FDCWD, "/", 1), "open_tree clone");
	tell(syscall(SYS_fsopen, "tmpfs", 0), "fsopen");
	tell(syscall(SYS_fspick, AT_FDCWD, "/", 0), "fspick");
	tell_child(root_of, "chroot");
	tell_child(root_pivot, "pivot_root");
}

static long
other_uid(void)
{
	return setuid(getuid() == 0 ? 1 : 0);
}

static void
of_privileges(void)
{
	char line[256];
	FILE *fp = fopen("/proc/self/status", "r");
	int cap;

	while (fp != NULL && fgets(line, sizeof(line), fp) != NULL)
		if (strncmp(line, "Cap", 3) == 0 &&
		    strcmp(line + 7, "\t0000000000000000\n") != 0)
			printf("open: %s", line);
		else if (strcmp(line, "NoNewPrivs:\t0\n") == 0)
			printf("open: %s", line);
	for (cap = 0; cap < 64; cap++)
		if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1)
			tell(0, "bounding set");
	tell(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0), "ambient");
	tell_child(other_uid, "setuid");
	tell(mknod("/tmp/node", S_IFBLK | 0600, makedev(8, 0)), "mknod block");
	tell(mknod("/tmp/mem", S_IFCHR | 0600, makedev(1, 1)), "mknod char");
	tell(open("/proc/sysrq-trigger", O_WRONLY), "sysrq-trigger");
	tell(open("/proc/sys/kernel/core_pattern", O_WRONLY), "core_pattern");
	tell(open("/proc/sys/kernel/modprobe", O_WRONLY), "modprobe");
	tell(open("/proc/sys/vm/overcommit_memory", O_WRONLY), "overcommit");
	tell(open("/proc/kcore", O_RDONLY), "kcore");
	tell(open("/sys/kernel/uevent_helper", O_WRONLY), "uevent_helper");
	tell(open("/dev/mem", O_RDONLY), "/dev/mem");
	tell(open("/dev/kmsg", O_WRONLY), "/dev/kmsg");
	tell(open("/dev/sda", O_RDONLY), "/dev/sda");
	tell(open("/dev/fuse", O_RDWR), "/dev/fuse");
}

int
main(int argc, char **argv)
{
	if (argc != 2)
		return 64;
	pid = (pid_t)strtol(argv[1], NULL, 10);
	of_proc();
	of_process();
	of_namespaces();
	of_mounts();
	of_privileges();
	return 0;
}
