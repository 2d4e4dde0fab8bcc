#!/usr/bin/env bats
# A clean-up that is stopped half way delays starts and never lets one start
# unprotected; nobody waits for a dead process (case 39).
# shellcheck disable=SC2154 # what the helpers set
load lib/helper
load lib/life

setup() {
	setup_w
	emptied
}

# What a test stopped would otherwise stay for ever, and hold files open.
teardown() {
	[ ! "${stopped:-}" ] || kill -KILL "$stopped" 2>/dev/null || :
	[ ! "${tracer:-}" ] || kill -KILL "$tracer" 2>/dev/null || :
	teardown_w
}

# stop_after CALL N PROGRAM ...: runs the program until it has made the Nth such
# call, and stops it there.  Its pid is $stopped, its tracer's $tracer.
stop_after() {
	: >"$base/calls"
	strace -qq -o "$base/calls" -e inject="$1:signal=STOP:when=$2" -- \
		"${@:3}" >"$base/stopped.out" 2>"$base/stopped.err" \
		</dev/null 3>&- &
	tracer=$!
	wait_for is_stopped
}
# Any call that is traced stops it, too: a SIGCONT then would come too early.
is_stopped() {
	grep -q 'stopped by SIGSTOP' "$base/calls" &&
		stopped=$(pgrep -P "$tracer")
}

# waits PID: it waits for a lock, with its alarm set.
waits() {
	[ "$(awk '/^SigCgt/ { print substr($2, 13, 4) }' \
		"/proc/$1/status")" = 2000 ]
}

# start: a run that tries its deny, in the background.
start() {
	srt -w . -d .env -- sh -c "$(denied "$W/.env"); echo ran" \
		>"$base/out" 2>"$base/err" 3>&- &
	starter=$!
}

@test "collector: what it leaves to a start that is then refused goes with the next" {
	leave "$W/.env"
	profile "$W/.env" "$W/x" | srt-plan >"$base/plan"
	stop_after renameat 1 srt-record -p "$base/plan" -- true
	srt --sweep
	[ -S .env ]
	echo mine >x
	kill -CONT "$stopped"
	ended 75 "$tracer"
	srt --sweep
	[ "$(cat x)" = mine ]
	rm x
	nothing_left
}

@test "collector: what it leaves to a start that has yet to look goes, whatever becomes of that" {
	profile "$W/.env" | srt-plan >"$base/absent"
	leave "$W/.env"
	# planned before that was there; named, and not looked again
	stop_after renameat 1 srt-record -p "$base/absent" -- true
	srt --sweep
	[ -S .env ]
	kill -KILL "$stopped"
	ended 137 "$tracer"
	srt --sweep
	nothing_left
}

@test "collector: stopped before it removes, it is waited for, and then the deny holds" {
	leave "$W/.env"
	srt-claim >/dev/null
	stop_after openat2 1 srt-collect	# of the directory
	[ -S .env ]
	start
	wait_for waits "$starter"
	[ ! -s "$base/out" ]
	kill -CONT "$stopped"
	ended 0 "$starter"
	ended 0 "$tracer"
	[ "$(cat "$base/out")" = ran ]
	[ ! -s "$base/err" ]
	nothing_left
}

@test "collector: stopped with a placeholder moved aside, it is waited for, and then the deny holds" {
	leave "$W/.env"
	srt-claim >/dev/null
	stop_after renameat2 1 srt-collect
	[ ! -e .env ]
	start
	wait_for waits "$starter"
	[ ! -s "$base/out" ]
	kill -CONT "$stopped"
	ended 0 "$starter"
	ended 0 "$tracer"
	[ "$(cat "$base/out")" = ran ]
	nothing_left
}

