/* SPDX-License-Identifier: ISC */
/*
 * stops	a parent that waits for its child to be stopped, as shells do
 *
 * Says "ready", and "stopped" each time waitpid(2) does.
 */
#include <err.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(void)
{
	pid_t child = fork();
	int wstatus;

	if (child == -1)
		err(1, "fork");
	if (child == 0)
		for (;;)
			pause();
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	puts("ready");
	while (waitpid(child, &wstatus, WUNTRACED) == child)
		if (WIFSTOPPED(wstatus))
			puts("stopped");
	return 0;
}
