#!/usr/bin/env bats
# In a terminal srt is as good as nothing (case 50): each script is typed at a
# shell on a pseudo-terminal, first without srt, then with it.
# Where Ctrl-Z is typed the loops are bash's: dash starts programs by vfork, and a
# child stopped before it is a program stops dash for good.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # the shell typed at, bats
load lib/helper
load lib/life

srt_run='srt -d .env -d a/b --'

# both: the same with $RUN empty, and with srt in it.
both() {
	local script
	script=$(cat)
	RUN='' at_shell <<<"$script" || { echo "^ without srt"; return 1; }
	find "$W" -mindepth 1 -delete
	RUN=$srt_run at_shell <<<"$script" || { echo "^ with srt"; return 1; }
	nothing_left
}

@test "terminal: a command runs, reads and writes it, and its status comes" {
	both <<'SCRIPT'
line $RUN sh -c 'echo name?; read name; echo "hello $name"; exit 7'; echo st=$?
want name?
line world
want hello world
want st=7
line $RUN sh -c 'echo up >/dev/tty; read x </dev/tty; echo "tty $x" >/dev/tty'
want up
line there
want tty there
line $RUN sh -c 'test -t 0 && test -t 1 && test -t 2 && echo is-tty'
want is-tty
line exit 3
ends 3
gone
SCRIPT
}

@test "terminal: it has a name inside" {
	both <<'SCRIPT'
line $RUN sh -c 'stat -Lc %t:%T "$(tty)" >got; stat -Lc %t:%T /proc/self/fd/0 >want; cmp got want'; echo st=$?
want st=0
line exit
gone
SCRIPT
}

@test "terminal: end of file and a killed line are the terminal's" {
	both <<'SCRIPT'
line $RUN sh -c 'echo up; cat; echo end'
want up
type wrong\025
line right
want right
never wrong
type \004
want end
line exit
gone
SCRIPT
}

@test "terminal: Ctrl-C ends a command that has no handler, with 130" {
	both <<'SCRIPT'
line $RUN sh -c 'echo up; exec sleep 1000'
want up
type \003
idle
line echo st=$?
want st=130
line exit 3
ends 3
gone
SCRIPT
}

@test "terminal: Ctrl-C ends a shell's list and loop, too" {
	both <<'SCRIPT'
line for i in 1 2; do $RUN sh -c 'echo up; exec sleep 1000'; echo after; done; echo later
want up
type \003
idle
line echo over
want over
never after
never later
line exit
gone
SCRIPT
}

@test "terminal: Ctrl-\\ ends a command that has no handler, with 131" {
	both <<'SCRIPT'
line ulimit -c 0
line $RUN sh -c 'echo up; exec sleep 1000'
want up
type \034
idle
line echo st=$?
want st=131
line exit
gone
SCRIPT
}

@test "terminal: a command that handles Ctrl-C goes on, and gets each one once" {
	both <<'SCRIPT'
line $RUN sh -c 'n=0; trap "n=\$((n + 1)); echo int\$n" INT; echo up; until [ -e stop ]; do sleep 0.01; done; exit $n'
want up
type \003
want int1
type \003
want int2
type \003
want int3
do : >stop
idle
line rm stop; echo st=$?
idle
line $RUN sh -c 'trap "echo quit; exit 5" QUIT; echo up; while :; do sleep 0.01; done'; echo st=$?
want up
type \034
want quit
want st=5
line exit
gone
SCRIPT
}

@test "terminal: Ctrl-C in a shell inside ends its job, not the shell" {
	both <<'SCRIPT'
line $RUN bash --norc --noediting -i; echo st=$?
line echo inside $((1 + 1))
want inside 2
note
line sh -c 'echo up; exec sleep 1000'
want up
type \003
idle
line echo st=$?
want st=130
type \003
line
line echo alive $((2 + 2))
want alive 4
line exit 9
want st=9
line exit
gone
SCRIPT
}

