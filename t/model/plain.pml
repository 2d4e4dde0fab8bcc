/* SPDX-License-Identifier: ISC */
/*
 * Two runs that deny the same path, two clean-ups, and a user at work
 * outside.  With PATHS=2 the first run denies a second path, too.
 */
#ifndef PATHS
#define PATHS	1
#endif
#ifdef RETRY		/* the second attempt plans under the mutex */
#define ATTEMPTS	2
#define is_locked	(attempt == 1)
#elif defined(LOCKED)	/* the first does */
#define ATTEMPTS	1
#define is_locked	true
#else
#define ATTEMPTS	1
#define is_locked	false
#endif
#ifndef EDITS
#define EDITS	0	/* by the user, at most */
#endif
#define denies(s, p)	((p) == 0 || (s) == 0)

/* What stands at a name: an object, told by device, inode and birth. */
#define NOTHING		0
#define OURS(s, p)	(1 + (s) + 2 * (p))	/* made by run s for path p */
#define AGAIN(s, n)	(5 + (s) + 2 * (n))	/* by its watcher */
#define BLANK		9	/* the user's own empty file */
#define FULL		10	/* and one with content */
#define is_ours(o)	((o) != NOTHING && (o) < BLANK)
#define is_user(o)	((o) >= BLANK)

byte at[PATHS];

/* Marks: one for each path, or the plan's and the watcher's two. */
#ifdef WATCH
#define MARKS	3
#define WMAKE	1	/* "make", by record_again() */
#define WJOIN	2	/* "rely", by record_join() */
#define WATCHES	FREE
#else
#define MARKS	PATHS
#define WATCHES	OVER	/* nobody has anything to watch */
#endif
#if PATHS == 1
#define path_of(i)	0
#else
#define path_of(i)	(i)
#endif

typedef manifest {
	byte name;
	byte role[MARKS];
	byte obj[MARKS];	/* NOTHING: not noted yet */
	byte aside[MARKS];	/* what stands under the aside name */
};
manifest man[2];

#if EDITS > 0
byte covered[2 * PATHS];	/* what run s has covered at path p */
#define covers(s, p)	covered[(s) * PATHS + (p)]
#endif

#include "life.pml"

/* claims ---------------------------------------------------------------- */

#define marks(s, i, p, o) \
	(path_of(i) == (p) && is_mark(man[s].role[i]) && man[s].obj[i] == (o))
#if MARKS == 1
#define any_marks(s, p, o)	marks(s, 0, p, o)
#elif MARKS == 2
#define any_marks(s, p, o)	(marks(s, 0, p, o) || marks(s, 1, p, o))
#else
#define any_marks(s, p, o)	(marks(s, 0, p, o) || marks(s, 1, p, o) || \
				 marks(s, 2, p, o))
#endif

/* Does a sandbox rely on it, by a mark or because it took it for the user's? */
#define uses(s, i, p, o)	(path_of(i) == (p) && man[s].role[i] != 0 && \
				 man[s].obj[i] == (o))
#if MARKS == 1
#define any_uses(s, p, o)	uses(s, 0, p, o)
#elif MARKS == 2
#define any_uses(s, p, o)	(uses(s, 0, p, o) || uses(s, 1, p, o))
#else
#define any_uses(s, p, o)	(uses(s, 0, p, o) || uses(s, 1, p, o) || \
				 uses(s, 2, p, o))
#endif

/* A collector takes what stands at p from its name. */
inline take(p)
{
	if
	:: is_ours(at[p]) ->
		assert(!(may_run(0) && any_uses(0, p, at[p])));
		assert(!(may_run(1) && any_uses(1, p, at[p])))
	:: else
	fi;
	at[p] = NOTHING
}

/* The kernel detaches what is mounted on something that is removed. */
inline detach(o)
{
#if EDITS > 0
	if :: covers(0, 0) == o -> covers(0, 0) = NOTHING :: else fi;
	if :: covers(1, 0) == o -> covers(1, 0) = NOTHING :: else fi;
#if PATHS == 2
	if :: covers(0, 1) == o -> covers(0, 1) = NOTHING :: else fi
#endif
#endif
	skip
}

