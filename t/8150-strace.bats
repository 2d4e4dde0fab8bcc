#!/usr/bin/env bats
# What a run does outside, call by call: nothing but the places is made before
# a manifest that names it is on disk; looking changes nothing.
# shellcheck disable=SC2016,SC2154 # inner shells; what the helpers set
load lib/helper
load lib/life

setup() {
	setup_w
	emptied
}

# Calls that make, change or remove something.
changes=mkdir,mkdirat,mknod,mknodat,link,linkat,symlink,symlinkat,rename
changes+=,renameat,renameat2,unlink,unlinkat,rmdir,chmod,fchmod,fchmodat
changes+=,chown,fchown,lchown,fchownat,truncate,ftruncate,utimensat,fallocate
changes+=,open,openat,openat2,creat,write,pwrite64,writev,fcntl

# traced PROGRAM ...: runs it, all of its processes with descriptors as paths;
# $trace then has the calls that did something, without those only inside.
trace=
traced() {
	trace=$base/trace
	strace -qq -f -y -s 4096 -e trace="$changes" -e signal=none \
		-e status=successful -o "$base/raw" -- "$@" 3>&-
	sed -E 's|^[0-9]+ +||; s|/newroot/|/|g; s|"newroot/|"/|g' "$base/raw" |
		awk '/^open/ && !/O_CREAT|O_WRONLY|O_RDWR|O_TRUNC/ { next }
		    /^fcntl/ && !/F_OFD_SETLK/ { next }
		    { print }' >"$trace"
}

# line PATTERN: the number of the first line of the trace with it.
line() { grep -nE -m 1 -- "$1" "$trace" | cut -d: -f1; }

# made_in_w: the calls that made something in W, by whatever process; that a
# shell opens /dev/null there is none.
made_in_w() {
	grep -E '^(mkdir|mknod|link|symlink|rename|creat|open[a-z0-9]*\(.*O_CREAT)' \
		"$trace" | grep -F "$W" | grep -vF '"/dev/null"' || :
}

