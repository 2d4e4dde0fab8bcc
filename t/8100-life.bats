#!/usr/bin/env bats
# The life of placeholders: who holds them, what becomes of them when runs end
# or are killed (cases 34 to 38).
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # inner shells; what the helpers set
load lib/helper
load lib/life

setup() {
	setup_w
	emptied
}

# holds PATH: the held run, inside, can neither remove nor write it.
holds() {
	[ "$(tell "rm -rf $1 2>/dev/null; echo x 2>/dev/null >$1 && echo landed; mkdir $1 2>/dev/null && echo landed; echo no")" = no ]
	[ "$(tell "mv $1 $1.moved 2>/dev/null && echo landed || echo no")" = no ]
}

@test "life: a path two runs deny stays until the second has ended, whoever cleans up" {
	mkdir .git
	for path in .env .git/config a/b/key; do
		hold -w . -d "$path"
		before=$(inode "$path")
		put_by one
		hold -w . -d "$path"
		put_by two
		end one
		srt --sweep
		run -0 srt -w . -d "$path" -- true
		[ "$(inode "$path")" = "$before" ]
		take_up two
		holds "$path"
		put_by two
		end two
		[ ! -e "$path" ]
		nothing_left
	done
	[ ! -e a ]
}

@test "life: of many runs that deny a path the last to end removes it" {
	for n in 1 2 3 4 5; do
		hold -w . -d .env -d "own$n"
		put_by "run$n"
	done
	for n in 3 1 5 2; do
		end "run$n"
		[ -S .env ]
	done
	take_up run4
	holds .env
	put_by run4
	end run4
	[ -z "$(ls -A)" ]
	nothing_left
}

@test "life: where all of a run is killed its placeholders stay, and any clean-up removes them" {
	hold -w . -d .env -d a/b/key
	murder
	[ -S .env ] && [ -S a/b/key ]
	[ -n "$(manifests)" ]
	[ -z "$(srt-live)" ]
	case $((RANDOM % 3)) in
	0) srt --sweep ;;
	1) srt -C "$HOME" -d x -- true ;;
	2) srt-claim | srt-collect ;;
	esac
	[ -z "$(ls -A)" ]
	nothing_left
}

@test "life: a killed run's placeholder is taken over by the next that denies it" {
	hold -w . -d .env -d a/key
	murder
	before=$(inode .env)
	hold -w . -d .env
	[ "$(inode .env)" = "$before" ]
	holds .env
	srt --sweep
	[ -S .env ]
	[ ! -e a ]
	release
	nothing_left
}

@test "life: the supervisor killed, the command is gone at once, the rest at the next clean-up" {
	hold -w . -d .env
	[ "$(tell 'sleep 1000 >/dev/null 2>&1 & echo started')" = started ]
	mapfile -t all < <(tree_of "$pid")
	kill -KILL "$pid"
	ended 137 "$pid"
	wait_for gone "${all[@]}"
	[ -S .env ]
	srt --sweep
	nothing_left
}

@test "life: bubblewrap killed, the command is gone, the run says so and cleans up" {
	srt -w . -d .env -- sh -c 'sleep 1000 & echo >ran; sleep 1000' \
		2>"$base/err" 3>&- &
	pid=$!
	wait_for test -e ran
	mapfile -t all < <(tree_of "$pid")
	for monitor in "${all[@]}"; do
		[ "$(tr '\0' ' ' <"/proc/$monitor/cmdline" | cut -d' ' -f1)" \
			= bwrap ] && break
	done
	# the watcher, which has srt-run's name, is done before it has ended
	mapfile -t inside < <(tree_of "$monitor")
	kill -KILL "$monitor"
	ended 125 "$pid"
	[ "${#inside[@]}" -ge 4 ]	# it, init, the command, a child
	gone "${inside[@]}"
	wait_for gone "${all[@]}"
	[[ $(cat "$base/err") == "srt-run: "*": was killed by signal 9" ]]
	[ "$(wc -l <"$base/err")" -eq 1 ]
	nothing_left
}

@test "life: what the command leaves running ends with it" {
	run -0 srt -w . -d .env -- sh -c '
		for i in 1 2 3; do
			setsid sh -c "while :; do echo x >>ticks; done" &
		done
		until [ -s ticks ]; do :; done'
	before=$(stat -c %s ticks)
	sleep 0.1
	[ "$(stat -c %s ticks)" = "$before" ]
	nothing_left
}

@test "life: what the command leaves running cannot write a denied path" {
	n=${SRT_LOOPS:-30}
	mkdir .git
	for ((round = 0; round < n; round++)); do
		srt -w . -d .env -d a/key -d .git/config -- sh -c '
			for p in .env a/key .git/config .env; do
				while :; do rm -rf $p; echo x >$p; done &
			done 2>/dev/null
			i=0
			while [ $((i = i + 1)) -lt $1 ]; do :; done' \
			sh $((RANDOM / 2)) 2>/dev/null
		[ ! -e .env ] && [ ! -e a ] && [ ! -e .git/config ] ||
			{ echo "landed in run $round"; ls -la . a .git; false; }
		nothing_left
	done
}