/* A process of ours removes it. */
inline unlink(o)
{
	assert(is_ours(o));
	detach(o);
	o = NOTHING
}

/* a manifest that has gone says nothing any more */
inline forget(s)
{
	man[s].name = GONE;
	man[s].role[0] = 0; man[s].obj[0] = NOTHING;
#if MARKS > 1
	man[s].role[1] = 0; man[s].obj[1] = NOTHING;
#endif
#if MARKS > 2
	man[s].role[2] = 0; man[s].obj[2] = NOTHING;
#endif
}

/* the gate ---------------------------------------------------------------- */

/* bubblewrap binds what is the user's own over itself */
inline mount_own(s)
{
#if EDITS > 0
	if :: man[s].role[0] == OWN -> covers(s, 0) = at[0] :: else fi;
#if PATHS == 2
	if :: man[s].role[1] == OWN -> covers(s, 1) = at[1] :: else fi
#endif
#endif
	skip
}

#if EDITS > 0
/* cover_first(), check_self() */
#define one_is(s, p) \
	(man[s].role[p] == 0 || (at[p] != NOTHING && \
	 at[p] == (man[s].role[p] == OWN -> covers(s, p) : man[s].obj[p])))
#else
#define one_is(s, p) \
	(man[s].role[p] == 0 || (at[p] != NOTHING && \
	 (man[s].role[p] == OWN || at[p] == man[s].obj[p])))
#endif
#if PATHS == 1
#define is_as_marked(s)	one_is(s, 0)
#else
#define is_as_marked(s)	(one_is(s, 0) && one_is(s, 1))
#endif
inline cover(s)
{
#if EDITS > 0
	if :: man[s].role[0] -> covers(s, 0) = at[0] :: else fi;
#if PATHS == 2
	if :: man[s].role[1] -> covers(s, 1) = at[1] :: else fi
#endif
#endif
	skip
}

#include "sandbox.pml"

/*
 * The supervisor ----------------------------------------------------------
 *
 * cmd/srt-run.c.  The mutex makes readdir(3) complete; a reader without may
 * miss a manifest that is renamed meanwhile: "was" is its name when the
 * reading began.
 */
#define names(s, p, o)	(man[s].name != GONE && any_marks(s, p, o))
#define misses(s)	(was == NAMED && man[s].name == CLAIMED)

/* lib/plan.c: heed_mark(); lib/emit.c: emit_outside() */
inline decide(s, p)
{
	if
	:: saw[p] == NOTHING && denies(s, p) -> man[s].role[p] = MAKE
	:: saw[p] != NOTHING && denies(s, p) ->
		man[s].obj[p] = saw[p];
		if
		:: names(1 - s, p, saw[p]) -> man[s].role[p] = RELY
		:: !names(1 - s, p, saw[p]) || misses(1 - s) ->
			man[s].role[p] = OWN
		fi
	:: else
	fi;
	saw[p] = NOTHING
}

/* lib/record.c: makes_hold(), relies_hold(), owns_hold() */
#define holds(s, p) \
	((man[s].role[p] == MAKE && at[p] == NOTHING) || \
	 (man[s].role[p] == RELY && at[p] == man[s].obj[p]) || \
	 (man[s].role[p] == OWN && man[s].obj[p] != FULL && \
	  at[p] == man[s].obj[p] && !named[p]) || \
	 (man[s].role[p] == OWN && man[s].obj[p] == FULL && at[p] == FULL) || \
	 man[s].role[p] == 0)

