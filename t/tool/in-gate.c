/* SPDX-License-Identifier: ISC */
/*
 * in-gate answer prog [arg ...]: runs prog with one end of a socket pair as
 * descriptor 9, waits for a byte on the other, writes "got BYTE" to
 * standard error, and answers: with the answer's bytes, or by closing where
 * it is empty; "-" closes without waiting.  The status is prog's.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	int sock[2], wstatus = 0;
	char c = '?';
	pid_t pid;

	if (argc < 3 || socketpair(AF_UNIX, SOCK_STREAM, 0, sock) == -1)
		return 64;
	if ((pid = fork()) == 0) {
		close(sock[0]);
		dup2(sock[1], 9);
		if (sock[1] != 9)
			close(sock[1]);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	close(sock[1]);
	signal(SIGPIPE, SIG_IGN);
	if (strcmp(argv[1], "-") != 0) {
		if (read(sock[0], &c, 1) == 1)
			fprintf(stderr, "got %c\n", c);
		if (write(sock[0], argv[1], strlen(argv[1])) == -1)
			perror("write");
	}
	/* at end of file the gate has been let go */
	if (argv[1][0] == 'g')
		while (read(sock[0], &c, 1) == 1)
			;
	close(sock[0]);
	waitpid(pid, &wstatus, 0);
	return WIFSIGNALED(wstatus) ? 128 + WTERMSIG(wstatus) :
	    WEXITSTATUS(wstatus);
}