@test "life: what is mounted outside during a run does not appear inside" {
	as_root
	mkdir point
	mount --make-rshared /
	hold -w . -d .env
	mount -t tmpfs tmpfs point
	: >point/outside
	[ "$(tell 'echo point/*')" = 'point/*' ]
	[ "$(tell 'grep -c /point /proc/self/mountinfo')" = 0 ]
	umount point
	release
	nothing_left
}

@test "life: a clean-up in a tight loop disturbs no start and no deny" {
	n=${SRT_RUNS:-60}
	mkdir "$base/go"
	(
		while [ -d "$base/go" ]; do
			srt-claim | srt-collect || :
		done
	) >/dev/null 2>"$base/loop.err" 3>&- &
	loop=$!
	mkdir .git
	for ((round = 0; round < n; round++)); do
		run -0 --separate-stderr srt -w . -d .env -d a/b/key \
			-d .git/config -- sh -c '
			for p in .env a/b/key .git/config; do
				rm -rf $p 2>/dev/null
				echo x 2>/dev/null >$p && echo landed $p
			done
			mv a c 2>/dev/null && echo moved
			echo ran'
		[ "$output" = ran ]
		[ -z "$stderr" ]
	done
	rmdir "$base/go"
	ended 0 "$loop"
	[ ! -s "$base/loop.err" ]
	[ "$(ls -A)" = .git ]
	nothing_left
}

@test "life: a place that is removed while a run lasts makes nobody remove what it needs" {
	hold -w . -d .env
	rm -r "$place" "/tmp/${place##*/}" "/run/user/$(id -u)/srt-mount-points"
	srt --sweep
	run -0 deny_holds "$W/.env" -w . -d .env
	srt --sweep
	[ -S .env ]
	holds .env
	release || :
	# it is nobody's now, and the user's to remove
	srt --sweep
	[ -S .env ]
	rm -f .env
	nothing_left
}

@test "life: cleaners of temporary files are told that a place is in use" {
	hold -w . -d .env
	run -1 flock -n -x "$place" true
	# the watcher, which nobody waits for, is slow to end
	strace -o /dev/null -e inject=exit_group:delay_enter=1000000 \
		-p "$(pgrep -P "$pid" -x srt-run)" 2>"$base/attached" \
		3>&- {hold_in}>&- &
	wait_for grep attached "$base/attached"
	release
	flock -n -x "$place" true
}

# slow_start NAME: a run that denies it, held up before it becomes bubblewrap.
slow_start() {
	strace -qq -f -o /dev/null -e trace=execveat \
		-e inject=execveat:delay_enter=700000:when=1 -- \
		srt -w . -d "$1" -- sh -c "echo >>ran; $(denied "$W/$1")" \
		>"$base/out" 3>&- &
	slow=$!
}

@test "life: a path that goes in the middle of a start is denied by another start" {
	echo x >file
	slow_start file
	wait_for manifest
	sleep 0.2
	rm file
	ended 0 "$slow"
	[ ! -s "$base/out" ]
	[ "$(wc -l <ran)" -eq 1 ]
	[ ! -e file ]
	nothing_left
}

@test "life: a placeholder that goes in the middle of a start is denied by another start" {
	slow_start .env
	wait_for test -S .env
	sleep 0.2
	rm -f .env
	ended 0 "$slow"
	[ ! -s "$base/out" ]
	[ "$(wc -l <ran)" -eq 1 ]
	nothing_left
	[ ! -e .env ]
}

@test "life: a user's file that takes a placeholder's name in the middle of a start is denied, and stays" {
	slow_start .env
	wait_for test -S .env
	sleep 0.2
	echo precious >new
	mv new .env
	before=$(inode .env)
	ended 0 "$slow"
	[ ! -s "$base/out" ]
	[ "$(cat .env)" = precious ]
	[ "$(inode .env)" = "$before" ]
	nothing_left
}

@test "life: a path that changes at every start is given up on, and nothing has run" {
	mkdir "$base/stop"
	(
		while [ -d "$base/stop" ]; do
			rm -f .env
			mkdir .env 2>/dev/null
			rmdir .env 2>/dev/null
			echo x >.env 2>/dev/null
		done
	) 2>/dev/null 3>&- &
	loop=$!
	status=0
	srt -w . -d .env -- sh -c 'echo >>ran' 2>"$base/err" || status=$?
	rmdir "$base/stop"
	wait "$loop" || :
	case $status in
	0) [ "$(wc -l <ran)" -eq 1 ] ;;
	125)	# given up, or ended by the watcher in the moment it ran
		[ ! -e ran ] || [ "$(wc -l <ran)" -eq 1 ]
		[ -s "$base/err" ]
		;;
	*) echo "status $status"; cat "$base/err"; false ;;
	esac
	rm -rf .env
	srt --sweep
	nothing_left
}

@test "life: what one denies, absent, another one denies reading" {
	hold -d k -d s/none -d .gitignore
	for options in '-d k -R k' '-w . -R k' '-w s -R s/none -d s/none' \
		'-w . -R s' '-d .gitignore -R .gitignore'; do
		# shellcheck disable=SC2086 # words
		run -0 srt $options -- sh -c '{ cat k || echo x >k; } 2>/dev/null; :'
		[ "$output" = '' ]
		not_removed k
	done
	release
	nothing_left
	[ "$(ls -A)" = '' ]
}