proctype supervise(byte s)
{
	byte saw[PATHS];
	bit named[PATHS];
	byte was, attempt, p;

#ifdef RUNNING
	if :: s == 0 -> goto wait :: else fi;
#endif
again:
	/* prepare(): in the end the plan is made under the mutex, too */
	if
	:: is_locked -> LOCK(BY_SUP(s))
	:: else
	fi;
	/* plan_make(): first the paths are looked at, then manifests read */
#ifdef READ_FIRST
	/*
	 * Weakened: in the other order, and blank ones are not judged again.
	 * Either alone does no harm.
	 */
	STEP(named[0] = (man[1 - s].name != GONE); saw[0] = man[1 - s].obj[0]);
	STEP(if
	    :: at[0] == NOTHING -> man[s].role[0] = MAKE
	    :: else ->
		man[s].obj[0] = at[0];
		man[s].role[0] = (named[0] && saw[0] == at[0] -> RELY : OWN)
	    fi;
	    named[0] = 0; saw[0] = 0);
#else
	STEP(saw[0] = at[0]; was = man[1 - s].name);
#if PATHS == 2
	STEP(saw[1] = at[1]; was = man[1 - s].name);
#endif
	STEP(decide(s, 0);
#if PATHS == 2
	    decide(s, 1);
#endif
	    was = 0);
#endif
	/* manifest_publish() */
#ifdef UNLOCKED		/* weakened: the locks are taken afterwards */
	STEP(man[s].name = NAMED);
	STEP(sup[s] = UP);
#else
	STEP(man[s].name = NAMED; sup[s] = UP);
#endif
	/* record_make(), check_and_make() */
	if
	:: !is_locked -> LOCK(BY_SUP(s))
	:: else
	fi;
#ifdef NO_LOOK		/* weakened: no second look */
	goto make;
#endif
	/* holds(): manifests_read(), if for what is the user's; then looks */
	if
	:: man[s].role[0] == OWN || man[s].role[PATHS - 1] == OWN ->
#if defined(CLAIM_UNLOCKED) || defined(NO_MUTEX)
		STEP(was = man[1 - s].name);
#endif
		STEP(if
		    :: named[0] = names(1 - s, 0, man[s].obj[0]);
#if PATHS == 2
		       named[1] = names(1 - s, 1, man[s].obj[1])
#endif
#ifdef READ_FIRST
		    :: true
#else
		    :: misses(1 - s)
#endif
		    fi; was = 0)
	:: else
	fi;
	do
	:: p < PATHS -> STEP(
		if
		:: holds(s, p) -> p++
		:: else -> p = 0; goto changed
		fi)
	:: else -> break
	od;
make:
	/* make_all(), make_top() */
	p = 0;
	do
	:: p < PATHS && man[s].role[p] == MAKE ->
		STEP(assert(man[s].name != GONE);	/* make_one() */
		    man[s].aside[p] = OURS(s, p));
		STEP(man[s].obj[p] = OURS(s, p));	/* note() */
		STEP(					/* place_one() */
		    if
		    :: at[p] == NOTHING ->
			at[p] = man[s].aside[p];
			man[s].aside[p] = NOTHING; p++
		    :: else -> goto unmake
		    fi)
	:: p < PATHS && man[s].role[p] != MAKE -> p++
	:: p == PATHS -> break
	od;
	/* and start(): a kill in between is one right after it */
	STEP(sup[s] = MADE; UNLOCK(BY_SUP(s)); p = 0; attempt = 0;
	    mon[s] = UP; gate[s] = UP);
	goto wait;

unmake:	/* the last first, as far as it was made */
	do
	:: man[s].role[p] == MAKE ->
#ifdef UNMAKE		/* weakened: compared at its name, and unlinked there */
		STEP(named[0] = (man[s].obj[p] == at[p] &&
		    at[p] != NOTHING && man[s].aside[p] == NOTHING));
		STEP(if
		    :: named[0] && at[p] != NOTHING -> unlink(at[p])
		    :: else
		    fi);
		STEP(if
		    :: man[s].aside[p] != NOTHING -> unlink(man[s].aside[p])
		    :: else
		    fi);
#else
		/* aside, and compared there */
		STEP(named[0] = (man[s].obj[p] == at[p] &&
		    at[p] != NOTHING && man[s].aside[p] == NOTHING));
		STEP(if
		    :: named[0] ->
			man[s].aside[p] = at[p]; at[p] = NOTHING
		    :: else
		    fi);
		STEP(if
		    :: man[s].aside[p] == OURS(s, p) -> unlink(man[s].aside[p])
		    :: is_user(man[s].aside[p]) && at[p] == NOTHING ->
			at[p] = man[s].aside[p]; man[s].aside[p] = NOTHING
		    :: else
		    fi);
#endif
		if
		:: p == 0 -> break
		:: else -> p--
		fi
	:: man[s].role[p] != MAKE && p > 0 -> p--
	:: man[s].role[p] != MAKE && p == 0 -> break
	od;

changed:
#if EDITS == 0
	assert(!is_locked);	/* such a plan is not made in vain */
#endif
	STEP(UNLOCK(BY_SUP(s)));
	attempt++;
	goto withdraw;
busy:
	attempt = ATTEMPTS;
withdraw:
#ifndef WITHDRAW
	/* others' claims may have been left to us: what they name stays so */
	if
	:: man[s].role[0] == RELY || man[s].role[PATHS - 1] == RELY ->
		goto dead
	:: else
	fi;
#endif
	/* manifest_withdraw() */
	STEP(forget(s); sup[s] = YET; named[0] = 0; named[PATHS - 1] = 0);
	if
	:: attempt < ATTEMPTS -> goto again
	:: else -> goto dead
	fi;

wait:	/* wait_for_end() */
	if
	/* end_for_sure(): child_end_holders(), end_gate() */
	:: atomic { mon[s] == OVER -> gate[s] = OVER;
		if
		:: ns[s] == WAITS || ns[s] == WRITTEN -> ns[s] = EMPTY
		:: else
		fi }
	:: !calm
	fi;

dead:	/* run_close(), or killed; the watcher ends with its supervisor */
	atomic {
		UNLOCK(BY_SUP(s));
		sup[s] = OVER;
#ifndef LATE		/* weakened: the watcher goes on for a while */
		if :: gate[s] == FREE -> gate[s] = OVER :: else fi;
#endif
		if :: man[s].name == GONE -> forget(s) :: else fi;
		saw[0] = 0; saw[PATHS - 1] = 0; named[0] = 0;
		named[PATHS - 1] = 0; was = 0; attempt = 0; p = 0
	}
}

