#!/usr/bin/env bats
# Signals sent to srt are for the command (cases 50, 61).
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # inner shells, bats
load lib/helper

# start [option ...] -- command: in the background, $pid; awaits the file up.
start() {
	rm -f up
	srt "$@" 3>&- &
	pid=$!
	wait_for test -e up
}

@test "signals: a handler of the command runs, and its status comes through" {
	for sig in HUP INT QUIT USR1 USR2 TERM ALRM IO WINCH CONT; do
		start -d .env -- sh -c "trap 'echo got-$sig >got; exit 9' $sig
			: >up; while :; do sleep 0.02; done"
		kill -s "$sig" "$pid"
		ended 9 "$pid"
		[ "$(cat got)" = "got-$sig" ]
	done
	nothing_left
}

@test "signals: without a handler the command ends by it, with 128+n" {
	for sig in HUP:129 INT:130 QUIT:131 USR1:138 USR2:140 ALRM:142 TERM:143; do
		start -d .env -- sh -c 'ulimit -c 0; : >up; exec sleep 20'
		kill -s "${sig%:*}" "$pid"
		ended "${sig#*:}" "$pid"
	done
	nothing_left
}

@test "signals: one that the command ignores ends nothing" {
	start -- sh -c 'trap "" TERM HUP INT; : >up
		until [ -e stop ]; do sleep 0.02; done; exit 4'
	kill -TERM "$pid"
	kill -HUP "$pid"
	kill -INT "$pid"
	: >stop
	ended 4 "$pid"
}

@test "signals: one that the supervisor has of its own making is not passed on" {
	mkfifo fifo
	exec {both}<>fifo
	exec {w}>fifo {both}>&-		# nobody reads it: SIGPIPE
	rm -f up
	srt -v -d .env -- sh -c 'trap "exit 9" USR1; : >up
		while :; do sleep 0.02; done' 2>&"$w" 3>&- &
	pid=$!
	wait_for sh -c "test -e up || ! kill -0 $pid"
	kill -USR1 "$pid"
	ended 9 "$pid"
	nothing_left
}

@test "signals: those of a fault, of real time and of libc itself are passed on" {
	for sig in ABRT SEGV SYS TRAP 34 35 63; do
		start -d .env -- bash -c "trap 'exit 9' $sig; : >up
			while :; do sleep 0.02; done"
		kill -s "$sig" "$pid"
		ended 9 "$pid"
	done
	# bash has no trap for 32 and 33
	for sig in ABRT:134 FPE:136 BUS:135 32:160 33:161 34:162 64:192; do
		start -d .env -- sh -c 'ulimit -c 0; : >up; exec sleep 20'
		kill -s "${sig%:*}" "$pid"
		ended "${sig#*:}" "$pid"
	done
	nothing_left
}

@test "signals: an alarm that the caller has set is the command's" {
	run -142 perl -MTime::HiRes=ualarm -e 'ualarm 300000; exec @ARGV' \
		srt-run -W -e 'deny-write .env' -- sleep 1000
	nothing_left
}

@test "signals: each reaches the command once" {
	start -- sh -c 'n=0; trap "n=\$((n + 1)); echo \$n >count" USR1
		: >up; until [ -e stop ]; do sleep 0.01; done; exit $n'
	for n in 1 2 3 4 5; do
		kill -USR1 "$pid"
		wait_for grep -qx "$n" count
	done
	: >stop
	ended 5 "$pid"
}

@test "signals: each once, to the group or the supervisor, however late that is" {
	setsid srt -d .env -- bash -c 'n=0; trap "let ++n; echo \$n >count" USR1
		trap "exit \$n" USR2; : >up; while :; do sleep 0.01; done' 3>&- &
	pid=$!
	wait_for test -e up
	kill -USR1 -- -"$pid"
	wait_for grep -qx 1 count
	kill -USR1 "$pid"
	wait_for grep -qx 2 count
	# a supervisor that gets its own late, as on a busy machine
	kill -STOP "$pid"
	kill -USR1 -- -"$pid"
	wait_for grep -qx 3 count
	sleep 0.3
	kill -CONT "$pid"
	kill -USR2 "$pid"
	ended 3 "$pid"
	nothing_left
}

@test "signals: they reach the command alone, not what it has started" {
	start -- sh -c 'sh -c "trap \"echo child >child\" TERM; : >up
			until [ -e stop ]; do sleep 0.02; done" &
		trap "echo me >me" TERM; until [ -e stop ]; do sleep 0.02; done'
	kill -TERM "$pid"
	wait_for test -e me
	: >stop
	ended 0 "$pid"
	[ ! -e child ]
}

