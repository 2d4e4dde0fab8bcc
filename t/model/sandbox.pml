/* SPDX-License-Identifier: ISC */
/*
 * A sandbox ---------------------------------------------------------------
 *
 * What can happen to its processes, in any order.  The model of a path says
 * what cover() and mount_own() are: the gate's look and cover, all in one
 * step, as what is changed between them counts as changed after them.
 */
#ifdef NO_MONITOR	/* weakened: nobody looks whether it lives */
#define MONITOR(s)	true
#else
#define MONITOR(s)	(mon[s] == UP)
#endif
proctype sandbox(byte s)
{
	do
	/* bubblewrap, the monitor: PDEATHSIG, or killed, or at the end */
	:: atomic { mon[s] == UP && ns[s] == NONE -> ns[s] = WAITS }
	:: atomic { mon[s] == UP && ns[s] == WAITS -> ns[s] = WRITTEN }
	:: atomic { mon[s] == UP && ns[s] == WRITTEN -> mount_own(s);
		ns[s] = FIRST }
	:: atomic { mon[s] == UP && (ns[s] == EMPTY || sup[s] == OVER ||
		!calm) -> mon[s] = OVER }

	/* cmd/srt-init.c: from "ready" on it ends with the monitor */
	:: atomic { ns[s] == FIRST -> orphan[s] = (mon[s] == OVER);
		ns[s] = ASKS }
	/* killed, or at end of file, or with the monitor; or by itself */
	:: atomic { ns[s] == FIRST && !calm -> ns[s] = ENDS }
	:: atomic { ns[s] == ASKS && (gate[s] == OVER || !calm ||
		(mon[s] == OVER && !orphan[s])) -> ns[s] = ENDS }
	:: atomic { ns[s] == RUNS -> ns[s] = ENDS }
	/* locks go first, then the other processes: do_exit() */
	:: atomic { ns[s] == ENDS -> orphan[s] = 0; ns[s] = EMPTY }

	/* lib/gate.c: gate_serve(): cover_all(), the monitor, "go" */
	:: atomic { gate[s] == UP && ns[s] == ASKS ->
#if EDITS == 0
		assert(is_as_marked(s));	/* no start fails for a clean-up */
#endif
		if
		:: is_as_marked(s) -> cover(s); gate[s] = COVERED
		:: else -> gate[s] = OVER	/* EXIT_AGAIN */
		fi;
#if EDITS == 0			/* nothing can happen in between */
		if
		:: gate[s] == COVERED && MONITOR(s) -> gate[s] = SEEN
		:: else -> gate[s] = OVER
		fi
#endif
	    }
	:: atomic { gate[s] == COVERED ->
		gate[s] = (MONITOR(s) -> SEEN : OVER) }
	/* told to the supervisor first, who has to be there */
	:: atomic { gate[s] == SEEN ->
		if
		:: ns[s] == ASKS && sup[s] == MADE ->
			assert(!orphan[s]); ns[s] = RUNS; gate[s] = WATCHES
		:: else -> gate[s] = OVER
		fi }
	:: atomic { gate[s] >= UP && gate[s] <= SEEN && (sup[s] == OVER ||
		(mon[s] == OVER && ns[s] != ASKS) || !calm) ->
		gate[s] = OVER }

	/* all that is left of it, or all there will ever be */
	:: atomic { sup[s] == OVER && mon[s] == YET -> mon[s] = OVER;
		gate[s] = OVER }
	:: atomic { is_over(s) && (ns[s] == NONE || ns[s] == EMPTY ||
		far[s]) -> break }
	od
}

/* judging ---------------------------------------------------------------- */

/*
 * lib/manifest.c, manifest_read() and judge().  In the code first its own
 * lock, then the text, then the lock of init, then the process.  One step
 * says the same: a lock that is free is never taken again, and the text of a
 * manifest without lock does not grow, so that whatever is found in the end
 * would have been found at once then.  same: in our PID namespace.
 */
#ifdef BY_MONITOR	/* weakened: only the monitor vouches */
#define is_live(s, same)	lock_held(s)
#else
#define is_live(s, same) \
	(lock_held(s) || (has_pid(s) && (init_held(s) || \
	 (same && ns[s] != EMPTY))))
#endif

#ifdef BY_AGE		/* weakened: an old one is over */
bit old;
inline judge(s, same)
{
	DO(if
	   :: old = 0
	   :: old = 1
	   fi)
}
#define found_live(s, same)	(is_live(s, same) && !old)
#else
inline judge(s, same)
{
	skip
}
#define found_live(s, same)	is_live(s, same)
#endif

/*
 * lib/claim.c: claim_in(), judge().  Without its monitor a sandbox is ending,
 * or waits for ever for what the monitor never said: whoever holds the lock
 * of its init is ended, if our /proc shows it.
 */
#ifdef STRAY_PID	/* weakened: only where there is no child-pid */
#define is_stray(s)	(ns[s] == WAITS)
#else
#define is_stray(s)	(ns[s] == WAITS || ns[s] == WRITTEN)
#endif


inline end_stray(s, same)
{
	if
	:: same && !lock_held(s) && is_stray(s) -> ns[s] = EMPTY
	:: else
	fi
}

inline claim(s, same)
{
	if
	:: man[s].name == NAMED ->
		judge(s, same);
		DO(end_stray(s, same);
		   if
		   :: !found_live(s, same) ->
			man[s].name = CLAIMED;
			far[s] = (ns[s] == WAITS)
		   :: else
		   fi)
	:: else
	fi
}

/*
 * lib/collect.c: is_due().  A claim of another PID namespace rests: that its
 * namespace has ended by then is an assumption.
 */
#ifdef NO_REST		/* weakened */
#define has_rested(s)	true
#else
#define has_rested(s)	(ns[s] != ENDS)
#endif
#ifdef ONE_JUDGE	/* weakened: what is claimed is over */
#define is_due(s, same)	(man[s].name == CLAIMED)
#else
#define is_due(s, same)	(man[s].name == CLAIMED && \
			 !found_live(s, same) && \
			 (same || has_rested(s)))
#endif
