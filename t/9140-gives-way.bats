#!/usr/bin/env bats
# Nobody outside is hindered: when a denied path is removed, all inside are
# stopped until it is seen what becomes of it, and notice nothing of that.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154,SC2217,SC2317 # inner shells, bats
load lib/helper
load lib/inside
load lib/life
load lib/watch

setup() {
	trap '' PIPE
	setup_w
	git config --global init.defaultBranch main
}

# init_of: the run's, its pid out here.
init_of() { pgrep -P "$(pgrep -P "$pid" -x bwrap)"; }

# states: of all processes inside but init, a letter each, as in /proc/PID/stat.
states() {
	pids_inside "$(init_of)" | while read -r p; do
		sed 's/.*) \(.\) .*/\1/' "/proc/$p/stat" 2>/dev/null
	done | sort -u | tr -d '\n'
}
# pids_inside INIT: the processes of its PID namespace, without it.
pids_inside() {
	local ns p
	ns=$(readlink "/proc/$1/ns/pid")
	for p in /proc/[0-9]*; do
		[ "$(readlink "$p/ns/pid" 2>/dev/null)" != "$ns" ] ||
			[ "${p#/proc/}" = "$1" ] || echo "${p#/proc/}"
	done
}

# work DIR: a process that works for ever with DIR open, as rm -r does: $worker.
work() {
	bash -c 'exec 9<"$1"; : >"$2"; while :; do :; done' sh "$1" \
		"$base/works" 3>&- {hold_in}>&- &
	worker=$!
	wait_for test -e "$base/works"
}
rest() { kill "$worker"; wait "$worker" || :; rm "$base/works"; worker=; }
teardown() {
	[ -z "${worker:-}" ] || kill "$worker"
	teardown_w
}

# next_pid N: inside, the next process gets that pid.
next_pid() {
	local watcher
	watcher=$(pgrep -P "$pid" -x srt-run)
	# the PID namespace is its user namespace's
	nsenter --user="/proc/$watcher/ns/user" --preserve-credentials \
		-p -t "$(init_of)" sh -c 'echo "$1" >/proc/sys/kernel/ns_last_pid' \
		sh $(($1 - 1))
}

# Whole directories ---------------------------------------------------------

@test "gives way: rm -rf of a project works, whatever is denied in it" {
	local i deny
	for deny in '-d .env' '-d .env -d none' '-d .env -d none -d a/b/c' \
		'-d a/b/c -d a/b/d -d e'; do
		for i in 1 2 3 4 5; do
			mkdir p
			touch p/{1..400}
			[ $((i % 2)) -eq 0 ] || echo old >p/.env
			# shellcheck disable=SC2086 # words
			hold -C p -w . $deny
			rm -rf p
			[ ! -e p ]
			stop
		done
	done
	nothing_left
}

@test "gives way: rm -rf of a project that takes its time, and is written in" {
	local d
	mkdir -p p/{a..e}/{1..10}/x
	for d in p/*/*/x; do touch "$d"/{1..100}; done
	hold -C p -w . -d .env -d c/5/x/none -d z/y/n
	inside 'exec 9>log; while :; do echo x >&9; : >/tmp/x; done >/dev/null 2>&1 & :'
	rm -rf p
	[ ! -e p ]
	stop
	nothing_left
}

@test "gives way: to find -delete, Python and a mv that copies, to two runs, too" {
	local i in out first way
	for way in 'find p -delete' 'mv p "$base/p"' \
		'python3 -c "import shutil; shutil.rmtree(\"p\")"'; do
		mkdir p
		touch p/{1..400}
		hold -C p -w . -d .env -d a/b
		in=$hold_in out=$hold_out first=$pid
		hold -C p -w . -d .env -d none
		eval "$way"
		[ ! -e p ]
		stop
		pid=$first hold_in=$in hold_out=$out stop
		rm -rf "$base/p"
		nothing_left
	done
}

@test "gives way: rm -rf gets to its end when the command is killed meanwhile" {
	local command i rm
	for i in 1 2 3 4 5; do
		mkdir -p p/q/r
		touch p/{1..3000} p/q/{1..300}
		hold -C p -w . -d .env -d q/none -d q/r/x
		command=$(pgrep -P "$(pgrep -P "$(pgrep -P "$pid" -x bwrap)")")
		rm -rf p &
		rm=$!
		wait_for test ! -e p/.env
		kill -KILL "$command"
		ended 0 "$rm"
		ended 137 "$pid"
		exec {hold_in}>&- {hold_out}<&-
		nothing_left
	done
}