@test "terminal: Ctrl-C in Python's prompt is a KeyboardInterrupt" {
	both <<'SCRIPT'
line $RUN python3 -E -i -q; echo st=$?
want >>>
line import time; print("up"); any(time.sleep(0.01) for _ in iter(int, 1))
want up
type \003
want KeyboardInterrupt
want >>>
line print(6 * 7)
want 42
want >>>
line raise SystemExit(4)
want st=4
line exit
gone
SCRIPT
}

@test "terminal: Ctrl-Z stops the command, fg goes on, more than once" {
	both <<'SCRIPT'
line $RUN bash -c 'echo up; until [ -e stop ]; do : >goes; sleep 0.01; done; exit 6'
want up
type \032
want Stopped
idle
line echo st=$?
want st=148
line jobs
want Stopped
do rm -f goes
line fg
until test -e goes
until ps -o stat= --ppid "$LEADER" | grep -q S
type \032
want Stopped
idle
line fg
busy
do : >stop
idle
line echo st=$?
want st=6
line exit
ends 0
gone
SCRIPT
}

@test "terminal: a stopped command does nothing, bg goes on beside the shell" {
	both <<'SCRIPT'
line $RUN bash -c 'echo up; i=0; until [ -e stop ]; do i=$((i + 1)); echo $i >n; sleep 0.01; done; echo done; exit 6'
want up
until test -s n
type \032
want Stopped
do cp n was; sleep 0.1; cmp n was
line bg
until ! cmp n was
idle
line echo here $((3 + 3))
want here 6
do : >stop
want done
line wait %1; echo st=$?
want st=6
line exit
gone
SCRIPT
}

@test "terminal: it is all the same to a command that leads a group of its own" {
	# timeout(1) does, which at a shell it would be in any case
	both <<'SCRIPT'
line $RUN timeout 1000 bash -c 'trap "echo int; exit 3" INT; echo up; while :; do : >goes; sleep 0.01; done'; echo st=$?
want up
type \032
want Stopped
idle
do rm -f goes
line fg; echo st=$?
busy
until test -e goes
type \003
want int
want st=3
line exit
gone
SCRIPT
}

@test "terminal: Ctrl-Z, then kill: TERM comes when it goes on" {
	both <<'SCRIPT'
line $RUN bash -c 'trap "echo term; exit 9" TERM; sleep 1000 & echo up; wait'
want up
type \032
want Stopped
line kill %1
want term
until test -z "$(ps -o stat= --ppid "$LEADER" | grep -v Z)"
line env true
line jobs
want Exit 9
line exit
gone
SCRIPT
}

@test "terminal: Ctrl-C after Ctrl-Z and fg reaches the command" {
	both <<'SCRIPT'
line $RUN bash -c 'trap "echo int; exit 4" INT; echo up; while :; do sleep 0.01; done'
want up
type \032
want Stopped
idle
line fg; echo st=$?
busy
type \003
want int
want st=4
line exit
gone
SCRIPT
}

@test "terminal: TSTP and CONT have their handlers" {
	both <<'SCRIPT'
line $RUN bash -c 'trap "echo tstp; trap - TSTP; kill -TSTP \$\$" TSTP; trap "echo cont; exit 4" CONT; echo up; while :; do read x; done'
want up
type \032
want tstp
want Stopped
idle
line fg; echo st=$?
want cont
want st=4
line exit
gone
SCRIPT
}

@test "terminal: a command that ignores TSTP is not stopped, nor is srt" {
	both <<'SCRIPT'
line $RUN sh -c 'trap "" TSTP; echo up; read x; echo got=$x; exit 4'; echo st=$?
want up
type \032
line go
want got=go
want st=4
never Stopped
line exit
gone
SCRIPT
}

@test "terminal: a command that stops itself stops the job" {
	both <<'SCRIPT'
line $RUN sh -c 'echo up; kill -STOP $$; echo more; kill -TSTP $$; echo end; exit 2'
want up
want Stopped
idle
line fg
want more
want Stopped
idle
line fg
want end
idle
line echo st=$?
want st=2
line exit
gone
SCRIPT
}

