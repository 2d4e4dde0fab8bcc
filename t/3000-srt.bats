#!/usr/bin/env bats
# srt, the wrapper: options become lines of a profile.
# shellcheck disable=SC1003,SC2016,SC2088,SC2154 # odd names; the helper's
load lib/helper
load lib/life

# same "SRT OPTIONS" LINE ...: those options give the plan of those lines.
same() {
	local options=$1
	shift
	printf '%s\n' "$@" >"$base/lines"
	# shellcheck disable=SC2086 # words
	srt $options --dry-run >"$base/got"
	srt-plan "$base/lines" | diff -u - "$base/got"
}

@test "srt: each option is the line it stands for" {
	mkdir a b
	touch f
	same '' private-tmp 'allow-write .'
	same '-w a' private-tmp 'allow-write a'
	same '-w a -w b' private-tmp 'allow-write a' 'allow-write b'
	same '-d x' private-tmp 'allow-write .' 'deny-write x'
	same '-R f' private-tmp 'allow-write .' 'deny-read f'
	same '-R a -r a/..' private-tmp 'allow-write .' 'deny-read a' \
		'allow-read a/..'
	same '-n' private-tmp 'allow-write .' 'network host'
	same '--host-tmp' 'allow-write .'
	same '--host-tmp -w /tmp' 'allow-write /tmp'
	same '-wa -dx -Rf -n' private-tmp 'allow-write a' 'deny-write x' \
		'deny-read f' 'network host'
	same '-nv -w a' private-tmp 'allow-write a' 'network host'
	same '-vnwa' private-tmp 'allow-write a' 'network host'
	same '-t 5 -v -d x' private-tmp 'allow-write .' 'deny-write x'
}

@test "srt: --lane is the lines of srt-lane, and its refusal is a failure" {
	git init -q main
	git -C main commit -q --allow-empty -m one
	git -C main worktree add -q -b lane "$W/it's a lane"
	ln -s "it's a lane" link
	mapfile -t lines < <(srt-lane "it's a lane")
	same '--lane -C link' private-tmp "${lines[@]}"
	same '-C link --lane' private-tmp "${lines[@]}"
	same '--lane -w /tmp -C link' private-tmp 'allow-write /tmp' \
		"${lines[@]}"
	for options in --lane '--lane --dry-run' '--lane --why x'; do
		# shellcheck disable=SC2086 # words
		run -125 --separate-stderr srt $options -C main -c 'echo ran'
		[ -z "$output" ]
		[[ $stderr == 'srt-lane: '*': a main checkout, not a linked '* ]]
	done
	run -125 srt --lane --sweep
}

@test "srt: profiles and options add up, in any order" {
	mkdir a b
	echo 'allow-write a' >"$base/p"
	echo 'deny-write b' >"$base/q"
	same "-p $base/p" private-tmp 'allow-write a'
	same "-p $base/p -w b" private-tmp 'allow-write a' 'allow-write b'
	same "-w b -p $base/p" private-tmp 'allow-write a' 'allow-write b'
	same "-p $base/q" private-tmp 'allow-write .' 'deny-write b'
	same "-p $base/p -p $base/q" private-tmp 'allow-write a' 'deny-write b'
}

@test "srt: what follows the command is the command's" {
	run -0 srt echo -n -d x -- y
	[ "$output" = '-d x -- y' ]
	run -0 srt -- echo -d x
	[ "$output" = '-d x' ]
	run -0 srt -d x echo --dry-run
	[ "$output" = --dry-run ]
	run -0 srt -c 'echo "$#" "$@"' -- -d x
	[ "$output" = '2 -d x' ]
	run -0 srt -c 'echo "$0"' -- a
	[ "$output" = sh ]
}

@test "srt: --dry-run shows the plan and runs nothing" {
	run -0 srt -d .env --dry-run
	[ "${lines[0]}" = 'srt-plan 1' ]
	[[ $output == *"make socket 0444 $W/.env"* ]]
	run -0 srt -d .env --dry-run -- touch ran
	run -0 srt --dry-run -d .env -c 'touch ran'
	[ -z "$(ls -A)" ]
}

