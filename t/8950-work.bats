#!/usr/bin/env bats
# srt --work: the work directory in the sandbox, and fixtures under attack.
# shellcheck disable=SC2016,SC2154 # for the sandbox to expand; the helpers'
load lib/helper
load lib/hostile
load lib/life
load lib/work

setup() {
	setup_work
	export TMPDIR=$B
}
teardown() { teardown_work; }

# in_work LINES: runs them in a sandbox with src at in, and at deep/k/in.
in_work() { srt --work -f in=src -f deep/k/in=src -- sh -c "$@"; }

@test "srt --work: the command is in a directory of its own, and can write it" {
	run -4 --separate-stderr in_work '
		[ "$(pwd)" = "$SRT_WORKDIR" ] && echo x >x && mkdir d && cat x
		ls -A; exit 4'
	[ "$output" = $'x\n.tmp\nd\ndeep\nin\nx' ]
	[ -z "$stderr" ]
	no_work_left
	nothing_left
}

@test "srt --work: nothing else is writable, TMPDIR lies in it" {
	run -0 in_work '
		case $TMPDIR in "$SRT_WORKDIR"/*) echo within ;; esac
		mktemp >/dev/null && echo made
		for d in / /tmp /var/tmp "$HOME" "$1" "$SRT_WORKDIR/.."; do
			(: >"$d/probe.$$") 2>/dev/null && echo "landed $d"
		done
		:' sh "$W"
	[ "$output" = $'within\nmade' ]
	unset TMPDIR
	run -0 in_work '(: >/tmp/x) 2>/dev/null || echo no; ls -A /tmp'
	[ "${lines[0]}" = no ]
	[[ ${lines[1]} == srt-work.* ]]
	[ "${#lines[@]}" -eq 2 ]
	no_work_left
}

# attacked KEY ...: the fixtures are whole after everything was tried at those
# keys by the shell and by hostile.c.
attacked() {
	local out
	out=$(in_work '
		for P; do
			P=$SRT_WORKDIR/$P
			'"$(denied x | tail -n +2)"'
			'"$bin/hostile"' "$P"
		done
		diff -r in "'"$W/src"'" && diff -r deep/k/in "'"$W/src"'"' sh "$@" 2>/dev/null)
	[ -z "$out" ] || { echo "inside: $out"; return 1; }
	no_work_left
}

@test "srt --work: fixtures are whole, and the same after every attack" {
	attacked in/a deep/k/in/sub/b
}

@test "srt --work: what does not exist in a fixture cannot be made" {
	attacked in/new deep/k/in/sub/new
}

@test "srt --work: nor can what a fixture lies in be moved or replaced" {
	run -0 in_work '
		try() { "$@" 2>/dev/null && echo "landed $*"; }
		for d in in deep deep/k deep/k/in; do
			'"$bin/hostile"' -d "$SRT_WORKDIR/$d"
			try mv "$d" elsewhere
			try rmdir "$d"
			try ln -sfnT /etc "$d"
		done
		try umount in; try umount -l "$SRT_WORKDIR/in"
		try mount --bind /etc in; try mount -t tmpfs none in
		try mount -o remount,rw,bind "$SRT_WORKDIR/in"
		try unshare -Urm umount in; try unshare -m true
		try chattr -i in/a; try chattr +a in/a; try chmod -R 777 in
		try chown -R 1:1 in
		# beside them it may write
		echo x >deep/k/x && cat deep/k/x in/a'
	[ "$output" = $'x\na' ]
	no_work_left
}

@test "srt --work: a single file is a fixture, at a key of odd bytes" {
	key=$'o d\\/\001\tf\377'
	run -0 srt --work -f "$key=src/a" -- sh -c '
		cat "$1"; (echo x >"$1") 2>/dev/null || echo no; rm -rf "$1"
		cat "$1"' sh "$key"
	[ "${lines[0]}" = a ]
	[ "${lines[1]}" = no ]
	[ "${lines[-1]}" = a ]
	no_work_left
}

@test "srt --work: the records cannot be seen, and other runs' not either" {
	hold_work
	run -0 in_work '
		ls -A "'"$place"'" 2>/dev/null
		(: >"'"$held"'/x") 2>/dev/null || echo no'
	[ "$output" = no ]
	run -0 srt --work -- sh -c 'ls -A "$1" 2>/dev/null; :' sh "$place"
	[ -z "$output" ]
	release_work
	no_work_left
}

@test "srt --work: what it leaves running ends with the sandbox" {
	mkfifo out
	srt --work -- sh -c 'setsid sleep 1000 & echo started' >out 3>&- &
	read -r line <out
	[ "$line" = started ]
	ended 0 $!
	no_work_left
}

@test "srt --work: a time limit, a signal, a kill; nothing is left" {
	run -124 srt --work -f in=src -t 1 -- sleep 1000
	no_work_left
	mkfifo out
	srt --work -f in=src -- sh -c 'trap "exit 9" TERM
		echo ready; while :; do sleep 0.05; done' >out 3>&- &
	exec {ready}<out
	read -r line <&"$ready"
	kill -TERM $!
	ended 9 $!
	no_work_left
	mkfifo again
	srt --work -f in=src -- sh -c 'echo ready; exec sleep 1000' >again 3>&- &
	exec {again}<again
	read -r line <&"$again"
	kill -KILL $!
	ended 137 $! 2>/dev/null
	# the sandbox holds the other end of the pipe as long as it lives
	read -r -t 20 line <&"$again" || [ $? -eq 1 ]
	srt-work --sweep >/dev/null
	srt --sweep >/dev/null
	no_work_left
	nothing_left
}

@test "srt --work: on a terminal it stops and goes on with the command" {
	ctrl_z srt --work -f in=src --
	no_work_left
}

@test "srt --work: other options go on as ever, from where it was called" {
	mkdir hidden
	echo secret >hidden/s
	echo 'setenv FROM profile' >p
	run -0 srt --work -R hidden -d "$B/nothing" -p p -f in=src -c '
		cat "$1/hidden/s" 2>/dev/null; echo "$FROM"; cat in/a' "$W"
	[ "$output" = $'profile\na' ]
	run -0 srt -n -f one=src/a --work -- cat one
	[ "$output" = a ]
	run -0 bash -c 'umask 027; srt --work -- sh -c umask'
	[ "$output" = 0027 ]
	no_work_left
}

@test "srt --work: wrong calls are 125, with one line" {
	for args in '--work -w . true' '--work --dry-run' '--work --why x' \
		'--work --lane true' '-f a=src true' '--work -f' '--work -f ../x=src true' \
		'--work -f a=nowhere true' '--work'; do
		# shellcheck disable=SC2086 # words
		run -125 --separate-stderr srt $args
		[ "${#stderr_lines[@]}" -eq 1 ]
		[ -z "$output" ]
	done
	no_work_left
}

@test "srt --work: a program that is missing, a wrapper in a place with a quote" {
	run -127 --separate-stderr srt --work -- no-such-prog
	[[ $stderr == *no-such-prog* ]]
	mkdir "it's"
	for c in srt srt-init srt-run srt-work; do
		ln -s "$top/cmd/$c" "it's/"
	done
	run -0 "it's/srt" --work -f in=src -- cat in/a
	[ "$output" = a ]
	no_work_left
}