@test "collector: never continued, starts are refused after five seconds, with its pid" {
	leave "$W/.env"
	srt-claim >/dev/null
	stop_after renameat2 1 srt-collect
	start=${EPOCHREALTIME/./}
	start
	profile "$W/x" | srt-plan >"$base/plan"
	srt-record -p "$base/plan" -- true 2>"$base/err2" 3>&- &
	recorder=$!
	ended 125 "$starter"
	ended 75 "$recorder"
	took=$((${EPOCHREALTIME/./} - start))
	[ "$took" -gt 4500000 ]
	[ "$took" -lt 30000000 ]
	[ "$(cat "$base/err")" = "srt-run: $place: the lock is held by process $stopped for more than 5 seconds" ]
	[ "$(cat "$base/err2")" = "srt-record: $place: the lock is held by process $stopped for more than 5 seconds" ]
	[ ! -s "$base/out" ]
	[ ! -e x ]
	# nor does a clean-up wait longer
	run -75 --separate-stderr srt --sweep
	[ "${#stderr_lines[@]}" -le 2 ]
	[[ ${stderr_lines[0]} == "srt-"*": $place: the lock is held by process $stopped for more than 5 seconds" ]]
	kill -KILL "$stopped"
	ended 137 "$tracer"
	start
	ended 0 "$starter"
	[ "$(cat "$base/out")" = ran ]
	nothing_left
}

@test "collector: killed while it is waited for, it is waited for no longer" {
	leave "$W/.env"
	srt-claim >/dev/null
	stop_after renameat2 1 srt-collect
	start
	wait_for waits "$starter"
	kill -KILL "$stopped"
	ended 0 "$starter"	# and not 125, for it waited too long
	ended 137 "$tracer"
	[ "$(cat "$base/out")" = ran ]
	nothing_left
}

@test "collector: a run that lasts is not disturbed by one that is stopped, and ends" {
	hold -w . -d .env
	leave "$W/left"
	srt-claim >/dev/null
	stop_after renameat2 1 srt-collect
	not_removed .env
	start=${EPOCHREALTIME/./}
	echo exit >&"$hold_in"	# who is stopped has it open, too
	release
	took=$((${EPOCHREALTIME/./} - start))
	[ "$took" -lt 30000000 ]
	[ -S .env ]	# the clean-up could not be had; its status is no matter
	kill -CONT "$stopped"
	ended 0 "$tracer"
	srt --sweep
	nothing_left
}

@test "collector: a claimer that is stopped is waited for as well" {
	leave "$W/.env"
	stop_after utimensat 1 srt-claim
	start
	wait_for waits "$starter"
	kill -CONT "$stopped"
	ended 0 "$starter"
	ended 0 "$tracer"
	[ "$(cat "$base/out")" = ran ]
	srt --sweep
	nothing_left
}

@test "collector: a recorder that is stopped is waited for as well" {
	profile "$W/.env" | srt-plan >"$base/plan"
	stop_after mknodat 1 srt-record --bwrap /bin/true -p "$base/plan" -- true
	start
	wait_for waits "$starter"
	[ ! -e .env ]
	kill -CONT "$stopped"
	ended 0 "$starter"
	ended 0 "$tracer"
	[ "$(cat "$base/out")" = ran ]
	wait_for nothing_lives
	srt --sweep
	nothing_left
}
nothing_lives() { [ -z "$(srt-live)" ]; }

@test "collector: a run that needs no placeholder waits for nobody" {
	leave "$W/.env"
	srt-claim >/dev/null
	stop_after renameat2 1 srt-collect
	run -0 timeout 60 srt-plan -e "allow-write $W"
	kill -CONT "$stopped"
	ended 0 "$tracer"
}

@test "collector: one that is stopped could remove what a run covers again: that is ended after five seconds" {
	echo old >.env
	hold -w . -d .env 2>"$base/err"
	leave "$W/left"
	srt-claim >/dev/null
	stop_after renameat2 1 srt-collect
	echo new >new
	mv new .env
	wait_for grep -q "^srt-run: $place: the lock is held by process $stopped for more than 5 seconds$" "$base/err"
	ended 125 "$pid"
	[ "$(cat .env)" = new ]
	kill -CONT "$stopped"
	ended 0 "$tracer"
	exec {hold_in}>&- {hold_out}<&-
	srt --sweep
	rm .env
	nothing_left
}