@test "strace: nothing is made before a manifest that names it is published" {
	mkdir .git d
	: >own
	traced srt -w . -d .env -d a/b/key -d .git/config -d .git/hooks -d own \
		-d d -- true
	published=$(line 'renameat\(.*\.tmp".*\.manifest"')
	[ "$published" ]
	first=$(line "^(mkdir|mknod|link|rename|symlink|creat)[a-z0-9]*\(.*$W")
	[ "$first" -gt "$published" ]
	# before it, only places have been made, and what lies in them
	head -n "$published" "$trace" |
		grep -E '^(mkdir|mknod|link|symlink|rename|open[a-z0-9]*\(.*O_CREAT)' |
		grep -vE 'srt-mount-points|/dev/null|/proc/|/memfd:' >"$base/odd" ||
		:
	[ ! -s "$base/odd" ] || { cat "$base/odd"; false; }
	# and after it everything gets the name the manifest follows from first
	id=$(sed -nE 's/.*renameat\(.*"([0-9a-f]{16})\.tmp".*/\1/p' "$trace" |
		head -n 1)
	made_in_w | grep -vE "\"\.srt-$id\.[0-9]+(/[^\"]*)?\"" >"$base/odd" || :
	[ ! -s "$base/odd" ] || { cat "$base/odd"; false; }
	# six: two of which are directories made above a/b/key
	[ "$(grep -cE "^(mkdirat|mknodat)\(.*\"\.srt-$id" "$trace")" -eq 6 ]
}

@test "strace: a manifest is written whole and locked before it has its name" {
	traced srt -w . -d .env -- true
	written=$(line '^write\([0-9]+<.*\.tmp>, "srt-manifest 1')
	lock=$(line '^fcntl\([0-9]+<.*\.tmp>, F_OFD_SETLK')
	named=$(line '^renameat\(.*\.tmp".*\.manifest"')
	init=$(line '^fcntl\([0-9]+<.*\.init>, F_OFD_SETLK')
	mutex=$(line '^fcntl\([0-9]+<.*/lock>, F_OFD_SETLK')
	room=$(line '^fallocate\([0-9]+<.*\.tmp>, FALLOC_FL_KEEP_SIZE')
	[ "$written" -lt "$named" ]
	[ "$lock" -lt "$named" ]
	[ "$init" -lt "$named" ]
	[ "$room" -lt "$named" ]
	[ "$named" -lt "$mutex" ]
	grep -F "make socket 0444 $W/.env" "$trace" | head -n 1 |
		grep -q '\.tmp>'
}

@test "strace: what is made is noted under its first name before it gets the second" {
	mkdir .git
	traced srt -w . -d .env -d .git/config -d a/key -- true
	for number in 0 1 2; do
		made=$(line "^(mknodat|mkdirat)\(.*\"\.srt-[0-9a-f]+\.$number\"")
		noted=$(line "^write\([0-9]+<.*\.manifest>, \"made $number ")
		named=$(line "^renameat2\(.*\"\.srt-[0-9a-f]+\.$number\".*RENAME_NOREPLACE")
		[ "$made" -lt "$noted" ]
		[ "$noted" -lt "$named" ]
	done
	grep -q '^write(.*"placed ' "$trace"
}

@test "strace: removal moves aside, and unlinks only there" {
	mkdir .git
	leave "$W/.env" "$W/.git/config" "$W/a/key"
	srt-claim >/dev/null
	traced srt-collect </dev/null
	grep -E '^unlink' "$trace" | grep -F "$W" |
		grep -vE '"\.srt-[0-9a-f]+\.[0-9]+", 0|AT_REMOVEDIR' >"$base/odd" ||
		:
	[ ! -s "$base/odd" ] || { cat "$base/odd"; false; }
	[ "$(grep -cE '^renameat2\(.*"\.srt-.*RENAME_NOREPLACE' "$trace")" -eq 3 ]
	[ "$(grep -E '^(open|openat)\(' "$trace" | grep -cF "$W")" -eq 0 ]
}

@test "strace: bubblewrap makes nothing outside" {
	mkdir .git d
	: >own
	traced srt -w . -d .env -d a/key -d .git/config -d own -d d \
		-R "$HOME" -- true
	# the monitor and init see W with their own root before them
	made_in_w | grep -vF '".srt-' >"$base/odd" || :
	[ ! -s "$base/odd" ] || { cat "$base/odd"; false; }
}

# looks PROGRAM ...: it changes nothing, and takes no lock.
looks() {
	traced "$@"
	grep -vE '^(write|writev)\((1|2)<|/dev/null|/dev/tty' "$trace" \
		>"$base/odd" || :
	[ ! -s "$base/odd" ] || { cat "$base/odd"; return 1; }
}

@test "strace: looking changes nothing and locks nothing" {
	looks srt-live >/dev/null
	looks srt-plan -e "allow-write $W
deny-write $W/.env
deny-write $W/a/b/key" >/dev/null
	leave "$W/left"
	hold -w . -d .env
	looks srt-live >/dev/null
	looks srt-plan -e "allow-write $W
deny-write $W/.env
deny-write $W/left
deny-write $W/a/b/key" >/dev/null
	looks srt-plan -e "allow-write $W" --why "$W/x" >/dev/null
	looks srt -w . -d .env --dry-run >/dev/null
	looks srt -w . -d .env --why .env >/dev/null
	release
	srt --sweep
	nothing_left
}

@test "strace: all that crosses into the sandbox is named" {
	strace -qq -f -y -e trace=execve,execveat,close_range -o "$base/raw" -- \
		srt -w . -d .env -- ls -l /proc/self/fd >"$base/fds" 3>&-
	# 0, 1, 2, and the one that ls itself has
	[ "$(grep -c -- '->' "$base/fds")" -eq 4 ]
	nothing_left
}

@test "strace: a slow machine is no reason to fail" {
	run -0 --separate-stderr strace -qq -f -o /dev/null \
		-e inject=mount:delay_enter=20000 \
		-e inject=openat,read:delay_exit=2000 -- \
		srt -w . -d .env -d a/key -- sh -c "$(denied "$W/.env"); echo ran"
	[ "$output" = ran ]
	[ -z "$stderr" ]
	nothing_left
}