@test "terminal: one that is continued or killed stopped is noticed by whoever waits" {
	both <<'SCRIPT'
line sh -c '$RUN sh -c "(until [ -e go ]; do sleep 0.01; done; kill -CONT \$\$) & kill -STOP \$\$; exit 3"; echo st=$?'
until pgrep -r T -s "$LEADER" -x "$(test "$RUN" && echo srt-run || echo sh)"
do : >go
want st=3
do rm go
line sh -c '$RUN sh -c "(until [ -e go ]; do sleep 0.01; done; kill -KILL \$\$) & kill -STOP \$\$; exit 3"; echo st=$?'
until pgrep -r T -s "$LEADER" -x "$(test "$RUN" && echo srt-run || echo sh)"
do : >go
want st=137
do rm go
line exit
gone
SCRIPT
	# a group that no shell will continue
	"$(tool pty)" srt -d .env -- sh -c '(until [ -e go ]; do sleep 0.01; done
		kill -CONT $$) & kill -STOP $$; exit 3' <<'SCRIPT'
until pgrep -r T -s "$LEADER" -x srt-run
do : >go
ends 3
gone
SCRIPT
	nothing_left
}

@test "terminal: kill %1 ends a job with 143; a handler runs and decides" {
	both <<'SCRIPT'
line $RUN sh -c 'echo up; exec sleep 1000' &
want up
line kill %1; wait %1; echo st=$?
want st=143
line $RUN sh -c 'trap "echo bye; exit 9" TERM; echo up; while :; do sleep 0.01; done' &
want up
line kill %%; wait %%; echo st=$?
want bye
want st=9
line exit
gone
SCRIPT
}

@test "terminal: what a shell sends to the whole job reaches the command once" {
	both <<'SCRIPT'
line set +m; set -m
line $RUN sh -c 'n=0; for s in USR1 USR2 HUP INT WINCH 34; do trap "n=\$((n + 1)); echo $s-\$n" $s; done; echo up; until [ -e stop ]; do sleep 0.01; done; exit $n' &
want up
line kill -USR1 %1
want USR1-1
line kill -USR2 %1
want USR2-2
line kill -HUP %1
want HUP-3
line kill -INT %1
want INT-4
line kill -WINCH %1
want WINCH-5
line kill -34 %1
want 34-6
do : >stop
line wait %1; echo st=$?
want st=6
line exit
gone
SCRIPT
}

@test "terminal: a shell inside has job control" {
	both <<'SCRIPT'
line $RUN bash --norc --noediting -i
line echo inside $((1 + 1))
want inside 2
never job control
note
line bash -c 'echo up; until [ -e stop ]; do sleep 0.01; done; exit 6'
want up
busy
type \032
want Stopped
idle
line sh -c 'echo second; exec sleep 1000' &
want second
line jobs
want Stopped
want Running
line bg %1
do : >stop
line wait %1; echo st=$?
want st=6
line fg %2
busy
type \032
want Stopped
idle
line kill %2; kill -CONT %2; wait %2; echo st=$?
want st=143
line exit 8
line echo outer=$?
want outer=8
line exit
gone
SCRIPT
}

@test "terminal: a shell inside that suspends itself is stopped, fg wakes it" {
	both <<'SCRIPT'
line $RUN bash --norc --noediting -i
line echo inside $((1 + 1))
want inside 2
line suspend
want Stopped
idle
line echo outside $((2 + 2))
want outside 4
line fg
busy
line echo again $((3 + 3))
want again 6
line exit 8
idle
line echo outer=$?
want outer=8
line exit
gone
SCRIPT
}

@test "terminal: a shell inside goes on when it has the terminal, not before" {
	RUN=$srt_run at_shell <<'SCRIPT'
line $RUN bash --norc --noediting -i
line echo inside $((1 + 1))
want inside 2
line suspend
want Stopped
idle
do init=$(pgrep -s "$LEADER" -f '^/proc/self/fd/'); kill -CONT "$init"
until grep -q 'ShdPnd:.0*$' "/proc/$(pgrep -s "$LEADER" -f '^/proc/self/fd/')/status"
do [ "$(ps -o state= --ppid "$(pgrep -s "$LEADER" -f '^/proc/self/fd/')")" = T ]
line fg
busy
line echo again $((3 + 3))
want again 6
line exit
line exit
gone
SCRIPT
	nothing_left
}

