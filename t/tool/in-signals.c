/* SPDX-License-Identifier: ISC */
/*
 * in-signals: sends every signal to all that it can see, in every way there
 * is, and then goes on: prints "still here", and ends with status 3.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void
strike(pid_t pid, int sig)
{
	union sigval value = { .sival_int = sig };
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);

	kill(pid, sig);
	kill(-pid, sig);
	sigqueue(pid, sig, value);
	syscall(SYS_tgkill, pid, pid, sig);
	syscall(SYS_tkill, pid, sig);
	if (pidfd != -1) {
		syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0);
		close(pidfd);
	}
	setpriority(PRIO_PROCESS, (id_t)pid, 19);
}

static void
strike_all(int sig)
{
	struct dirent *d;
	DIR *proc = opendir("/proc");
	pid_t pid;

	while (proc != NULL && (d = readdir(proc)) != NULL) {
		pid = (pid_t)strtol(d->d_name, NULL, 10);
		if (pid > 0 && pid != getpid())
			strike(pid, sig);
	}
	if (proc != NULL)
		closedir(proc);
	/* and whom it cannot see */
	for (pid = 1; pid < 500; pid++)
		if (pid != getpid())
			strike(pid, sig);
	/* all but PID 1 and ourselves: kill(2) */
	kill(-1, sig);
}

int
main(void)
{
	int fd, sig;

	setsid();
	for (sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_IGN);
	/* to whoever has the terminal, or our descriptors, open */
	for (fd = 0; fd < 3; fd++)
		for (sig = 1; sig < NSIG; sig++) {
			fcntl(fd, F_SETOWN, 1);
			fcntl(fd, F_SETSIG, sig);
			fcntl(fd, F_SETFL, O_ASYNC);
		}
	for (sig = 1; sig < NSIG; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			strike_all(sig);
	strike_all(SIGSTOP);
	strike_all(SIGCONT);
	strike_all(SIGKILL);
	puts("still here");
	return 3;
}