@test "signals: the command has none blocked or ignored, whoever ignored them" {
	run -0 env --ignore-signal=INT,QUIT,TERM,USR1,CHLD,PIPE,TSTP,34,64 \
		--block-signal=INT,TERM,CHLD,USR2,34,64 \
		srt -- grep -E '^Sig(Blk|Ign):' /proc/self/status
	[ "${lines[0]}" = $'SigBlk:\t0000000000000000' ]
	[ "${lines[1]}" = $'SigIgn:\t0000000000000000' ]
}

@test "signals: SIGCHLD ignored by the caller loses no status" {
	for how in ignore block; do
		run -5 env --$how-signal=CHLD srt-run -W -e 'deny-write .env' -- \
			sh -c 'exit 5'
		nothing_left
	done
	run -5 env --ignore-signal=CHLD srt -d .env -- sh -c 'exit 5'
	run -5 env --block-signal=CHLD srt -d .env -- sh -c 'exit 5'
	nothing_left
}

@test "signals: nohup holds for the command and for the supervisor" {
	(trap '' HUP; exec srt -d .env -- sh -c 'echo $$ >pid; : >up
		until [ -e stop ]; do sleep 0.02; done
		kill -HUP $$; exit 8') 3>&- &
	pid=$!
	wait_for test -e up
	kill -HUP "$pid"
	: >stop
	ended 8 "$pid"
	nothing_left
	run -0 --separate-stderr nohup srt -- grep SigIgn /proc/self/status
	[ "$output" = $'SigIgn:\t0000000000000001' ]
}

@test "signals: TERM at any moment of the start is 143, and nothing is left" {
	for i in {0..39}; do
		srt -d .env -d a/b/c -- sleep 20 3>&- &
		sleep "$(printf '0.%04d' $((i * 7)))"
		kill -TERM $!
		ended 143 $!
	done
	nothing_left
	[ -z "$(ls -A)" ]
}

@test "signals: HUP at any moment of the start is 129, and nothing is left" {
	for i in {0..19}; do
		srt-run -W -e "deny-write .env" -- sleep 20 3>&- &
		sleep "$(printf "0.%04d" $((i * 13)))"
		kill -HUP $!
		ended 129 $!
	done
	nothing_left
}

@test "signals: one sent during the start reaches the command later" {
	for i in {0..9}; do
		srt-run -W -e "deny-write .env" -- sleep 3 3>&- &
		sleep "$(printf "0.%04d" $((i * 13)))"
		kill -USR1 $!
		ended 138 $!
	done
	nothing_left
}

@test "signals: before the command has started a WINCH or CONT ends nothing" {
	for i in {0..9}; do
		srt-run -W -e 'deny-write .env' -- sh -c 'exit 3' 3>&- &
		for _ in 1 2 3 4 5; do
			kill -WINCH $! 2>/dev/null || :
			kill -CONT $! 2>/dev/null || :
		done
		ended 3 $!
	done
}

@test "signals: a stopped supervisor goes on, the command did meanwhile" {
	start -d .env -- sh -c ': >up; until [ -e stop ]; do sleep 0.02; done
		: >done; exit 3'
	kill -STOP "$pid"
	: >stop
	wait_for test -e "done"
	kill -CONT "$pid"
	ended 3 "$pid"
	nothing_left
}

@test "signals: TERM to a stopped supervisor reaches the command afterwards" {
	start -d .env -- sh -c 'trap "exit 9" TERM; : >up
		while :; do sleep 0.02; done'
	kill -STOP "$pid"
	kill -TERM "$pid"
	kill -CONT "$pid"
	ended 9 "$pid"
}

@test "signals: what the command sends to PID 1 changes nothing" {
	run -0 srt -- sh -c 'for s in TERM INT HUP USR1 KILL STOP 34; do
		kill -$s 1; done; sleep 0.1; exit 0'
	run -0 srt -- sh -c 'kill -TERM -1; sleep 0.1'
}

@test "signals: the command cannot signal anything outside" {
	sleep 20 3>&- &
	other=$!
	run -1 srt -- sh -c "kill -0 $other 2>/dev/null"
	kill -0 "$other"
	kill "$other"
}

@test "signals: what the command leaves running ends with it" {
	run -0 srt -- sh -c 'for i in 1 2 3; do
		(trap "" TERM HUP INT; while :; do date +%N >alive.$i; sleep 0.01
		done) & done
		until [ -e alive.3 ]; do sleep 0.01; done'
	was=$(cat alive.*)
	sleep 0.1
	[ "$(cat alive.*)" = "$was" ]
}