/* clean-up -------------------------------------------------------------- */

#define marked(s, i) \
	(man[s].name != GONE && is_mark(man[s].role[i]) -> \
	 1 + man[s].obj[i] : 0)

/* lib/collect.c: manifests_read() */
inline look(s, same)
{
	if
	:: man[s].name == CLAIMED -> judge(s, same)
	:: else
	fi;
	DO(due[s] = is_due(s, same); live = 0;
	   if
	   :: !due[s] ->
		mark[MARKS * s] = marked(s, 0);
#if MARKS > 1
		mark[MARKS * s + 1] = marked(s, 1);
#endif
#if MARKS > 2
		mark[MARKS * s + 2] = marked(s, 2)
#endif
	   :: else
	   fi)
}

/*
 * is_left_to_others(): named by one that is not due; and does that one mean
 * what stands there?
 */
#define left_as(s, i, p)	(path_of(i) == p && mark[MARKS * (s) + i])
#define meant_as(s, i, p, o)	(path_of(i) == p && \
				 mark[MARKS * (s) + i] == 1 + o)
#if MARKS == 1
#define is_left(s, p)		left_as(s, 0, p)
#define is_meant(s, p, o)	meant_as(s, 0, p, o)
#elif MARKS == 2
#define is_left(s, p)		(left_as(s, 0, p) || left_as(s, 1, p))
#define is_meant(s, p, o)	(meant_as(s, 0, p, o) || meant_as(s, 1, p, o))
#else
#define is_left(s, p)		(left_as(s, 0, p) || left_as(s, 1, p) || \
				 left_as(s, 2, p))
#define is_meant(s, p, o)	(meant_as(s, 0, p, o) || \
				 meant_as(s, 1, p, o) || meant_as(s, 2, p, o))
#endif

#ifdef NO_INODE		/* weakened: whatever is empty is a placeholder */
#define is_it(o, s, i)	(man[s].obj[i] != NOTHING && o != NOTHING && o != FULL)
#else
#define is_it(o, s, i)	(o != NOTHING && o == man[s].obj[i])
#endif

/* finish_aside(), give_back(); a killed recorder's that was never noted */
inline finish_aside(s, i)
{
	DO(if
	   :: is_it(man[s].aside[i], s, i) || man[s].obj[i] == NOTHING ->
		unlink(man[s].aside[i])
	   :: else ->
		if
		:: at[path_of(i)] == NOTHING ->
			at[path_of(i)] = man[s].aside[i];
			man[s].aside[i] = NOTHING
		:: else		/* your file is kept beside it */
		fi
	   fi)
}