@test "terminal: it is the caller's again when a shell inside has ended" {
	both <<'SCRIPT'
line sh -c '$RUN bash --norc --noediting -ic "echo in"; echo up; read x; echo got=$x'; echo st=$?
want in
want up
line hello
want got=hello
want st=0
line exit
gone
SCRIPT
}

@test "terminal: the same where it was the caller's only later, by fg" {
	both <<'SCRIPT'
line sh -c '$RUN sh -c "echo up; until [ -e go ]; do sleep 0.01; done; bash --norc --noediting -ic \"echo in\""; read x; echo got=$x' &
want up
line fg
busy
do : >go
want in
line hello
want got=hello
line exit
gone
SCRIPT
}

@test "terminal: its size is seen inside, and a change of it" {
	both <<'SCRIPT'
size 30 100
line $RUN stty size
want 30 100
line $RUN sh -c 'trap "stty size; exit 5" WINCH; echo up; while :; do sleep 0.01; done'; echo st=$?
want up
size 50 132
want 50 132
want st=5
line $RUN bash --norc --noediting -i
line shopt -s checkwinsize; echo up $((1 + 1))
want up 2
size 44 99
line /bin/true
line echo $LINES,$COLUMNS
want 44,99
line exit
idle
line exit
gone
SCRIPT
}

@test "terminal: its settings stay, whatever the end, and can be changed" {
	both <<'SCRIPT'
line stty -g >before
line $RUN true
line stty -g >after; echo ok1
want ok1
do cmp before after
line $RUN sh -c 'echo up; exec sleep 1000'
want up
type \003
idle
line stty -g >after; echo ok2
want ok2
do cmp before after
line $RUN sh -c 'echo up; exec sleep 1000'
want up
type \032
want Stopped
idle
line stty -g >after; kill -9 %1; wait; echo ok3
want ok3
do cmp before after
line $RUN stty -ixon erase '^H'
line stty -a >after; echo ok4
want ok4
do grep -q -- '-ixon' after && grep -q 'erase = ^H' after
line exit
gone
SCRIPT
}

@test "terminal: a raw one passes every key on" {
	both <<'SCRIPT'
line $RUN sh -c 's=$(stty -g); stty raw; echo up; dd bs=1 count=5 2>/dev/null | od -An -tx1; stty "$s"; exit 3'; echo st=$?
want up
type \003\032\034\021\004
want 03 1a 1c 11 04
want st=3
line exit
gone
SCRIPT
}

@test "terminal: pipelines: data, Ctrl-C, Ctrl-Z and fg" {
	both <<'SCRIPT'
line printf 'b\na\n' >f; $RUN cat f | sort | tr '\n' ,; echo
want a,b,
line sort f | $RUN cat | tr '\n' ,; echo
want a,b,
line $RUN sh -c 'echo up; exec sleep 1000' | cat
want up
type \003
idle
line echo "st=${PIPESTATUS[*]}"
want st=130
line $RUN bash -c 'echo up; until [ -e stop ]; do sleep 0.01; done; exit 6' | cat
want up
type \032
want Stopped
idle
line fg
busy
do : >stop
idle
line yes | $RUN head -n 1
want y
line $RUN yes | head -n 1; echo "st=${PIPESTATUS[0]}"
want st=141
line exit
gone
SCRIPT
}

@test "terminal: in the background, reading stops the job until fg" {
	both <<'SCRIPT'
line $RUN sh -c 'read x; echo got=$x; exit 4' &
until ps -o stat= --ppid "$LEADER" | grep -q T
line jobs
want Stopped
line fg
busy
line hello
want got=hello
idle
line echo st=$?
want st=4
line exit
gone
SCRIPT
}

