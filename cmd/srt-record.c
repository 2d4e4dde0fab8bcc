/* SPDX-License-Identifier: ISC */
/*
 * srt-record: publish the manifest of a plan, make its placeholders, and
 * become bubblewrap.  Nobody watches the sandbox afterwards: srt-run does.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exits.h"
#include "file.h"
#include "gate.h"
#include "msg.h"
#include "opt.h"
#include "place.h"
#include "plan.h"
#include "record.h"
#include "sandbox.h"
#include "sys.h"

#define PLAN_MAX (64 << 20)	/* bytes */

static const char usage[] =
	"srt-record [-hV] [--bwrap path] [-p plan] -- prog [arg ...]";

static const struct option longopts[] = {
	{ "bwrap",	required_argument,	NULL, 'b' },
	{ "help",	no_argument,		NULL, 'h' },
	{ "version",	no_argument,		NULL, 'V' },
	{ NULL, 0, NULL, 0 }
};

/* Read from standard input the plan is not the command's to read. */
static void
load_plan(struct plan *plan, const char *path)
{
	int fd = strcmp(path, "-") == 0 ? dup(0) :
	    open(path, O_RDONLY | O_CLOEXEC);
	char *buf;
	size_t len;

	if (fd == -1 || file_slurp(fd, PLAN_MAX, &buf, &len) == -1)
		err(EXIT_OURS, "%s", path);
	file_close(&fd);
	if (plan_read(plan, path, buf, len) == -1)
		exit(EXIT_OURS);
	free(buf);
	if (strcmp(path, "-") == 0 && file_null_stdin() == -1)
		err(EXIT_OURS, "/dev/null");
}

/*
 * Somebody has to finish the sandbox from outside and say "go": a helper,
 * nobody's child, so that bubblewrap does not wait for it, and gone soon.
 */
static void
leave_helper(const struct plan *plan, struct record *record, struct gate *gate,
    int other_end)
{
	pid_t pid;

	if ((gate->monitor = sys_pidfd_open(getpid())) == -1)
		err(EXIT_OURS, "pidfd_open");
	if ((pid = fork()) == -1)
		err(EXIT_OURS, "fork");
	if (pid != 0) {
		while (waitpid(pid, NULL, 0) == -1 && errno == EINTR)
			;
		return;
	}
	if (fork() != 0)
		_exit(0);
	close(other_end);
	if (gate_serve(plan, record, gate) == EXIT_AGAIN)
		warnx("a denied path has changed meanwhile, nothing is run");
	_exit(0);
}

int
main(int argc, char **argv)
{
	struct programs programs;
	struct sandbox sandbox;
	struct places places;
	struct record record;
	struct plan plan;
	struct gate gate;
	const char *bwrap = NULL, *path = "-";
	int ch, args, status, sock[2];

	if (file_std_open(O_RDWR) == -1)
		return EXIT_OURS;
	while ((ch = getopt_long(argc, argv, "+hp:V", longopts, NULL)) != -1)
		switch (ch) {
		case 'b': bwrap = optarg; break;
		case 'h': help_and_exit(usage, EXIT_OURS);
		case 'p': path = optarg; break;
		case 'V': version_and_exit(EXIT_OURS);
		default: usage_and_exit(usage, EXIT_OURS);
		}
	argv += optind;
	if (argv[0] == NULL)
		usage_and_exit(usage, EXIT_OURS);
	load_plan(&plan, path);
	if (programs_open(&programs, bwrap) == -1 ||
	    programs_check(&programs, &plan, 0) == -1)
		return EXIT_OURS;
	memset(&sandbox, 0, sizeof(sandbox));
	sandbox.plan = &plan;
	sandbox.programs = &programs;
	sandbox.argv = argv;
	sandbox.messages = sandbox.stops = -1;
	if ((args = sandbox_args(&sandbox)) == -1)
		return EXIT_OURS;
	if (places_make(&places) == -1)
		err(EXIT_OURS, "SRT_PLACE: an absolute path is wanted");
	status = record_make(&plan, &places, 0, 0, &record);
	if (status != 0)
		return status == EXIT_FAIL ? EXIT_OURS : EXIT_AGAIN;
	sandbox.vouch = &record.vouch;
	sandbox.status = record.vouch.manifest[0];
	if (sandbox.status == -1)
		sandbox.status = memfd_create("bwrap-status", MFD_CLOEXEC);
	if (sandbox.status == -1 || socketpair(AF_UNIX, SOCK_STREAM |
	    SOCK_CLOEXEC, 0, sock) == -1)
		err(EXIT_OURS, "descriptors");
	memset(&gate, 0, sizeof(gate));
	gate.sock = sock[0];
	if (fstat(sock[1], &gate.peer) == -1)
		err(EXIT_OURS, "descriptors");
	gate.status = sandbox.status;
	gate.status_from = lseek(sandbox.status, 0, SEEK_END);
	gate.told = -1;
	leave_helper(&plan, &record, &gate, sock[1]);
	sandbox.gate = sock[1];
	return sandbox_exec(&sandbox, args);
}
