/* SPDX-License-Identifier: ISC */
/*
 * The life of a run, of its manifest and of its sandbox, whatever path it is
 * about: what plain.pml and nested.pml have in common.  README.md says what
 * is checked, in which configurations, and what is left out.
 *
 * A step is one atomic block, about a system call, with the function that
 * makes it beside it.  Before each step the process may have been killed:
 * that is the way to "dead" in STEP.  SIGSTOP needs nothing: spin tries every
 * order, so that each process stands still for as long as anything takes.
 */

/* The name of a manifest in the place. */
#define GONE	0
#define NAMED	1	/* ID.manifest */
#define CLAIMED	2	/* ID.claimed */

/* The roles of a mark; and what is in the plan only, no mark. */
#define MAKE	1
#define RELY	2
#define OWN	3	/* "taken for the user's" */
#define is_mark(r)	((r) == MAKE || (r) == RELY)

/* The processes of run s, and what each of them holds open. */
#define YET	0	/* not started */
#define UP	1	/* supervisor, gate, monitor: with the manifest's lock */
#define MADE	2	/* supervisor: the same, record_make() has succeeded */
#define COVERED	2	/* gate: the same, all is covered */
#define SEEN	3	/* and the monitor has been seen alive */
#define FREE	4	/* gate: it is the watcher, without a lock */
#define OVER	5
byte sup[2], gate[2], mon[2];

/* The child of the monitor, in a namespace of its own. */
#define NONE	0
#define WAITS	1	/* for the monitor to write its pid: bubblewrap's */
#define WRITTEN	2	/* that has been done, and it has not been told */
#define FIRST	3	/* srt-init */
#define ASKS	4	/* it ends with the monitor; "ready" */
#define RUNS	5	/* the command */
#define ENDS	6	/* init has let go of its lock; others still run */
#define EMPTY	7
byte ns[2];
bit orphan[2];		/* init has missed the end of the monitor */
/*
 * Claimed in another PID namespace a child that waits for ever is not seen,
 * and nobody looks for it again.  It ends with its namespace.
 */
bit far[2];

byte mutex;		/* who holds it; 0: nobody */
#define BY_SUP(s)	(1 + (s))
#define BY_WATCH(s)	(3 + (s))
#define BY_CLEAN(c)	(5 + (c))

/* From some moment on nobody is killed any more, and nothing is stuck then. */
#ifdef CALM
bit calm;
#else
#define calm	0
#endif

/* What stands behind "child-pid" in the manifest: was the line written? */
#define has_pid(s)	(ns[s] >= WRITTEN)

/* Whose lock is held?  (fcntl_locking(2): by whoever has it open) */
#ifdef ONE_LOCK		/* weakened: one description for both */
#define lock_held(s)	(sup[s] == UP || sup[s] == MADE || \
			 (gate[s] >= UP && gate[s] <= SEEN) || \
			 mon[s] == UP || (ns[s] >= WAITS && ns[s] <= RUNS))
#else
#define lock_held(s)	(sup[s] == UP || sup[s] == MADE || \
			 (gate[s] >= UP && gate[s] <= SEEN) || mon[s] == UP)
#endif
#define init_held(s)	(sup[s] == UP || sup[s] == MADE || \
			 (gate[s] >= UP && gate[s] <= SEEN) || \
			 (ns[s] >= WAITS && ns[s] <= RUNS))

/* Does the command run, or may it still come to that? */
#define may_run(s)	(sup[s] == MADE || (gate[s] >= UP && gate[s] <= SEEN) || \
			 ns[s] == RUNS || ns[s] == ENDS)

/* Over, but for a child of a killed monitor that waits for ever. */
#define is_over(s)	(sup[s] == OVER && gate[s] == OVER && mon[s] == OVER && \
			 (ns[s] <= WRITTEN || ns[s] == EMPTY))

/* steps ----------------------------------------------------------------- */

#define STEP(x)	if :: atomic { x } :: !calm -> goto dead fi
/* of a clean-up, which may be the last one, that nobody kills */
#define DO(x)	if :: atomic { x } :: !calm && !last -> goto dead fi

/* lock_mutex(): whoever waits for more than five seconds gives up. */
#define LOCK(me)	LOCK_OR(me, !calm)
#ifdef NO_MUTEX		/* weakened */
#define LOCK_OR(me, killed)	skip
#else
#define LOCK_OR(me, killed)	if \
				:: atomic { mutex == 0 -> mutex = me } \
				:: mutex != 0 -> goto busy \
				:: killed -> goto dead \
				fi
#endif
#define UNLOCK(me)	if :: mutex == me -> mutex = 0 :: else fi