@test "terminal: in the background, writing with tostop stops the job until fg" {
	both <<'SCRIPT'
line stty tostop
line $RUN sh -c 'echo out; exit 4' &
until ps -o stat= --ppid "$LEADER" | grep -q T
line fg
want out
idle
line echo st=$?
want st=4
line exit
gone
SCRIPT
}

@test "terminal: when it is closed, everything ends" {
	both <<'SCRIPT'
line $RUN sh -c 'sleep 1000 & sh -c "sleep 1001; :" & echo up; sleep 1002'
want up
hangup
gone
SCRIPT
}

@test "terminal: when it is closed, a handler of HUP runs" {
	both <<'SCRIPT'
line $RUN sh -c 'trap "echo hup >hup; exit 3" HUP; echo up; while :; do sleep 0.01; done'
want up
hangup
gone
do test -s hup
SCRIPT
}

@test "terminal: when it is closed, a shell inside and its jobs end" {
	both <<'SCRIPT'
line $RUN bash --norc --noediting -i
line sleep 1000 & sleep 1001 | cat & echo up
want up
line sh -c 'echo second; exec sleep 1002'
want second
hangup
gone
SCRIPT
}

@test "terminal: when it is closed, a stopped job ends" {
	both <<'SCRIPT'
line $RUN sh -c 'echo up; exec sleep 1000'
want up
type \032
want Stopped
idle
hangup
gone
SCRIPT
}

@test "terminal: when it is closed, a run under nohup goes on to its end" {
	both <<'SCRIPT'
line nohup $RUN sh -c ': >up; until [ -e stop ]; do sleep 0.01; done; : >over' >/dev/null 2>&1 &
until test -e up
hangup
ends 129
do : >stop
gone
do test -e over
SCRIPT
}

@test "terminal: setsid srt has none, and its status comes" {
	both <<'SCRIPT'
line setsid -w $RUN sh -c 'if (: </dev/tty) 2>/dev/null; then echo has; else echo has-none; fi; exit 4'; echo st=$?
want has-none
want st=4
line exit
gone
SCRIPT
}

@test "terminal: without one, a stopped command does not stop srt" {
	setsid srt -d .env -- sh -c ': >up; kill -STOP $$; exit 6' 3>&- &
	wait_for test -e up
	wait_for pgrep -r T -s "$!"
	run -1 pgrep -r T -x -s "$!" srt-run
	kill -CONT $!
	ended 6 $!
}

@test "terminal: one that is srt's own ends with it, and closes everything" {
	"$(tool pty)" srt -d .env -- bash --norc --noediting -i <<'SCRIPT'
line PS1=; echo up $((1 + 1))
want up 2
type \032
line sh -c 'echo job; exec sleep 1000'
want job
type \032
want Stopped
line exit 4
line exit 4
ends 4
gone
SCRIPT
	nothing_left
	"$(tool pty)" srt -d .env -- sh -c 'trap "" HUP INT TERM
		sleep 1000 & trap "echo hup >hup; exit 1" HUP; echo up
		while :; do sleep 0.01; done' <<'SCRIPT'
want up
hangup
ends 1
gone
SCRIPT
	[ -s hup ]
	nothing_left
}

@test "terminal: pseudo-terminals can be made inside" {
	both <<'SCRIPT'
line $RUN script -qec 'stty rows 33 cols 77; stty size; exit 4' /dev/null; echo st=$?
want 33 77
want st=4
line exit
gone
SCRIPT
}

