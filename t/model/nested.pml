/* SPDX-License-Identifier: ISC */
/*
 * Two runs that deny D/a, or the first D/a and the second D/b (with TWO), in
 * a directory D that is not there at first: both may make it, one may rely
 * on the other's.  Compared with plain.pml the supervisor has no second
 * attempt and nothing watches.
 */
#ifndef EDITS
#define EDITS	0	/* by the user, at most */
#endif
#ifdef TWO
#define leaf_of(s)	(s)
#else
#define leaf_of(s)	0
#endif
#define WATCHES	OVER

/* Directories: 1 and 2 as made by a run, 3 the user's.  Files likewise. */
#define NOTHING		0
#define OURS(s)		(1 + (s))
#define USERS		3
#define is_ours(o)	((o) == 1 || (o) == 2)

byte top;			/* the directory that has the name D */
byte leaves[8];			/* what stands in directory d, two names */
byte asides[8];			/* and under the aside name of a run */
#define leaf(d, l)	leaves[2 * (d) + (l)]
#define aside(d, s)	asides[2 * (d) + (s)]
bit dir_aside[2];		/* run s has its directory under that name */

/* Marks: the directory, and what is denied in it. */
#define DIR	0
#define LEAF	1
typedef manifest {
	byte name;
	byte role[2];
	byte obj[2];		/* NOTHING: not noted yet */
};
manifest man[2];

#include "life.pml"

#define at(l)		(top == NOTHING -> NOTHING : leaf(top, l))
#define is_clear(d)	(leaf(d, 0) == NOTHING && leaf(d, 1) == NOTHING && \
			 aside(d, 0) == NOTHING && aside(d, 1) == NOTHING)

/* does run s use directory d, or leaf o? */
#define uses_dir(s, d)	(may_run(s) && man[s].role[DIR] != 0 && \
			 man[s].obj[DIR] == (d))
#define uses_leaf(s, l, o) (may_run(s) && man[s].role[LEAF] != 0 && \
			 leaf_of(s) == (l) && man[s].obj[LEAF] == (o))

inline forget(s)
{
	man[s].name = GONE;
	man[s].role[DIR] = 0; man[s].obj[DIR] = NOTHING;
	man[s].role[LEAF] = 0; man[s].obj[LEAF] = NOTHING
}

/* the gate */
inline mount_own(s) { skip }
inline cover(s) { skip }
#define is_as_marked(s) \
	((man[s].role[DIR] == 0 || top == man[s].obj[DIR]) && \
	 (man[s].role[LEAF] == OWN || (man[s].obj[LEAF] != NOTHING && \
	  at(leaf_of(s)) == man[s].obj[LEAF])))

#include "sandbox.pml"

/* the supervisor --------------------------------------------------------- */

#define names_dir(s, d)	(man[s].name != GONE && is_mark(man[s].role[DIR]) && \
			 man[s].obj[DIR] == (d))
#define names_leaf(s, l, o) (man[s].name != GONE && leaf_of(s) == (l) && \
			 is_mark(man[s].role[LEAF]) && man[s].obj[LEAF] == (o))
#define misses(s)	(was == NAMED && man[s].name == CLAIMED)

/*
 * lib/plan.c, lib/emit.c.  A directory of the user's has no mark.  A manifest
 * that is missed is missed as a whole.
 */
inline decide(s)
{
	if
	:: saw_dir == NOTHING ->
		man[s].role[DIR] = MAKE; man[s].role[LEAF] = MAKE
	:: else ->
		was = 1 + misses(1 - s);
		if
		:: was = 1
		:: was == 2
		fi;
		if
		:: was == 1 && names_dir(1 - s, saw_dir) ->
			man[s].role[DIR] = RELY; man[s].obj[DIR] = saw_dir
		:: else
		fi;
		if
		:: saw == NOTHING -> man[s].role[LEAF] = MAKE
		:: else -> man[s].obj[LEAF] = saw;
			man[s].role[LEAF] = (was == 1 &&
			    names_leaf(1 - s, leaf_of(s), saw) -> RELY : OWN)
		fi
	fi;
	saw = 0; saw_dir = 0; was = 0
}

/* lib/record.c: owns_hold(), parents_hold(), relies_hold(), makes_hold() */
#define owns_hold(s)	(man[s].role[LEAF] != OWN || \
			 (at(leaf_of(s)) == man[s].obj[LEAF] && \
			  !names_leaf(1 - s, leaf_of(s), man[s].obj[LEAF])))
