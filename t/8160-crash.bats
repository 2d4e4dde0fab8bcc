#!/usr/bin/env bats
# A recorder killed at each call it makes until it has become bubblewrap, and a
# supervisor at each that changes something: the next clean-up leaves nothing,
# and takes nothing of the user's.
# shellcheck disable=SC2154 # what the helpers set
load lib/helper
load lib/life

setup() {
	setup_w
	emptied
	umask 022
	mkdir .git own.d
	echo precious >own
	: >empty
	paths=("$W/.env" "$W/a/b/key" "$W/a/c" "$W/.git/config" "$W/.git/hooks"
		"$W/empty" "$W/own" "$W/own.d")
	profile "${paths[@]}" | srt-plan >"$base/plan"
	before=$(all)
}

all() { find . -printf '%p %i %y %m %s\n' | sort; }

# after CALL N: a clean-up, and one a minute later, leave nothing.
after() {
	local file said
	said=$(srt --sweep 2>&1 >/dev/null) || said=failed:$said
	[ -z "$said" ] || { echo "$1 $2: sweep: $said"; return 1; }
	for file in "$place"/*.tmp "$place"/*.init; do
		[ ! -e "$file" ] || older "$file" 100
	done
	srt --sweep
	nothing_left || { echo "$1 $2"; return 1; }
	diff <(echo "$before") <(all) || { echo "$1 $2"; return 1; }
}

# nobody_lives: whoever held a manifest, as srt-record's helper, has ended.
nobody_lives() { [ -z "$(srt-live)" ]; }

# calls_of PROGRAM ...: the names of the calls its first process makes.
calls_of() {
	strace -qq -o "$base/raw" -- "$@" >/dev/null 3>&-
	sed -nE 's/^([a-z0-9_]+)\(.*/\1/p' "$base/raw" | sort -u |
		grep -vx 'execve\|arch_prctl\|set_tid_address'
}

@test "crash: srt-record killed at any call, until it is bubblewrap" {
	local call n killed=0
	record=(srt-record --bwrap /bin/true -p "$base/plan" -- true)
	mapfile -t calls < <(calls_of "${record[@]}")
	wait_for nobody_lives
	after none 0
	[ "${#calls[@]}" -ge 20 ]
	for call in "${calls[@]}"; do
		for ((n = 1; n < 100; n++)); do
			status=0
			strace -qq -o "$base/raw" \
				-e "inject=$call:signal=KILL:when=$n" -- \
				"${record[@]}" >/dev/null 2>&1 3>&- || status=$?
			wait_for nobody_lives
			after "$call" "$n"
			[ "$status" -eq 137 ] || break
			killed=$((killed + 1))
			# what is done by then is not srt-record's
			! grep -q '^execveat(' "$base/raw" || break
		done
	done
	echo "# killed at $killed calls" >&3
	[ "$killed" -ge 100 ]
}

@test "crash: srt-run killed at any call that changes something" {
	local call n killed=0
	run=(srt -w .)
	for path in "${paths[@]}"; do run+=(-d "$path"); done
	run+=(-- true)
	for call in mkdir openat fchmod fcntl write pwrite64 fallocate \
		renameat renameat2 mkdirat mknodat unlinkat utimensat flock \
		memfd_create socketpair pipe2 fork clone vfork pidfd_open \
		prctl execve wait4 waitid exit_group; do
		for ((n = 1; n < 100; n++)); do
			status=0
			strace -qq -o "$base/raw" \
				-e "inject=$call:signal=KILL:when=$n" -- \
				"${run[@]}" >/dev/null 2>&1 3>&- || status=$?
			[ "$status" -eq 137 ] || break
			killed=$((killed + 1))
			wait_for nobody_lives
			after "$call" "$n"
		done
	done
	echo "# killed at $killed calls" >&3
	[ "$killed" -ge 60 ]
}

@test "crash: every process of a run killed at one of its calls" {
	local call n killed=0
	run=(srt -w .)
	for path in "${paths[@]}"; do run+=(-d "$path"); done
	run+=(-- true)
	# in each process that comes so far
	for call in mount umount2 open_tree move_mount mount_setattr setns \
		clone clone3 prctl capset execve execveat sendto read write \
		setresuid pivot_root unshare wait4 exit_group; do
		for n in 1 2 3 4 5 8; do
			strace -qq -f -o "$base/raw" \
				-e "inject=$call:signal=KILL:when=$n" -- \
				"${run[@]}" >/dev/null 2>&1 3>&- &
			# a child of the killed monitor may wait, and strace
			# for it, until a clean-up ends it
			tracer=$!
			wait_for over_or_waiting "$tracer"
			said=$(srt --sweep 2>&1 >/dev/null) || said=failed:$said
			[ -z "$said" ] || { echo "$call $n: $said"; false; }
			wait "$tracer" || killed=$((killed + 1))
			after "$call" "$n"
		done
	done
	echo "# killed in $killed runs" >&3
	[ "$killed" -ge 20 ]
}

# over_or_waiting PID: the traced run has ended, or its supervisor has and
# what it leaves has had a moment.
over_or_waiting() {
	[ -d "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status" || return 0
	nobody_lives && sleep 0.1
}