@test "terminal: what is typed or sent to the job while it starts is not lost" {
	printf '#!/bin/sh\n: >starts; until [ -e go ]; do sleep 0.01; done\n%s\n' \
		'exec bwrap "$@"' >"$base/slow"
	chmod +x "$base/slow"
	RUN="srt --bwrap $base/slow -d .env --" at_shell <<'SCRIPT'
line for i in 1 2; do $RUN echo up; done; echo later
until test -e starts
type \003
idle
line echo st=$?
want st=130
never later
do rm starts
line $RUN bash -c 'until [ -e end ]; do sleep 0.01; done; exit 5'
until test -e starts
type \032
do : >go
want Stopped
idle
line fg
busy
do : >end
idle
line echo st=$?
want st=5
do rm starts go
line $RUN sleep 1000 &
until test -e starts
line kill -USR1 %1
line wait %1; echo st=$?
do : >go
want st=138
# and with init waiting for "go"
do rm starts go
line $RUN sleep 1000 &
until test -e starts
do pkill -STOP -x srt-run -P "$(pgrep -x srt-run -P "$LEADER")"; : >go
until grep -q 'SigBlk:.fffffffffffbfeff' "/proc/$(pgrep -s "$LEADER" -f '^/proc/self/fd/')/status"
line kill -USR1 %1; echo sent
want sent
do pkill -CONT -x srt-run -P "$(pgrep -x srt-run -P "$LEADER")"
line wait %1; echo st=$?
want st=138
line exit
gone
SCRIPT
	nothing_left
}

@test "terminal: timeout(1), which signals the whole group, is heard by handlers" {
	local s status
	for s in TERM INT USR1 HUP; do
		env --default-signal timeout -s $s 300 srt -d .env -- \
			sh -c "trap 'echo bye; exit 9' $s; : >up
				while :; do sleep 0.01; done" \
			>"$base/out" 2>"$base/stderr" 3>&- &
		wait_for test -e up
		rm up
		kill -ALRM $!	# its time is over
		status=0
		wait $! || status=$?
		[ "$status" -eq 124 ]
		[ "$(cat "$base/out")" = bye ]
		run ! grep srt "$base/stderr"	# sh says what ended its sleep
	done
	nothing_left
}

@test "terminal: while the job is stopped its denies are watched" {
	echo old >.env
	TRY=$(denied "$W/.env") TAG=watched-$$-$RANDOM
	export TRY TAG
	at_shell <<'SCRIPT'
line srt -d .env -- sh -c 'setsid sh -c "echo up; until [ -e try ]; do sleep 0.01; done; eval \"\$TRY\" >result; : >tried; : $TAG" & exec sleep 1000'
want up
type \032
want Stopped
idle
do for i in 1 2 3 4 5; do echo new$i >.new; mv .new .env || exit; done
until grep -qs "$W/.env " "/proc/$(pgrep -f "$TAG" | tail -n 1)/mountinfo"
do : >try
until test -e tried
do test ! -s result || { cat result >&2; exit 1; }
do test "$(cat .env)" = new5
line fg
busy
type \003
idle
line echo st=$?
want st=130
line exit
gone
SCRIPT
	nothing_left
}

@test "terminal: a stopped job ends when its watcher is killed, or ends the run" {
	export TAG=unwatched-$$-$RANDOM
	echo old >.env
	at_shell <<'SCRIPT'
line srt -d .env -- sh -c 'setsid sh -c "echo up; while :; do sleep 0.01; done; : $TAG" & exec sleep 1000'
want up
type \032
want Stopped
idle
do kill -KILL $(pgrep -x srt-run -P "$(pgrep -x srt-run -P "$LEADER")")
until ! pgrep -f "$TAG"
line wait %1; echo st=$?
want st=125
line srt --on-lost-cover=end -d .env -- sh -c 'setsid sh -c "echo up; while :; do sleep 0.01; done; : $TAG" & exec sleep 1000'
want up
type \032
want Stopped
idle
do echo new >.new; mv .new .env
until ! pgrep -f "$TAG"
line wait %1; echo st=$?
want st=125
line exit
gone
SCRIPT
	nothing_left
}

@test "terminal: tmux: a window is resized, and killed with all in it" {
	export TMUX_TMPDIR=$base
	tmux -L t -f /dev/null new-session -d -x 80 -y 24 \
		"srt -d .env -- sh -c 'trap \"stty size >size\" WINCH
		sleep 1000 & echo \$! >up; while :; do sleep 0.01; done'" 3>&-
	wait_for test -s up
	tmux -L t set-option -g window-size manual
	tmux -L t resize-window -x 100 -y 40
	wait_for grep -qE '^(39|40) 100$' size
	tmux -L t kill-server
	wait_for nothing_left
}