@test "srt: --why says which line decides" {
	run -0 srt -d .env --why .env
	[[ ${lines[0]} == "write denied: deny-write $W/.env ("*')' ]]
	[[ ${lines[1]} == 'read allowed: '* ]]
	run -0 srt --why /etc/passwd
	[[ ${lines[0]} == 'write denied: '* ]]
	run -0 srt -R "$HOME" --why="$HOME/x"
	[[ ${lines[1]} == "read denied: deny-read $HOME ("*')' ]]
	run -0 srt --why "$W/new"
	[[ ${lines[0]} == 'write allowed: '* ]]
	# or whatever else denies it
	run -0 srt --why "/run/user/$(id -u)/bus"
	[ "${lines[1]}" = 'read denied: unix-sockets deny' ]
	is_root || return 0
	run -0 srt -w / --why /sys/power
	[ "${lines[0]}" = 'write denied: root, in /sys' ]
}

@test "srt: -v says what is made and what is removed" {
	run -0 --separate-stderr srt -v -d .env -d a/b -- true
	for path in .env a a/b; do
		[[ $stderr == *"$W/$path: made"* ]]
		[[ $stderr == *"$W/$path: removed"* ]]
	done
	run -0 --separate-stderr srt -d .env -- true
	[ -z "$stderr" ]
}

@test "srt: -C comes first, for the paths and for the command" {
	mkdir sub
	run -0 srt -C sub -d .env -- sh -c '! echo x 2>/dev/null >.env; pwd'
	[ "$output" = "$W/sub" ]
	run -0 srt -C sub --why .
	[[ $output == *"$W/sub"* ]]
	mkdir -- -x '-' '~'
	for dir in -x - '~' ./-x; do
		run -0 srt -C "$dir" -- pwd
		[ "$output" = "$W/${dir#./}" ]
	done
	CDPATH=$base run -125 srt -C w -- pwd
	CDPATH=$W:/ run -0 srt -C sub -- pwd
	[ "$output" = "$W/sub" ]
}

@test "srt: by default only the working directory can be written" {
	mkdir "$base/other"
	run -0 srt -- sh -c 'echo x >here
		for d in / /etc "$HOME" "$1" /var /usr /srv; do
			true 2>/dev/null >"$d/probe" && echo "$d"; done; :' \
		sh "$base/other"
	[ -z "$output" ]
	[ -e here ]
	run -0 srt -w "$base/other" -- \
		sh -c 'true >"$1/x"; true >no || :' sh "$base/other"
	[ -e "$base/other/x" ]
	[ ! -e no ]
}

@test "srt: /tmp and /var/tmp are private, and shown with --host-tmp" {
	echo x >/tmp/seen
	run -0 srt -- sh -c 'ls -A /tmp /var/tmp; echo y >/tmp/mine
		echo z >/var/tmp/mine; cat /tmp/mine'
	[[ $output != *seen* ]]
	[ ! -e /tmp/mine ]
	run -0 srt --host-tmp -- cat /tmp/seen
	[ "$output" = x ]
	run ! srt --host-tmp -- sh -c 'echo y >/tmp/mine'
	run -0 srt -w /tmp -- sh -c 'cat /tmp/seen; echo y >/tmp/landed'
	[ "$(cat /tmp/landed)" = y ]
	rm /tmp/seen /tmp/landed
}

@test "srt: ~ is the home, where it is written so" {
	run -0 srt -w "$HOME" -d '~/.bashrc' -- sh -c 'echo x >~/.bashrc'  \
		2>/dev/null || :
	[ ! -e "$HOME/.bashrc" ]
	mkdir '~'
	run -0 srt -w '~' -- sh -c ': >"$HOME/x"'
	run ! srt -w ./'~' -- sh -c ': >"$HOME/y"'
	run -0 srt -w ./'~' -- sh -c ': >"./~/y"'
	nothing_left
}

@test "srt: --sweep removes what killed runs left, and is silent" {
	hold -d .env -d a/b
	murder
	[ -S .env ]
	run -0 --separate-stderr srt --sweep
	[ -z "$output$stderr" ] || [ -n "$output" ]
	nothing_left
	[ -z "$(ls -A)" ]
}

@test "srt: a thousand denies on the command line" {
	args=()
	for ((n = 0; n < 1000; n++)); do
		: >"f$n"
		args+=(-d "f$n")
	done
	run -0 srt "${args[@]}" -- sh -c 'for n in 0 500 999; do
		echo x >f$n && echo landed; done 2>/dev/null; :'
	[ -z "$output" ]
	nothing_left
}
