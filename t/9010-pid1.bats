#!/usr/bin/env bats
# srt as PID 1, as a container's ENTRYPOINT is (case 50).
# ORPHANS_S=60 makes the test of orphans last a minute.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # inner shells, bats
load lib/helper
load lib/life

# pid1 COMMAND ...: as PID 1, with a /proc of its own.  An ordinary user needs
# a user namespace for that.
pid1() {
	local as=()
	is_root || as=(--map-current-user)
	unshare "${as[@]}" -pf --mount-proc -- "$@"
}

# start COMMAND ...: in the background; $pid will have unshare's status, $one is
# its PID 1.  Awaits the file up.
start() {
	rm -f up
	pid1 "$@" 3>&- &
	pid=$!
	wait_for test -e up
	one=$(pgrep -P "$pid")
	# $pid is the subshell that runs the function
	[ "$(cat "/proc/$one/comm")" = srt-run ] || one=$(pgrep -P "$one")
	[ "$(cat "/proc/$one/comm")" = srt-run ]
}

swept() { srt --sweep && nothing_left; }

@test "pid 1: a status is the command's, and nothing is left" {
	run -7 pid1 sh -c '[ $$ -eq 1 ] && exec srt -d .env -- sh -c "exit 7"'
	nothing_left
	run -127 pid1 srt -- no-such-program
	run -137 pid1 srt -- sh -c 'kill -KILL $$'
	run -0 pid1 srt -d .env -- sh -c "$(denied "$W/.env")"
	[ -z "$output" ]
}

@test "pid 1: with the /proc of another PID namespace, or children in one, it says so" {
	local as=()
	is_root || as=(--map-current-user)
	for run in srt srt-run; do
		run -125 unshare "${as[@]}" -pf "$run" -- true
		[ "$output" = 'srt-run: /proc: shows another PID namespace than ours; mount one (unshare --mount-proc)' ]
	done
	for run in 'srt -d .env' 'srt-run -W'; do
		run -125 unshare "${as[@]}" -p sh -c "exec $run -- true"
		[ "$output" = 'srt-run: processes are started in another PID namespace than this: unshare -p takes -f' ]
	done
	run -0 unshare "${as[@]}" -p sh -c 'exec srt-work -b . -- echo works'
	[ "$output" = works ]
	nothing_left
}

@test "pid 1: each signal reaches the handler, whose status comes" {
	for sig in HUP INT QUIT USR1 USR2 TERM WINCH CONT TSTP TTIN ALRM PIPE; do
		start srt -d .env -- bash -c "trap 'echo got-$sig >got; exit 9' $sig
			: >up; while :; do sleep 0.02; done"
		kill -s "$sig" "$one"
		ended 9 "$pid"
		[ "$(cat got)" = "got-$sig" ]
	done
	nothing_left
}

@test "pid 1: without a handler each signal does what it does in a shell" {
	for sig in HUP:129 INT:130 QUIT:131 USR1:138 USR2:140 PIPE:141 \
	    ALRM:142 TERM:143; do
		start srt -d .env -- sh -c 'ulimit -c 0; : >up; exec sleep 1000'
		kill -s "${sig%:*}" "$one"
		ended "${sig#*:}" "$pid"
	done
	nothing_left
}

@test "pid 1: WINCH, CONT, URG and CHLD end nothing" {
	start srt -d .env -- sh -c ': >up; until [ -e stop ]; do sleep 0.02; done
		exit 4'
	for sig in WINCH CONT URG CHLD; do kill -s "$sig" "$one"; done
	: >stop
	ended 4 "$pid"
	nothing_left
}

@test "pid 1: TSTP stops the command and CONT wakes it, TERM ends it stopped" {
	start srt -d .env -- sh -c 'echo $$ >up; exec sleep 1000'
	command=$(pgrep -f -x -n 'sleep 1000' -P "$(pgrep -P "$(pgrep -P "$one" bwrap)")")
	kill -TSTP "$one"
	wait_for grep -q 'State:.T' "/proc/$command/status"
	kill -CONT "$one"
	wait_for grep -q 'State:.S' "/proc/$command/status"
	kill -TSTP "$one"
	wait_for grep -q 'State:.T' "/proc/$command/status"
	kill -TERM "$one"
	kill -CONT "$one"
	ended 143 "$pid"
	nothing_left
}

@test "pid 1: KILL ends all at once, and the rest goes with the next clean-up" {
	start srt -d .env -d a/b -- sh -c ': >up; while :; do echo x >>n; done'
	kill -KILL "$one"
	wait "$pid" || :	# unshare 2.38 says 1
	cp n was
	sleep 0.05
	cmp n was
	# of another PID namespace: collected ten seconds after its claim
	srt --sweep
	wait_for swept
	rm n was up
	[ -z "$(ls -A)" ]
}

@test "pid 1: 500 orphans a second inside are reaped, no zombie is left" {
	cp "$(tool orphans)" orphans
	run -0 pid1 srt -d .env -- ./orphans 500 "${ORPHANS_S:-10}"
	[ "$output" -eq $((500 * ${ORPHANS_S:-10})) ]
}

@test "pid 1: orphans of others in the container are reaped by the supervisor" {
	as_root
	cp "$(tool orphans)" orphans
	start srt -d .env -- sh -c ': >up; until [ -e stop ]; do sleep 0.02; done
		exit 4'
	run -0 nsenter -t "$one" -p -m -- "$W/orphans" 500 "${ORPHANS_S:-3}"
	[ "$output" -eq $((500 * ${ORPHANS_S:-3})) ]
	run ! pgrep -r Z -P "$one"
	: >stop
	ended 4 "$pid"
}

@test "pid 1: in a terminal: Ctrl-C, Ctrl-Z without effect, size, shell inside" {
	local as=()
	is_root || as=(--map-current-user)
	"$(tool pty)" unshare "${as[@]}" -pf --mount-proc -- \
		srt -d .env -- bash --norc --noediting -i <<'SCRIPT'
line PS1=; echo up $((1 + 1))
want up 2
note
line bash -c 'trap "echo int; exit 3" INT; echo job; while :; do sleep 0.01; done'
want job
type \003
want int
idle
line echo st=$?
want st=3
line bash -c 'echo job; read x; exit 6'
want job
type \032
want Stopped
idle
line fg
busy
line x
idle
line echo st=$?
want st=6
size 33 99
line stty size
want 33 99
line exit 9
ends 9
gone
SCRIPT
	nothing_left
	"$(tool pty)" unshare "${as[@]}" -pf --mount-proc -- \
		srt -d .env -- sh -c 'echo up; read x; exit 5' <<'SCRIPT'
want up
type \032
line x
ends 5
gone
SCRIPT
	"$(tool pty)" unshare "${as[@]}" -pf --mount-proc -- \
		srt -d .env -- sh -c 'echo up; exec sleep 1000' <<'SCRIPT'
want up
type \003
ends 130
gone
SCRIPT
	nothing_left
}

@test "pid 1: when its terminal is closed, everything ends" {
	local as=()
	is_root || as=(--map-current-user)
	"$(tool pty)" unshare "${as[@]}" -pf --mount-proc -- \
		srt -d .env -- sh -c 'echo up; exec sleep 1000' <<'SCRIPT'
want up
hangup
gone
SCRIPT
	nothing_left
}
