#!/usr/bin/env bats
# A slow machine: no step fails because of a time limit under five seconds
# (case 62).  strace slows everything, or holds up single calls.
# shellcheck disable=SC2016,SC2154 # inner shells; what the helper sets
load lib/helper

# slow OPTION ... -- COMMAND: under strace, what it writes thrown away.
slow() { strace -f -qq -o /dev/null "$@"; }

@test "slow: under strace everything is as ever" {
	run -3 slow srt -d .env -d a/b/c -- sh -c \
		'echo ok; test ! -s .env && ! echo x >.env; exit 3'
	[ "${lines[0]}" = ok ]
	nothing_left
	[ -z "$(ls -A)" ]
}

@test "slow: each of our calls held up for a while" {
	for call in clone,clone3,fork,vfork execve,execveat mount,umount2 \
		openat,openat2 fcntl setns,unshare fstat,newfstatat,statx \
		read,pread64 write,sendto mknodat,linkat,unlinkat poll; do
		run -3 slow -e inject="$call:delay_enter=20000" \
			srt-run -W -e 'deny-write .env' -- sh -c 'exit 3'
		nothing_left
	done
}

# three seconds at one call, the others in passing
late() {
	local dir=$base/late.$1
	mkdir -p "$dir"
	(
		cd "$dir" || exit
		status=0
		strace -f -qq -o /dev/null \
			-e inject="$2:delay_enter=3000000:when=$3" \
			srt-run -W -e 'deny-write .env' -- sh -c 'exit 3' ||
			status=$?
		[ "$status" -eq 3 ] || echo "$2: status $status" >"$base/bad.$1"
	) 3>&- &
}

@test "slow: three seconds in a single call, several runs at a time" {
	late 1 execve 2
	late 2 setns 1
	late 3 unlinkat 1
	late 4 mknodat 1
	late 5 linkat 1
	late 6 mount 3
	late 7 pivot_root 1
	late 8 sendto 1
	wait
	run -1 cat "$base"/bad.*
	[ -z "$(find "$base"/late.* ! -type d)" ]
	nothing_left
}

@test "slow: a start waits for a clean-up that takes four seconds" {
	srt-plan -e 'allow-write .' -e 'deny-write .env' >"$base/plan"
	srt-record -p "$base/plan" -- true
	srt-claim >/dev/null
	strace -f -qq -o "$base/trace" -P "$W/.env" -P "$W" \
		-e inject=unlinkat:delay_enter=4000000 \
		srt-collect </dev/null >/dev/null 3>&- &
	# holds the mutex and is at its first removal
	wait_for grep -q unlinkat "$base/trace"
	run -0 srt -d .env -- true
	ended 0 $!
	nothing_left
}

@test "slow: the parts of a run stopped and continued in turn" {
	for part in supervisor monitor init; do
		hold -d .env
		monitor=$(pgrep -P "$pid" -x bwrap)
		case $part in
		supervisor) p=$pid ;;
		monitor) p=$monitor ;;
		init) p=$(pgrep -P "$monitor") ;;
		esac
		kill -STOP "$p"
		run -0 srt -d .env -- sh -c '! echo x >.env' 2>/dev/null
		[ -S .env ]
		kill -CONT "$p"
		[ "$(tell 'echo on')" = on ]
		release
		[ ! -e .env ]
	done
	nothing_left
}

@test "slow: a monitor stopped at the end delays it, nothing more" {
	hold -d .env
	monitor=$(pgrep -P "$pid" -x bwrap)
	kill -STOP "$monitor"
	exec {hold_in}>&- {hold_out}<&-
	# the command has gone, and who vouches for it has not
	wait_for sh -c "! pgrep -P $(pgrep -P "$monitor") ."
	srt --sweep
	[ -S .env ]
	kill -CONT "$monitor"
	ended 0 "$pid"
	nothing_left
}

@test "slow: a run stopped during its start goes on afterwards" {
	for i in {0..14}; do
		srt-run -W -e 'deny-write .env' -- sh -c 'exit 3' 3>&- &
		pid=$!
		sleep "$(printf '0.%04d' $((i * 10)))"
		parts=$(pgrep -P "$pid" || :)
		# shellcheck disable=SC2086 # a list
		kill -STOP "$pid" $parts 2>/dev/null || :
		sleep 0.05
		# shellcheck disable=SC2086
		kill -CONT "$pid" $parts 2>/dev/null || :
		ended 3 "$pid"
	done
	nothing_left
}

@test "slow: output read late is not lost" {
	srt -d .env -- seq 1 200000 | { sleep 0.3; cat; } >got
	seq 1 200000 | cmp - got
	nothing_left
}
