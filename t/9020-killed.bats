#!/usr/bin/env bats
# SIGKILL to any one process of a run: nothing lives on, nothing lands, and
# what is left goes with the next clean-up (case 36, 61).
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # inner shells, bats
load lib/helper
load lib/life

setup() {
	setup_w
	cat >"$base/who" <<'WHO'
#!/bin/sh
# who run|monitor|watcher|init|command: the pid, once there is one
while :; do
	run=$(pgrep -x -P "${TOP:-$LEADER}" srt-run)
	monitor=$(pgrep -x -P "$run" bwrap)
	watcher=$(pgrep -x -P "$run" srt-run)
	init=$(pgrep -P "$monitor")
	command=$(pgrep -P "$init")
	eval "pid=\$$1"
	[ "$pid" ] && echo "$pid" && exit
done 2>/dev/null
WHO
	chmod +x "$base/who"
	export PATH=$base:$PATH
	# tries to write the denied paths at each moment, and says it is alive
	cat >"$base/busy" <<'BUSY'
trap "" HUP INT TERM QUIT TSTP
( trap "" HUP; while :; do echo x >>alive1; done ) &
setsid sh -c 'while :; do echo x >>alive2; done' &
until [ -s alive1 ] && [ -s alive2 ]; do :; done
: >up
while :; do
	echo x >file; echo x >.env; rm -f .env; mkdir .env
	mkdir -p a/b; echo x >a/b; mv a c; ln -s x .env
	mv file c
done 2>/dev/null
BUSY
	BUSY=$(cat "$base/busy")
	export BUSY
	echo old >file
}

# still: the files that the command writes do not grow any more.
still() {
	wc -c alive1 alive2 >was
	sleep 0.05
	wc -c alive1 alive2 | cmp - was
}

# as_before: nothing landed, and after a sweep nothing is left.
as_before() {
	still
	[ "$(cat file)" = old ]
	srt --sweep
	rm alive1 alive2 up was
	[ "$(ls -A)" = file ]
	nothing_left
}

# killed WHO STATUS: in a terminal, at a shell; the status that the shell sees.
killed() {
	at_shell <<SCRIPT
line srt -d .env -d a/b -d file -- bash -c "\$BUSY"; echo "st=\$?"
until test -e up
do kill -KILL \$(who $1)
want st=$2
do test -z "\$(pgrep -P "\$LEADER")"
line echo usable \$((1 + 1))
want usable 2
line exit 0
ends 0
gone
SCRIPT
	as_before
}

@test "killed: srt-run" { killed run 137; }
@test "killed: the monitor, bubblewrap" { killed monitor 125; }
@test "killed: the watcher" { killed watcher 125; }
@test "killed: init" { killed init 137; }
@test "killed: the command" { killed command 137; }

@test "killed: any two at the same time" {
	# "|| :": the first may have taken the second with it
	for a in run monitor watcher init; do
		for b in monitor watcher init command; do
			[ "$a" != "$b" ] || continue
			WHO="$a $b" at_shell <<'SCRIPT'
line srt -d .env -d a/b -d file -- bash -c "$BUSY" 2>/dev/null; echo "st=$?"
until test -e up
do set -- $WHO; kill -KILL $(who $1) $(who $2) || :
want st=1
line exit 0
ends 0
gone
SCRIPT
			as_before
		done
	done
}

@test "killed: one after another while the job is stopped" {
	for a in run monitor watcher init; do
		WHO=$a at_shell <<'SCRIPT'
line srt -d .env -d a/b -d file -- bash -c "${BUSY/ TSTP/}"; echo "st=$?"
until test -e up
type \032
want Stopped
do kill -KILL $(who $WHO)
line fg >/dev/null 2>&1; echo "end=$?"
want end=1
line exit 0
line exit 0
ends 0
gone
SCRIPT
		as_before
	done
}

@test "killed: the whole process group" {
	at_shell <<'SCRIPT'
line srt -d .env -d a/b -d file -- bash -c "$BUSY" 2>/dev/null; echo "st=$?"
until test -e up
do bash -c 'kill -KILL -- -$(who run)'
want st=137
line exit 0
ends 0
gone
SCRIPT
	as_before
}

@test "killed: the leader of the session, so that the kernel hangs up" {
	at_shell <<'SCRIPT'
line srt -d .env -d a/b -d file -- bash -c "${BUSY/HUP /}"
until test -e up
do kill -KILL "$LEADER"
ends 137
gone
SCRIPT
	as_before
}

@test "killed: at any moment of the start, nothing is left after a sweep" {
	for who in run monitor watcher init; do
		for _ in 1 2 3; do
			WHO=$who at_shell <<'SCRIPT'
line srt -d .env -d a/b -- sleep 1000 2>/dev/null
do kill -KILL $(who $WHO)
idle
line exit
gone
SCRIPT
			srt --sweep
			[ "$(ls -A)" = file ]
			nothing_left
		done
	done
}

# asleep_now PID: never said of one that looks again and again.
asleep_now() { [[ $(cat "/proc/$1/stat") == *') S '* ]]; }

@test "killed: srt-run sleeps while bubblewrap, stopped, is all there is" {
	local bwrap watcher
	hold -d .env
	bwrap=$(pgrep -P "$pid" -x bwrap)
	watcher=$(pgrep -P "$pid" -x srt-run)
	kill -STOP "$bwrap"
	exec {hold_in}>&-
	wait_for gone "$watcher"
	wait_for asleep_now "$pid"
	kill -CONT "$bwrap"
	ended 0 "$pid"
	exec {hold_out}<&-
	nothing_left
}