#ifdef NO_PARENTS	/* weakened: directories above are not looked at */
#define parents_hold(s)	true
#else
#define parents_hold(s)	(!is_mark(man[s].role[LEAF]) || top == NOTHING || \
			 !names_dir(1 - s, top) || man[s].role[DIR] != 0)
#endif
#define relies_hold(s)	((man[s].role[DIR] != RELY || \
			  top == man[s].obj[DIR]) && \
			 (man[s].role[LEAF] != RELY || \
			  at(leaf_of(s)) == man[s].obj[LEAF]))
#define makes_hold(s)	((man[s].role[DIR] != MAKE || top == NOTHING) && \
			 (man[s].role[LEAF] != MAKE || \
			  at(leaf_of(s)) == NOTHING))

proctype supervise(byte s)
{
	byte saw, saw_dir, was, d;

	/* plan_make() */
	STEP(saw_dir = top; was = man[1 - s].name);
	STEP(if :: saw_dir -> saw = at(leaf_of(s)) :: else fi;
	    was = man[1 - s].name);
	STEP(decide(s));
	/* manifest_publish() */
	STEP(man[s].name = NAMED; sup[s] = UP);
	/* record_make(): holds() */
	LOCK(BY_SUP(s));
	STEP(if
	    :: owns_hold(s) && parents_hold(s) && relies_hold(s) &&
		makes_hold(s)
	    :: else -> goto changed
	    fi);
	/* make_top(): a tree at once */
	if
	:: man[s].role[DIR] == MAKE ->
		STEP(assert(man[s].name == NAMED); dir_aside[s] = 1);
		STEP(leaf(OURS(s), leaf_of(s)) = OURS(s));
		STEP(man[s].obj[DIR] = OURS(s); man[s].obj[LEAF] = OURS(s));
		STEP(if
		    :: top == NOTHING -> top = OURS(s); dir_aside[s] = 0
		    :: else -> d = OURS(s)
		    fi);
		if
		:: d -> d = 0;
			STEP(leaf(OURS(s), leaf_of(s)) = NOTHING);
			STEP(dir_aside[s] = 0); goto changed
		:: else
		fi
	:: man[s].role[DIR] != MAKE && man[s].role[LEAF] == MAKE ->
		STEP(assert(man[s].name == NAMED);
		    d = top;		/* file_parent() */
		    if
		    :: d -> aside(d, s) = OURS(s)
		    :: else -> goto changed
		    fi);
		STEP(man[s].obj[LEAF] = OURS(s));
		STEP(if
		    :: leaf(d, leaf_of(s)) == NOTHING &&
			aside(d, s) != NOTHING ->
			leaf(d, leaf_of(s)) = OURS(s);
			aside(d, s) = NOTHING; d = 0
		    :: else
		    fi);
		if
		:: d -> STEP(aside(d, s) = NOTHING); goto changed
		:: else
		fi
	:: else
	fi;
	STEP(sup[s] = MADE; UNLOCK(BY_SUP(s)); mon[s] = UP; gate[s] = UP);
	if
	:: atomic { mon[s] == OVER -> gate[s] = OVER;
		if
		:: ns[s] == WAITS || ns[s] == WRITTEN -> ns[s] = EMPTY
		:: else
		fi }
	:: !calm
	fi;
	goto dead;

changed:
	STEP(UNLOCK(BY_SUP(s)));
busy:
	if
	:: man[s].role[DIR] == RELY || man[s].role[LEAF] == RELY
	:: else -> STEP(forget(s))
	fi;
dead:
	atomic {
		UNLOCK(BY_SUP(s));
		sup[s] = OVER;
		if :: man[s].name == GONE -> forget(s) :: else fi;
		saw = 0; saw_dir = 0; was = 0; d = 0
	}
}

/* clean-up -------------------------------------------------------------- */

#define marked(s, i) \
	(man[s].name != GONE && is_mark(man[s].role[i]) -> \
	 1 + man[s].obj[i] : 0)

inline look(s, same)
{
	DO(due[s] = is_due(s, same);
	   if
	   :: !due[s] -> mark[2 * s] = marked(s, DIR);
		mark[2 * s + 1] = marked(s, LEAF)
	   :: else
	   fi)
}

/* lib/collect.c, heir_of(): o the index of the other */
#define is_left(o, i)	(!due[o] && mark[2 * (o) + i] != 0)
#define is_meant(o, i, x) (mark[2 * (o) + i] == 1 + (x))