/* remove_target(): settle_aside(); if it is ours: remove_file() */
inline remove(s, i)
{
	if
	:: man[s].aside[i] != NOTHING -> finish_aside(s, i)
	:: else
	fi;
	DO(if
	   :: man[s].aside[i] != NOTHING || !is_it(at[path_of(i)], s, i)
	   :: else ->
		if
		:: !is_left(1 - s, path_of(i)) -> live = 1
#ifdef DROP		/* weakened: it is enough that another one names it */
		:: else
#else
		/* who names it only may give up: then the claim has to stay */
		:: else -> keep[s] = keep[s] ||
			!is_meant(1 - s, path_of(i), man[s].obj[i])
#endif
		fi
	   fi);
	if
	:: live ->
#ifdef UNLINK		/* weakened: not moved aside, nor compared again */
		DO(if
		   :: at[path_of(i)] != NOTHING ->
			man[s].aside[i] = at[path_of(i)];
			take(path_of(i)); unlink(man[s].aside[i])
		   :: else
		   fi; live = 0)
#else
		DO(if
		   :: at[path_of(i)] != NOTHING ->
			man[s].aside[i] = at[path_of(i)];
			take(path_of(i))
		   :: else
		   fi; live = 0);
		if
		:: man[s].aside[i] != NOTHING -> finish_aside(s, i)
		:: else
		fi
#endif
	:: else
	fi
}

inline collect(s)
{
	if
	:: due[s] ->
		if :: is_mark(man[s].role[0]) -> remove(s, 0) :: else fi;
#if MARKS > 1
		if :: is_mark(man[s].role[1]) -> remove(s, 1) :: else fi;
#endif
#if MARKS > 2
		if :: is_mark(man[s].role[2]) -> remove(s, 2) :: else fi
#endif
	:: else
	fi
}

/* claim_all(), then collect_all(); last: alone, and not killed */
inline clean(c, same)
{
#ifndef CLAIM_UNLOCKED	/* weakened: claimed outside the mutex */
	LOCK_OR(BY_CLEAN(c), !calm && !last);
#endif
	claim(0, same);
	claim(1, same);
	DO(UNLOCK(BY_CLEAN(c)));
	LOCK_OR(BY_CLEAN(c), !calm && !last);
	look(0, same);
	look(1, same);
	collect(0);
	collect(1);
	/* drop_claims() */
	if
	:: due[0] && !keep[0] -> DO(forget(0))
	:: else
	fi;
	if
	:: due[1] && !keep[1] -> DO(forget(1))
	:: else
	fi
}

bit done[2];	/* cleaners */

proctype cleaner(byte c; bit same)
{
	bit live, due[2], keep[2];
	byte mark[2 * MARKS], i;
	bit last;

	clean(c, same);
busy:
dead:
	atomic {
		UNLOCK(BY_CLEAN(c));
		done[c] = 1;
		live = 0; due[0] = 0; due[1] = 0; keep[0] = 0; keep[1] = 0;
		do
		:: i < 2 * MARKS -> mark[i] = 0; i++
		:: else -> i = 0; break
		od
	}
}

/* outside --------------------------------------------------------------- */

#if EDITS > 0
bit edited;
#define is_free(o)	(at[0] != o && at[PATHS - 1] != o && \
	man[0].aside[0] != o && man[1].aside[0] != o && \
	man[0].aside[MARKS - 1] != o && man[1].aside[MARKS - 1] != o)

inline edit(p)
{
	if
	:: at[p] != NOTHING ->				/* rm */
		detach(at[p]); at[p] = NOTHING
	:: at[p] == NOTHING && is_free(BLANK) ->	/* touch */
		at[p] = BLANK
	:: is_free(FULL) ->				/* mv */
		detach(at[p]); at[p] = FULL
	fi
}

proctype user()
{
	byte n;

	do
	:: n < EDITS -> atomic { n++;
		if
		:: edit(0)
#if PATHS == 2
		:: edit(1)
#endif
		fi
	    }
	:: atomic { n = 0; edited = 1; break }
	od
}
#else
#define edited	1
#endif

#ifdef WATCH
/*
 * lib/watch.c: restore().  That a watcher ends with its supervisor, in one
 * moment, is an assumption: between the two lies a part of do_exit().
 */
