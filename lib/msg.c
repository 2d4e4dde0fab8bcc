/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "line.h"
#include "msg.h"

void
msg_path(const char *path, const char *fmt, ...)
{
	int saved = errno;
	char *name = line_printable(path);
	char *what = NULL, *line = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	if (vasprintf(&what, fmt, ap) == -1)
		what = NULL;
	va_end(ap);
	n = asprintf(&line, "%s: %s: %s%s%s\n", program_invocation_short_name,
	    name == NULL ? "?" : name, what == NULL ? "out of memory" : what,
	    saved == 0 ? "" : ": ", saved == 0 ? "" : strerror(saved));
	/* one write(2): lines of several processes do not mix */
	if (n > 0)
		file_write(2, line, (size_t)n);
	free(line);
	free(what);
	free(name);
	errno = saved;
}
