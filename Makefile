# make               the commands, static and small, in cmd/
# make check         lints, unit drivers, t/*.bats; ends with the totals
# make unit          the unit drivers alone, with musl and with sanitizers
# make lint          the cheap lints; LINT=all adds the analyzers
# make model         all configurations of t/model, minutes and gigabytes
# make demo          shows what the toolbox does, t/demo
# make bench         timings, no part of check
# make stress        the storm of t/stress in its long form, half an hour
# make install       to $(DESTDIR)$(PREFIX)
#
# check and demo install what they need first, as root on Debian.
# LDFLAGS= keeps the symbols for a debugger, WERROR=-Werror is for CI.

.POSIX:
.SUFFIXES:
.SUFFIXES: .c .o

VERSION = 0.1.0

PREFIX = /usr/local
DESTDIR =
BINDIR = $(DESTDIR)$(PREFIX)/bin
MANDIR = $(DESTDIR)$(PREFIX)/share/man

# cc where musl is the system's own libc, as on Alpine
CC != case $$(cc -dumpmachine 2>&1) in *musl*) echo cc;; *) echo musl-gcc;; esac
CFLAGS = -Os
LDFLAGS = -s
WERROR =
LINT = cheap

LIB = lib/libsrt.a
LIBOBJ = \
	lib/child.o \
	lib/claim.o \
	lib/collect.o \
	lib/cover.o \
	lib/emit.o \
	lib/file.o \
	lib/filter.o \
	lib/fixture.o \
	lib/gate.o \
	lib/kind.o \
	lib/line.o \
	lib/lock.o \
	lib/manifest.o \
	lib/mark.o \
	lib/msg.o \
	lib/opt.o \
	lib/place.o \
	lib/plan.o \
	lib/plantext.o \
	lib/profile.o \
	lib/record.o \
	lib/sandbox.o \
	lib/snapshot.o \
	lib/sys.o \
	lib/trail.o \
	lib/tree.o \
	lib/watch.o \
	lib/wipe.o \
	lib/workdir.o

BIN = \
	cmd/srt-claim \
	cmd/srt-collect \
	cmd/srt-doctor \
	cmd/srt-init \
	cmd/srt-lane \
	cmd/srt-live \
	cmd/srt-plan \
	cmd/srt-record \
	cmd/srt-run \
	cmd/srt-seccomp \
	cmd/srt-work

# scripts: installed as they are
SH = \
	cmd/srt

HDR = lib/*.h
UNIT != find t/unit -name '*.c' | sed 's/\.c$$//' | sort

# lib/musl-deps builds these, or links to the system's where that is musl
DEPS = .cache/musl
DEPFLAGS = -isystem $(DEPS)/include/bsd -isystem $(DEPS)/include \
	-idirafter $(DEPS)/kernel
LDLIBS = $(DEPS)/lib/libbsd.a $(DEPS)/lib/libmd.a $(DEPS)/lib/libjansson.a

WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes $(WERROR)
# OPENBSD_VIS: strnvis(3) is the one with the size last
DEFS = -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -DLIBBSD_OVERLAY \
	-DLIBBSD_OPENBSD_VIS
# unwind tables serve C++ and debuggers, and -g brings its own
SMALL = -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables
ALLFLAGS = -std=c11 $(WARN) $(DEFS) -Ilib $(DEPFLAGS) $(SMALL) $(CFLAGS)

# No page for what is made read-only once it is relocated: in a static program
# musl relocates nothing, and makes nothing so.  The data then follows the code.
LINK = $(CC) $(ALLFLAGS) -static -Wl,--gc-sections,-z,noseparate-code \
	-Wl,-z,norelro,-z,common-page-size=64 $(LDFLAGS)

all: $(BIN)

.c.o:
	$(CC) $(ALLFLAGS) -c -o $@ $<
.c:
	$(LINK) -o $@ $< $(LIB) $(LDLIBS)

$(LIBOBJ) $(BIN) $(UNIT): $(HDR) Makefile $(DEPS)/stamp
$(BIN) $(UNIT): $(LIB)

$(LIB): $(LIBOBJ)
	rm -f $@
	$(AR) rcs $@ $(LIBOBJ)

$(DEPS)/stamp: lib/musl-deps
	CC='$(CC)' lib/musl-deps libs $(DEPS)

# A bubblewrap of its own for some tests: static, as on a system with musl.
.cache/bwrap/stamp: lib/musl-deps
	CC='$(CC)' lib/musl-deps bwrap .cache/bwrap

# The same sources with glibc, which is where the sanitizers are.
SAN = .cache/san
SANOBJ = $(LIBOBJ:lib/%=$(SAN)/%)
SANUNIT = $(UNIT:t/%=$(SAN)/%)
SANFLAGS = -std=c11 $(WARN) $(DEFS) -Ilib -isystem /usr/include/bsd -g -O1 \
	-fsanitize=address,undefined -fno-sanitize-recover=all

$(SANOBJ) $(SANUNIT): $(HDR) Makefile
$(SAN)/%.o: lib/%.c
	@mkdir -p $(@D)
	gcc $(SANFLAGS) -c -o $@ $<
$(SAN)/unit/%: t/unit/%.c $(SANOBJ)
	@mkdir -p $(@D)
	gcc $(SANFLAGS) -o $@ $< $(SANOBJ) -lbsd -lmd -ljansson

drivers: $(UNIT) $(SANUNIT)

unit: drivers
	@printf '%s\n' $(UNIT) $(SANUNIT) | t/try

lint: all
	@t/lint $(LINT) '$(CC)' $(ALLFLAGS)

# "+": both start makes of their own
check:
	t/packages build unit check model
	+$(MAKE) -s all drivers .cache/bwrap/stamp
	+@LINT=$(LINT) t/run

demo:
	t/packages build demo
	+$(MAKE) -s all
	t/demo

model:
	t/packages model
	t/model/check all

# a stopwatch for the mutex, see t/bench/mutex
.cache/mutex/srt-run: cmd/srt-run.c t/bench/mutex.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(ALLFLAGS) -static -Wl,--wrap=lock_mutex,--wrap=file_close \
	    $(LDFLAGS) -o $@ cmd/srt-run.c t/bench/mutex.c $(LIB) $(LDLIBS)
	ln -sf ../../cmd/srt-init $(@D)

# srt-run without its watcher, to be compared
UNWATCHED = .cache/unwatched
$(UNWATCHED)/srt-run: cmd/srt-run.c t/bench/unwatched.c $(LIB)
	mkdir -p $(UNWATCHED)
	ln -sf ../../cmd/srt-init $(UNWATCHED)/srt-init
	$(LINK) -o $@ cmd/srt-run.c t/bench/unwatched.c $(LIB) $(LDLIBS)

bench: all $(UNWATCHED)/srt-run
	t/bench/run

stress: all
	t/private t/stress/storm -n 32 -m 500
	t/private t/stress/storm -c -n 32 -m 500

install: all
	install -d $(BINDIR)
	install $(BIN) $(SH) $(BINDIR)
	for page in cmd/*.[1-8]; do \
		install -D -m 644 $$page \
		    $(MANDIR)/man$${page##*.}/$${page##*/} || exit; \
	done

# The libraries for musl stay: rm -r .cache has them built anew.
clean:
	rm -f $(BIN) $(LIB) $(LIBOBJ) $(UNIT)
	rm -rf $(SAN)

.PHONY: all bench check clean demo drivers install lint model stress unit