#define WSTEP(x)	if \
			:: atomic { gate[s] == FREE -> x } \
			:: gate[s] != FREE || !calm -> goto dead \
			fi

proctype watcher(byte s)
{
	byte n;		/* made again so often */

	do
	:: gate[s] == OVER || (gate[s] == FREE && ns[s] == EMPTY) ->
		goto dead
	:: gate[s] == FREE && !calm -> goto dead
	:: gate[s] == FREE && ns[s] == RUNS && at[0] == NOTHING ->
		/* record_again(): the line, the thing, its note, its name */
		WSTEP(man[s].role[WMAKE] = MAKE; man[s].obj[WMAKE] = NOTHING);
		WSTEP(assert(man[s].name == NAMED);
		    man[s].aside[WMAKE] = AGAIN(s, n));
		WSTEP(man[s].obj[WMAKE] = AGAIN(s, n));
		WSTEP(if
		    :: at[0] == NOTHING ->
			at[0] = man[s].aside[WMAKE]; n++
		    :: else ->		/* undo_marks() */
			man[s].role[WMAKE] = 0; man[s].obj[WMAKE] = NOTHING
		    fi; man[s].aside[WMAKE] = NOTHING)
	:: gate[s] == FREE && ns[s] == RUNS && at[0] != NOTHING &&
	    covers(s, 0) != at[0] ->
		/* cover_again(), then record_join() */
		WSTEP(covers(s, 0) = at[0]);
#ifndef JOIN_UNLOCKED	/* weakened */
		LOCK(BY_WATCH(s));
#endif
		WSTEP(if
		    :: covers(s, 0) == at[0] && names(1 - s, 0, at[0]) &&
		    !any_marks(s, 0, at[0]) ->
			man[s].role[WJOIN] = RELY; man[s].obj[WJOIN] = at[0]
		    :: else
		    fi; UNLOCK(BY_WATCH(s)))
	od;
busy:	/* the run is ended */
dead:
	atomic {
		UNLOCK(BY_WATCH(s)); n = 0;
		if :: gate[s] == FREE -> gate[s] = OVER :: else fi
	}
}
#endif

#ifdef CALM
proctype chaos()
{
	calm = 1
}
#endif

/* When all are over, one clean-up runs undisturbed, and nothing is left. */
init {
	bit live, due[2], keep[2];
	byte mark[2 * MARKS];
	bit last = 1;
	byte i;

	atomic {
#if defined(OWNS) || defined(RUNNING)
		at[0] = BLANK;
#endif
#ifdef RUNNING		/* the first runs already, on a file of the user's */
		man[0].name = NAMED;
		man[0].role[0] = OWN; man[0].obj[0] = BLANK;
		covers(0, 0) = BLANK;
		sup[0] = MADE; mon[0] = UP; gate[0] = FREE; ns[0] = RUNS;
#endif
		run sandbox(0); run supervise(0);
#ifndef ALONE
		run sandbox(1); run supervise(1);
#else
		sup[1] = OVER; gate[1] = OVER; mon[1] = OVER;
#endif
		#ifndef FAR
		run cleaner(0, 1);
#else
		done[0] = 1;
#endif
#ifndef NEAR
		run cleaner(1, 0);
#else
		done[1] = 1;
#endif

#ifdef WATCH
		run watcher(0);
#ifndef RUNNING
		run watcher(1);
#endif
#endif
#if EDITS > 0
		run user();
#endif
#ifdef CALM
		run chaos();
#endif
	}
	atomic {
		is_over(0) && is_over(1) && done[0] && done[1] && edited &&
		    mutex == 0;
		clean(2, 1);
dead: busy:
		assert(ns[0] == NONE || ns[0] == EMPTY || far[0]);
		assert(ns[1] == NONE || ns[1] == EMPTY || far[1]);
		assert(man[0].name == GONE && man[1].name == GONE);
		assert(!is_ours(at[0]) && !is_ours(at[PATHS - 1]));
		do
		:: i < MARKS -> assert(!is_ours(man[0].aside[i]) &&
			!is_ours(man[1].aside[i])); i++
		:: else -> break
		od
	}
}
