#!/usr/bin/env bats
# srt-work: the directory, what is in it, and how the command fares.
# shellcheck disable=SC2016,SC2154 # shell for inside; what the helpers set
load lib/helper
load lib/life
load lib/work

setup() { setup_work; }
teardown() { teardown_work; }

@test "work: a private directory of the command's own, gone afterwards" {
	run -0 --separate-stderr srt-work -b "$B" -- sh -c '
		stat -c "%a %U" "$SRT_WORKDIR"
		[ "$(dirname "$SRT_WORKDIR")" = "$1" ] && echo below
		echo x >"$SRT_WORKDIR/x" && cat "$SRT_WORKDIR/x"
		pwd' sh "$B"
	[ "$output" = "700 $(id -un)
below
x
$W" ]
	[ -z "$stderr" ]
	no_work_left
}

@test "work: the mode does not depend on the umask, which the command keeps" {
	for mask in 0 077 0777; do
		run -0 bash -c "umask $mask; srt-work -b $B -f k/in=src -- sh -c '
			umask; stat -c %a \$SRT_WORKDIR \$SRT_WORKDIR/k/in/a'"
		[ "$((8#${lines[0]}))" -eq "$((8#$mask))" ]
		[ "${lines[1]} ${lines[2]}" = '700 444' ]
	done
	no_work_left
}

@test "work: -b, TMPDIR or /tmp is the base, -p begins the name" {
	run -0 srt-work -- sh -c 'echo "$SRT_WORKDIR"'
	[[ $output == /tmp/srt-work.* ]]
	TMPDIR=$B run -0 srt-work -p job -- sh -c 'echo "$SRT_WORKDIR"'
	[[ $output == "$B"/job.* ]]
	TMPDIR=/nowhere run -0 srt-work -b base -- sh -c 'echo "$SRT_WORKDIR"'
	[[ $output == "$B"/srt-work.* ]]
	no_work_left
	[ -z "$(find /tmp -name '*srt-work*')" ]
}

@test "work: -e names the variable, -C changes to it, -T has TMPDIR in it" {
	run -0 srt-work -b "$B" -C -T -e PLACE -- sh -c '
		[ "$(pwd)" = "$PLACE" ] && [ "$TMPDIR" = "$PLACE/.tmp" ] &&
		[ -z "${SRT_WORKDIR-}" ] && mktemp'
	[[ $output == "$B"/srt-work.*/.tmp/* ]]
	no_work_left
}

@test "work: the status is the command's, and 126, 127 and 128+n" {
	run -0 srt-work -b "$B" -- true
	run -42 srt-work -b "$B" -- sh -c 'exit 42'
	run -137 srt-work -b "$B" -- sh -c 'kill -KILL $$'
	run -127 --separate-stderr srt-work -b "$B" -- no-such-prog
	[[ $stderr == 'srt-work: no-such-prog: '* ]]
	: >plain
	run -126 --separate-stderr srt-work -b "$B" -- ./plain
	[[ $stderr == 'srt-work: ./plain: '* ]]
	no_work_left
}

@test "work: -t ends the command with 124, by TERM" {
	run -124 srt-work -b "$B" -t 1 -- sh -c '
		trap "echo term; exit 3" TERM; while :; do sleep 0.1; done'
	[ "$output" = term ]
	no_work_left
}

@test "work: -t ends one that ignores TERM by KILL" {
	run -124 srt-work -b "$B" -t 1 -- sh -c '
		trap "" TERM; while :; do sleep 0.1; done'
	no_work_left
}

@test "work: -t lets one that is stopped end by TERM as well" {
	run -124 srt-work -b "$B" -t 1 -- sh -c '
		trap "echo term; exit 3" TERM; kill -STOP $$; sleep 1000'
	[ "$output" = term ]
	no_work_left
}

@test "work: -t may be longer than poll(2) can wait" {
	for seconds in 3000000 31536000; do
		strace -o calls -e trace=poll,ppoll srt-work -b "$B" -t $seconds -- \
			sh -c 'until grep -q "^State:.S" /proc/$PPID/status; do :; done'
		grep -q 'POLLIN}\], 1, \({tv_sec=\)\?[1-9]' calls
	done
	no_work_left
}

@test "work: signals are passed on, and the command's answer is the status" {
	for sig in HUP INT TERM USR1 ABRT 34; do
		run -9 srt-work -b "$B" -- bash -c "
			trap 'exit 9' $sig
			kill -$sig \$PPID
			while :; do sleep 0.05; done"
		no_work_left
	done
}

@test "work: in a terminal of its own it is not stopped with a command that stops" {
	"$(tool pty)" srt-work -b "$B" -- sh -c '(until [ -e go ]; do
			sleep 0.01; done; kill -CONT $$) &
		kill -STOP $$; exit 3' <<'SCRIPT'
until pgrep -r T -s "$LEADER" -x sh
do : >go
ends 3
gone
SCRIPT
	no_work_left
}

@test "work: a signal while it is set up ends it, and nothing is left" {
	for sig in HUP INT QUIT TERM; do
		run -$((128 + $(kill -l $sig))) env --block-signal=$sig sh -c "
			kill -$sig \$\$
			exec srt-work -b $B -f in=src -- touch $W/ran"
		[ ! -e ran ]
		no_work_left
	done
}

@test "work: a hangup that is ignored ends nothing" {
	run -5 env --ignore-signal=HUP --block-signal=HUP srt-work -b "$B" \
		-f in=src -- sh -c 'kill -HUP $PPID; exit 5'
	no_work_left
}

@test "work: on a terminal it stops and goes on with the command" {
	ctrl_z srt-work -b "$B" -f in=src --
	no_work_left
}

@test "work: -k keeps the directory and prints its path" {
	run -3 --separate-stderr srt-work -b "$B" -k -f in=src -- \
		sh -c 'echo x >"$SRT_WORKDIR/x"; exit 3'
	[ -z "$stderr" ]
	[ "$(cat "$output/x" "$output/in/a")" = $'x\na' ]
	# and no sweep takes it away
	srt-work --sweep -b "$B"
	[ -d "$output" ]
	[ -z "$(find "$place" -name '*.work')" ]
	run -125 srt-work -b "$B" -k -f in=nowhere -- true
	[ "$(find "$B" -mindepth 1 -maxdepth 1 | wc -l)" -eq 1 ]
}

@test "work: -k to a full standard output is 125, and names it all the same" {
	run -125 --separate-stderr bash -c "srt-work -b $B -k -- true >/dev/full"
	[[ $stderr == "srt-work: $B/srt-work."*': is kept, '*': No space '* ]]
	[ -d "$(sed 's/^srt-work: //; s/: is kept.*//' <<<"$stderr")" ]
}

@test "work: -k without a standard output is refused before anything is done" {
	run -125 --separate-stderr bash -c "srt-work -b $B -k -- touch ran >&-"
	[ "$stderr" = 'srt-work: -k: standard output is closed' ]
	[ ! -e ran ]
	run -0 bash -c "srt-work -b $B -- true >&-"
	no_work_left
}

@test "work: what the command has left running is ended" {
	run -0 srt-work -b "$B" -- sh -c '
		cd "$SRT_WORKDIR"
		setsid sh -c "echo \$\$ >pid; exec sleep 1000" >/dev/null 2>&1 &
		while [ ! -s pid ]; do :; done
		cat pid'
	run ! kill -0 "$output"
	no_work_left
}

@test "work: nothing is ended that was there before it" {
	mkfifo out
	sh -c 'sleep 1000 & echo $!
		exec srt-work -b "$1" -- sh -c "sleep 1000 & echo \$!"' sh "$B" \
		>out 3>&- &
	exec {out}<out
	read -r before <&"$out"
	read -r after <&"$out"
	ended 0 $!
	run ! kill -0 "$after"
	kill "$before"
	no_work_left
}

@test "work: nor do many that start each other outlive it" {
	run -0 srt-work -b "$B" -- sh -c '
		f() { (sleep 0.01; f) & }
		for i in 1 2 3 4 5 6 7 8; do f; done >/dev/null 2>&1'
	no_work_left
}

# keys ---------------------------------------------------------------------

@test "work: keys that lead nowhere below the directory are refused" {
	refused_work "*'/etc' is absolute" -f /etc=src
	refused_work "*'' is empty" -f =src
	for key in . ./ ./. a/.. a/b/../..; do
		refused_work "*'$key' is the work directory itself" -f "$key=src"
	done
	for key in .. ../x a/../.. a/../../x; do
		refused_work "*'$key' leaves the work directory" -f "$key=src"
	done
	refused_work "*too long" -f "$(printf '%0256d' 0)=src"
	refused_work '*KEY=PATH is wanted' -f src
	refused_work '*KEY=PATH is wanted' -f src=
}

@test "work: a key that is used twice, or below a file's, is refused" {
	refused_work "*'a' is used twice" -f a=src -f ./a/=src/a
	refused_work "*'x/y' is used twice" -f x/y=src -f b=src -f x/z/../y=src
	refused_work "*'a/b' lies below a file, 'a'" -f a=src/a -f a/b=src
	refused_work "*'a/b/c' lies below a file, 'a'" -f a/b/c=src -f a=src/a
	refused_work "*'a/a' is taken by what is in 'a'" -f a/a=src -f a=src
	refused_work "*'a/a/x' is taken by *" -f a/a/x=src -f a=src
}

@test "work: keys may be deep, below a directory's, and of any bytes" {
	key=$'o d/\001\n\377'
	run -0 srt-work -b "$B" -C -f x/../y/./z//in=src -f y/z/in/new/f=src/a \
		-f "$key=src/a" -- sh -c 'cat y/z/in/a y/z/in/new/f "$1"' sh "$key"
	[ "$output" = $'a\na\na' ]
	no_work_left
}

# host paths -----------------------------------------------------------------

@test "work: a symbolic link is refused: the path, on the way, in the tree" {
	ln -s src link
	refused_work "*: $W/link: is a symbolic link" -f in=link
	refused_work "*: $W/link: is a symbolic link" -f in=link/
	refused_work "*: $W/link/a: leads through a symbolic link, $W/link" \
		-f in=link/a
	ln -s /etc/passwd src/sub/deeper/evil
	refused_work "*: $W/src/sub/deeper/evil: is a symbolic link; *" -f in=src
	ln -sfn nowhere src/sub/deeper/evil
	refused_work "*: $W/src/sub/deeper/evil: is a symbolic link; *" -f in=src
}

@test "work: anything but files and directories is refused and named" {
	mkfifo fifo src/sub/fifo
	refused_work "*: $W/fifo: is a fifo, socket or device; *" -f in=fifo
	refused_work "*: $W/src/sub/fifo: is a fifo, *" -f in=src
	rm src/sub/fifo
	refused_work '*: /dev/null: is a fifo, socket or device; *' -f in=/dev/null
	perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0) or die;
		bind(S, sockaddr_un("src/s")) or die'
	refused_work "*: $W/src/s: is a fifo, socket or device; *" -f in=src
}

@test "work: what is absent or closed is refused and named" {
	refused_work "*: $W/nowhere: cannot be opened: No such file *" -f in=nowhere
	refused_work "*: $W/src/a/x: cannot be opened: Not a directory" \
		-f in=src/a/x
	is_root && return
	chmod 0 src/sub/b
	refused_work "*: $W/src/sub/b: cannot be copied: Permission denied" \
		-f in=src
	chmod 0 src/sub
	refused_work "*: $W/src/sub: cannot be copied: Permission denied" -f in=src
}

@test "work: what the work directory would lie in is refused" {
	refused_work "*: $W: cannot be a fixture: *" -f in=.
	refused_work '*: /: cannot be a fixture' -f in=/
	refused_work "*: $B: cannot be a fixture: *" -f in=base
}

@test "work: a file of the kernel's making, without a size, is refused" {
	refused_work '*: /proc/version: has changed while it was copied' \
		-f v=/proc/version
}

@test "work: a tree 2000 directories deep is copied, a deeper one refused" {
	in_memory
	mkdir -p "deep/$(printf 'd/%.0s' {1..1999})"
	[ "$(ulimit -Hn)" -ge 4096 ] || skip 'few files may be open'
	run -0 bash -c 'ulimit -Sn 200; srt-work -b "$1" -f in=deep -- sh -c "
		find \$SRT_WORKDIR | wc -l; ulimit -n"' sh "$B"
	[ "$output" = $'2001\n200' ]
	(cd "deep/$(printf 'd/%.0s' {1..1000})" &&
		mkdir -p "$(printf 'd/%.0s' {1..1000})")
	refused_work '*: is too deep to be copied' -f in=deep
}

@test "work: a tree too deep for the files that may be open is refused" {
	in_memory
	mkdir -p "deep/$(printf 'd/%.0s' {1..100})"
	run -125 --separate-stderr bash -c 'ulimit -n 160
		srt-work -b "$1" -f in=deep -- true' sh "$B"
	[[ $stderr == *': cannot be copied: '* ]]
	no_work_left
}

@test "work: what is moved out of its tree while it is opened has changed" {
	for k in {1..40}; do
		status=0
		strace -qq -o calls -e trace=openat2 \
			-e inject=openat2:error=EXDEV:when="$k" \
			srt-work -b "$B" -f in=src -- true 2>said || status=$?
		call=$(grep INJECTED calls) || break
		[[ $call == *', "a", '* ]] && break
	done
	[ "$status" -eq 125 ]
	[ "$(cat said)" = "srt-work: $W/src/a: has changed while it was copied" ]
	no_work_left
}

# copies -----------------------------------------------------------------------

@test "work: copies have the content, and read-only modes" {
	run -0 srt-work -b "$B" -C -f in=src -f one=src/sub/b -- sh -c '
		diff -r in "$1" && cat one && find in one -printf "%m %y\n" | sort -u
		stat -c %a .' sh "$W/src"
	[ "$output" = 'b
444 f
555 d
700' ]
	no_work_left
}

@test "work: hard links become separate files, and no file is the host's" {
	ln src/a src/again
	run -0 srt-work -b "$B" -C -f in=src -- sh -c '
		stat -c %h in/a in/again
		[ ! in/a -ef in/again ] && [ ! in/a -ef "$1/a" ] && echo separate
		stat -f -c %T . >/dev/null' sh "$W/src"
	[ "$output" = $'1\n1\nseparate' ]
}

@test "work: holes stay holes" {
	truncate -s 64M sparse
	printf data | dd of=sparse bs=1 seek=33554432 conv=notrunc status=none
	run -0 srt-work -b "$B" -C -f s=sparse -f dir/s=sparse -- sh -c '
		cmp s "$1" && cmp dir/s "$1" && stat -c "%s %b" s dir/s' sh "$W/sparse"
	while read -r size blocks; do
		[ "$size" -eq $((64 << 20)) ]
		[ "$blocks" -lt 1000 ]
	done <<<"$output"
}

@test "work: large files are copied whole, in one file system and across" {
	head -c 9000000 /dev/urandom >large
	run -0 srt-work -b "$B" -f l=large -- sh -c 'cmp "$SRT_WORKDIR/l" large'
	run -0 srt-work -f l=large -- sh -c 'cmp "$SRT_WORKDIR/l" large'
	no_work_left
}

@test "work: cloned where the file system can do it, else by copy_file_range" {
	strace -o calls -e trace=ioctl,copy_file_range \
		srt-work -b "$B" -f in=src -- true
	grep -q 'FICLONE' calls
	# once refused it is not asked again, and all four files are copied
	grep -q 'FICLONE.* = 0' calls || {
		[ "$(grep -c FICLONE calls)" -eq 1 ]
		[ "$(grep -c '^copy_file_range.* = [1-9]' calls)" -eq 4 ]
	}
	no_work_left
}

@test "work: the same user can get at copies by chmod, as the page says" {
	is_root && skip 'root needs no chmod; see the next'
	run -0 srt-work -b "$B" -C -f in=src -- sh -c '
		(echo x >in/a) 2>/dev/null && exit 1
		chmod u+w in/a && echo x >in/a && cat in/a'
	[ "$output" = x ]
	no_work_left
}

@test "work: root's copies are immutable where the file system can do it" {
	as_root
	run -0 srt-work -b "$B" -C -f in=src -- lsattr -R -d in in/a in/sub in/sub/b
	if flag_works; then
		[ "$(grep -c '^....i' <<<"$output")" -eq 4 ]
	else
		[[ $output != *i* ]]
	fi
	no_work_left
}

@test "work: root can then neither write, chmod, rename, unlink nor link them" {
	as_root
	flag_works || skip 'no immutable flag here'
	run -0 --separate-stderr srt-work -b "$B" -C -f in=src -- sh -c '
		try() { "$@" 2>/dev/null && echo "landed $*"; }
		w() { echo x >"$1"; }
		for f in in/a in/sub/b; do
			try w "$f"; try chmod 777 "$f"; try chown 1 "$f"
			try rm -f "$f"; try mv "$f" x; try ln "$f" x
			try truncate -s 0 "$f"; try touch "$f"
		done
		try mv in elsewhere; try rmdir in; try w in/new; try mkdir in/d
		try chmod 777 in/sub
		cat in/a in/sub/b'
	[ "$output" = $'a\nb' ]
	no_work_left
}

@test "work: nothing runs with copies that should be immutable and are not" {
	as_root
	flag_works || skip 'no immutable flag here'
	refused=0
	for k in {1..20}; do
		status=0
		strace -qq -o calls -e trace=ioctl \
			-e inject=ioctl:error=ENOSPC:when="$k" \
			srt-work -b "$B" -C -f in=src -- \
			lsattr -R -d in in/a in/sub in/sub/b >out 2>said || status=$?
		if [ "$status" -eq 0 ]; then
			[ "$(grep -c '^....i' out)" -eq 4 ]
		else
			[ "$status" -eq 125 ]
			grep -q ': cannot be copied: No space left' said
			refused=$((refused + 1))
		fi
		srt-work --sweep -b "$B" >swept
		no_work_left
	done
	[ "$refused" -ge 8 ]
}

@test "work: many are written to disk together where that comes first" {
	as_root
	mkdir many
	for i in {1..80}; do echo "$i" >"many/$i"; done
	fs=$(stat -f -c %T .)
	flag_works || fs=none
	strace -o calls -e trace=syncfs srt-work -b "$B" -f in=many -- true
	if [ "$fs" = ext2/ext3 ] || [ "$fs" = overlayfs ]; then
		[ "$(grep -c ^syncfs calls)" -eq 1 ]
	else
		run ! grep ^syncfs calls
	fi
	# nor where there is no flag to be had
	strace -o calls -e trace=syncfs setpriv --bounding-set=-linux_immutable \
		srt-work -b "$B" -f in=many -- true
	run ! grep ^syncfs calls
	no_work_left
}

@test "work: where nothing is written first, no copy is opened again" {
	in_memory
	mkdir many
	for i in {1..80}; do echo "$i" >"many/$i"; done
	strace -o calls -e trace=openat,openat2 srt-work -b "$B" -f in=many -- \
		sh -c 'kill -KILL $PPID' || :
	for name in 1 80; do
		[ "$(grep -c ", \"$name\", " calls)" -eq 2 ]
	done
	srt-work --sweep -b "$B"
	no_work_left
}

@test "work: the progress of a long copy is shown on a terminal, and only there" {
	mkdir many
	for i in {1..40}; do echo "$i" >"many/$i"; done
	slow="strace -qq -o /dev/null -e trace=copy_file_range \
		-e inject=copy_file_range:delay_exit=50000 \
		srt-work -b $B -f in=many -- true"
	run -0 script -qec "$slow" /dev/null
	[[ $output == *'copying, '*' files, 0 MiB'* ]]
	run -0 --separate-stderr bash -c "$slow"
	[ -z "$stderr" ]
	no_work_left
}

# bases ------------------------------------------------------------------------

@test "work: a base that is a link, a file or absent is refused" {
	ln -s base blink
	for b in blink blink/ "$W/blink"; do
		run -125 --separate-stderr srt-work -b "$b" -- true
		[[ $stderr == "srt-work: $b: is no base "*' it is a symbolic link' ]]
	done
	: >file
	run -125 --separate-stderr srt-work -b file -- true
	[[ $stderr == 'srt-work: file: is no base '*': Not a directory' ]]
	TMPDIR=$W/nowhere run -125 --separate-stderr srt-work -- true
	[[ $stderr == "srt-work: $W/nowhere: "*': No such file or directory' ]]
	run -1 --separate-stderr srt-work --sweep -b blink
	no_work_left
}

@test "work: a base in which others may rename things is refused" {
	for mode in 0777 0775 0722; do
		chmod "$mode" "$B"
		run -125 --separate-stderr srt-work -b "$B" -- true
		[[ $stderr == *'others may write in it, and it has no sticky bit' ]]
	done
	chmod 1777 "$B"
	run -0 srt-work -b "$B" -- true
	no_work_left
}

@test "work: a base of another owner's making is refused" {
	as_root
	chown nobody "$B"
	run -125 --separate-stderr srt-work -b "$B" -- true
	[[ $stderr == *': it belongs to another user' ]]
	no_work_left
}

@test "work: a base that cannot be written is refused" {
	is_root && skip 'root can write it'
	chmod 555 "$B"
	run -125 --separate-stderr srt-work -b "$B" -- true
	[[ $stderr == "srt-work: $B: no work directory can be made: Perm"* ]]
	no_work_left
}

@test "work: a disk that is full half way leaves nothing, and is said" {
	head -c 4000000 /dev/urandom >src/large
	mkdir small
	run -125 --separate-stderr unshare -Urm sh -c '
		mount -t tmpfs -o size=1m,mode=700 small small || exit
		srt-work -b small -f in=src -- touch ran
		status=$?
		ls -A small
		exit $status'
	[ -z "$output" ]
	[ "$stderr" = "srt-work: $W/src/large: cannot be copied: No space left on device" ]
	[ ! -e ran ]
	no_work_left
}

@test "work: whatever fails while it is set up is said" {
	for call in openat openat2 mkdirat dup fchmod getdents64 write; do
		for k in {1..60}; do
			status=0
			strace -qq -o calls -e trace=$call \
				-e inject="$call:error=EDQUOT:when=$k" srt-work -b "$B" \
				-f in=src -f k/in=src/a -- true >out 2>&1 || status=$?
			grep -q INJECTED calls || break
			[ "$status" -eq 0 ] || [ "$status" -eq 125 ]
			[ "$status" -eq 0 ] || [ -s out ] || {
				echo "$call, $k: silent"
				return 1
			}
			srt-work --sweep -b "$B" >swept
			no_work_left
		done
	done
}

@test "work: bad options are 125, with the usage or one line" {
	for args in '-t 0' '-t x' '-p a/b' '-p=' "-e a=b" -Z --strict '--sweep true' \
		'--sweep -k' '--sweep -f a=src'; do
		# shellcheck disable=SC2086 # words
		run -125 --separate-stderr srt-work -b "$B" $args
		[ -z "$output" ]
		[ -n "$stderr" ]
	done
	run -125 srt-work
	run -125 srt-work -p '' -- true
	no_work_left
}