inline remove_leaf(s)
{
	if
	:: due[s] && is_mark(man[s].role[LEAF]) ->
		/* settle_aside() */
		DO(if
		   :: top && aside(top, s) != NOTHING ->
			aside(top, s) = NOTHING
		   :: else
		   fi);
		DO(if
		   :: at(leaf_of(s)) != NOTHING &&
			at(leaf_of(s)) == man[s].obj[LEAF] ->
			if
			:: is_left(1 - s, LEAF) && leaf_of(s) == leaf_of(1 - s) ->
				keep[s] = keep[s] || !is_meant(1 - s, LEAF,
					man[s].obj[LEAF])
			:: else ->
				assert(!uses_leaf(0, leaf_of(s), at(leaf_of(s))));
				assert(!uses_leaf(1, leaf_of(s), at(leaf_of(s))));
				assert(is_ours(at(leaf_of(s))));
				aside(top, s) = at(leaf_of(s));
				leaf(top, leaf_of(s)) = NOTHING
			fi
		   :: else
		   fi);
		DO(if :: top -> aside(top, s) = NOTHING :: else fi)
	:: else
	fi
}

inline remove_dir(s)
{
	if
	:: due[s] && is_mark(man[s].role[DIR]) ->
		/* settle_aside(), remove_unplaced() */
		if
		:: dir_aside[s] ->
			DO(leaf(OURS(s), leaf_of(s)) = NOTHING);
			DO(dir_aside[s] = 0)
		:: else
		fi;
		DO(if
		   :: top != NOTHING && top == man[s].obj[DIR] ->
			if
			:: is_left(1 - s, DIR) ->
				keep[s] = keep[s] || !is_meant(1 - s, DIR, top)
			:: !is_left(1 - s, DIR) && is_clear(top) ->
				assert(!uses_dir(0, top) && !uses_dir(1, top));
				assert(is_ours(top));
				top = NOTHING
			:: else		/* not empty: the user's */
			fi
		   :: else
		   fi)
	:: else
	fi
}

inline clean(c, same)
{
	LOCK_OR(BY_CLEAN(c), !calm && !last);
	claim(0, same);
	claim(1, same);
	DO(UNLOCK(BY_CLEAN(c)));
	LOCK_OR(BY_CLEAN(c), !calm && !last);
	look(0, same);
	look(1, same);
#ifdef PARENTS_FIRST	/* weakened: a directory before what is in it */
	remove_dir(0);
	remove_dir(1);
	remove_leaf(0);
	remove_leaf(1);
#else
	/* deepest_first() */
	remove_leaf(0);
	remove_leaf(1);
	remove_dir(0);
	remove_dir(1);
#endif
	if :: due[0] && !keep[0] -> DO(forget(0)) :: else fi;
	if :: due[1] && !keep[1] -> DO(forget(1)) :: else fi
}

bit done[2];

proctype cleaner(byte c; bit same)
{
	bit due[2], keep[2], last;
	byte mark[4];

	clean(c, same);
busy:
dead:
	atomic {
		UNLOCK(BY_CLEAN(c));
		done[c] = 1; due[0] = 0; due[1] = 0; keep[0] = 0; keep[1] = 0;
		mark[0] = 0; mark[1] = 0; mark[2] = 0; mark[3] = 0
	}
}

/* outside --------------------------------------------------------------- */

#if EDITS > 0
bit edited;
byte mine[2];		/* the user's files that are there */

inline edit()
{
	if
	:: top == NOTHING ->				/* mkdir */
		top = USERS
	:: top != NOTHING ->				/* rm -r */
		leaf(top, 0) = NOTHING; leaf(top, 1) = NOTHING;
		aside(top, 0) = NOTHING; aside(top, 1) = NOTHING;
		top = NOTHING
	:: top != NOTHING && leaf(top, 0) == NOTHING ->	/* touch */
		leaf(top, 0) = USERS
	:: top != NOTHING && leaf(top, 1) == NOTHING ->
		leaf(top, 1) = USERS
	fi
}

proctype user()
{
	byte n;

	do
	:: n < EDITS -> atomic { n++; edit() }
	:: atomic { n = 0; edited = 1; break }
	od
}
#else
#define edited	1
#endif

#ifdef CALM
proctype chaos()
{
	calm = 1
}
#endif

init {
	bit due[2], keep[2], last = 1;
	byte mark[4];

	atomic {
#ifdef THERE		/* the directory is the user's */
		top = USERS;
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
		/* a directory in which the user has put something is the user's */
		assert(!is_ours(top) || leaf(top, 0) == USERS ||
		    leaf(top, 1) == USERS);
		assert(!dir_aside[0] && !dir_aside[1]);
		assert(!is_ours(at(0)) && !is_ours(at(1)));
		assert(top == NOTHING || (aside(top, 0) == NOTHING &&
		    aside(top, 1) == NOTHING))
	}
}