# git and editors -----------------------------------------------------------

@test "gives way: git checkout, reset, stash, merge and clean: none is hindered" {
	local i
	two_branches
	hold -d .env -d absent/x -d .git/ORIG_HEAD
	for i in {1..10}; do
		git checkout -q main
		git checkout -q two
		echo "edit $i" >.env
		echo u >untracked
		git stash -qu
		git stash pop -q
		[ "$(cat .env untracked)" = "edit $i"$'\n'u ]
		git reset -q --hard
		git checkout -q main
		git merge -q two
		git reset -q --hard HEAD~1
		git clean -qfdx
	done
	covered "$W/.env"
	holds_now "$W/.env"
	covered "$W/absent/x"
	holds_now "$W/absent/x"
	stop
	[ "$(cat .env)" = 1 ]
	nothing_left
}

@test "gives way: what is removed and made again, exclusively, by one program" {
	local i
	echo old >.env
	hold -d .env -d none
	for i in {1..50}; do
		perl -MFcntl -e 'unlink ".env", "none";
			sysopen(F, ".env", O_WRONLY | O_CREAT | O_EXCL) or die $!;
			print F "$ARGV[0]\n"; mkdir "none" or die $!' "$i"
		covered "$W/.env"
		covered "$W/none"
		[ "$(cat .env)" = "$i" ]
		rmdir none
		wait_for test -S none
	done
	holds_now "$W/.env"
	stop
	nothing_left
}

# What the command has of it ------------------------------------------------

@test "gives way: all inside are stopped meanwhile, for some seconds at most" {
	hold -d .env
	inside '{ sleep 1000 & setsid sh -c "while :; do :; done" & } >/dev/null 2>&1'
	work "$W"
	rm .env
	wait_for eval '[ "$(states)" = T ]'
	[ ! -e .env ]
	# and goes on in the end, though somebody still works there
	covered "$W/.env"
	holds_now "$W/.env"
	[[ $(states) != *T* ]]
	rest
	stop
	nothing_left
}

@test "gives way: no longer than whoever works there does so" {
	hold -d .env
	work "$W"
	rm .env
	wait_for eval '[ "$(states)" = T ]'
	rest
	covered "$W/.env"
	[[ $(states) != *T* ]]
	stop
	nothing_left
}

@test "gives way: not while somebody inside cannot be kept stopped" {
	local wakes
	wakes=$(inside_tool in-wakes)
	hold -d .env
	inside "{ $wakes '$W/.env'; echo over; } >seen 2>&1 & :"
	wait_for grep -q ready seen
	work "$W"
	rm .env
	covered "$W/.env"
	wait_for grep -q over seen
	[ -S .env ]
	holds_now "$W/.env"
	rest
	stop
	nothing_left
}

@test "gives way: what was stopped before stays so, what waits sees no stop" {
	local i stops
	stops=$(inside_tool stops)
	hold -d .env
	inside "{ $stops >seen & sleep 1000 & echo \$! >runs; \
sleep 1000 & echo \$! >stopped; } >/dev/null 2>&1"
	wait_for grep -q ready seen
	wait_for eval '[ "$(inside "cat /proc/\$(cat stopped)/comm")" = sleep ]'
	inside 'kill -STOP $(cat stopped)'
	for i in {1..30}; do
		rm .env
		covered "$W/.env"
	done
	[ "$(inside 'grep "^State" /proc/$(cat stopped)/status')" = \
		$'State:\tT (stopped)' ]
	[ "$(inside 'grep "^State" /proc/$(cat runs)/status')" = \
		$'State:\tS (sleeping)' ]
	inside 'kill -CONT $(cat stopped)'
	[ "$(inside 'grep "^State" /proc/$(cat stopped)/status')" = \
		$'State:\tS (sleeping)' ]
	[ "$(cat seen)" = ready ]
	stop
	nothing_left
}

@test "gives way: a terminal's job goes on, one that is stopped stays so" {
	TAG=way-$$-$RANDOM
	export TAG
	at_shell <<'SCRIPT'
line srt -d .env -- bash -c 'echo up; while read -r x; do eval "$x"; done; : $TAG'
want up
do for i in 1 2 3 4 5; do rm .env; until [ -S .env ]; do :; done; done
line echo on
want on
type \032
want Stopped
idle
do for i in 1 2 3 4 5; do rm .env; until [ -S .env ]; do :; done; done
line jobs
want Stopped
line fg
busy
line echo again
want again
type \004
idle
line exit
gone
SCRIPT
	nothing_left
}

@test "gives way: a sandbox in a sandbox goes on" {
	echo 'nested-userns allow' >"$base/profile"
	hold -p "$base/profile" -d .env
	inside 'mkfifo in out; srt -d none -- sh -c "echo up >up; cat <in >out" >/dev/null 2>&1 & :'
	wait_for test -s up
	exec {into}>in
	for i in {1..10}; do
		rm .env
		covered "$W/.env"
	done
	echo through >&"$into"
	read -r got <out
	[ "$got" = through ]
	exec {into}>&-
	wait_for test ! -e none		# the inner one has ended
	stop
	nothing_left
}

@test "gives way: a sandbox in a sandbox goes on, stopped by both at the same time" {
	echo 'nested-userns allow' >"$base/profile"
	hold -p "$base/profile" -d .env
	inside 'mkfifo in out; srt -d x -- sh -c "echo up >up; while read -r x; do echo \$x; done <in >out" >/dev/null 2>&1 & :'
	wait_for test -s up
	exec {into}>in {from}<out
	for i in {1..40}; do
		perl -e 'unlink "x"; select undef, undef, undef, $ARGV[0] / 5000; unlink ".env"' "$i"
		covered "$W/.env"
		echo "$i" >&"$into"
		read -r -t 30 got <&"$from"
		[ "$got" = "$i" ]
		wait_for test -e x
	done
	exec {into}>&- {from}<&-
	wait_for test ! -e x		# the inner one has ended
	stop
	nothing_left
}

@test "gives way: who goes on forking does not get away" {
	hold -d .env
	inside 'perl -e "fork; fork; open F, q(>>), q(alive); while (1) { syswrite F, q(x); fork and exit }" >/dev/null 2>&1 & :'
	wait_for test -s alive
	work "$W"
	rm .env
	# Z: one that had ended, and whose parent was stopped
	wait_for eval '[[ $(states) =~ ^TZ?$ ]] || [ -e .env ]'
	[ ! -e .env ]
	cp alive was
	for i in {1..20}; do cmp alive was; done
	rest
	covered "$W/.env"
	wait_for eval '! cmp -s alive was'
	stop
}

@test "gives way: a child with a lower pid than its parent is stopped after it" {
	local i stops
	stops=$(inside_tool stops)
	hold -d .env
	mkfifo go
	next_pid 1000
	inside "sh -c 'read -r x <go; exec $stops >seen' >/dev/null 2>&1 & :"
	next_pid 300
	echo >go
	wait_for grep -q ready seen
	for i in {1..30}; do
		rm .env
		covered "$W/.env"
	done
	[ "$(cat seen)" = ready ]
	stop
	nothing_left
}

@test "gives way: nobody inside can have all continued, or keep them from stopping" {
	local flood
	flood=$(inside_tool flood)
	ulimit -i 1000	# signals that are queued: others want some, too
	hold -d .env
	# what was said so once, and what is said otherwise
	inside "{ $flood 66 99 & $flood 66 99 & } >/dev/null 2>&1"
	work "$W"
	rm .env
	wait_for eval '[[ $(states) =~ ^TZ?$ ]] || [ -e .env ]'
	[ ! -e .env ]
	rest
	covered "$W/.env"
	stop
	nothing_left
}

@test "gives way: not to the run itself, whose place is in the write root" {
	local i patience
	export SRT_PLACE=$W/place
	mkdir -m 700 "$SRT_PLACE"
	hold -d .env
	# three pauses of 10 ms, not of five seconds
	sleep 10 3>&- {hold_in}>&- &
	patience=$!
	for i in 1 2 3; do
		rm .env
		covered "$W/.env"
	done
	kill "$patience"
	stop
	nothing_left
}
