#!/usr/bin/env bats
# srt-work: whatever the command leaves is removed, and nothing else.
# shellcheck disable=SC2016,SC2154 # shell for inside; what the helpers set
load lib/helper
load lib/life
load lib/work

setup() {
	setup_work
	mkdir host
	echo precious >host/file
	mkdir host/dir
	echo precious >host/dir/file
}
teardown() { teardown_work; }

# host_is_whole: nothing in the directory host was touched.
host_is_whole() {
	[ "$(cd host && find . -printf '%p %m\n' | sort | xargs)" = \
		'. 755 ./dir 755 ./dir/file 644 ./file 644' ] &&
		[ "$(cat host/file host/dir/file)" = $'precious\nprecious' ]
}

@test "work wipe: links are removed, not what they lead to" {
	run -0 --separate-stderr srt-work -b "$B" -C -- sh -c '
		ln -s "$1" link; ln -s "$1/file" file; ln -s nowhere broken
		mkdir d; ln -s ../../../host d/up; ln "$1/file" hard' sh "$W/host"
	[ -z "$stderr" ]
	host_is_whole
	no_work_left
}

@test "work wipe: closed directories and files are no obstacle" {
	run -0 --separate-stderr srt-work -b "$B" -C -- sh -c '
		mkdir -p a/b/c d/e; echo x >a/b/c/f; echo x >d/e/f
		chmod 0 a/b/c/f a/b/c a/b a d/e/f; chmod 500 d/e; chmod 200 d
		chmod 0 .'
	[ -z "$stderr" ]
	no_work_left
}

@test "work wipe: names of any bytes, fifos and sockets go" {
	in_memory
	run -0 --separate-stderr srt-work -b "$B" -C -- bash -c '
		for ((i = 1; i < 256; i++)); do
			printf -v o "\\%03o" "$i"
			printf -v name "x$o"
			[ "$i" -eq 47 ] || { mkdir "$name" && : >"$name/$name"; }
		done
		: >"$(printf "%0255d" 0)"
		mkfifo -- -fifo; mkdir -- "..." "-rf"; : >.hidden
		perl -MSocket -e '\''socket(S, PF_UNIX, SOCK_STREAM, 0) or die;
			bind(S, sockaddr_un("s")) or die'\'''
	[ -z "$stderr" ]
	no_work_left
}

# deep N: a line of shell that makes N directories in each other, a file in
# each, the path of which nobody could write.
deep() {
	printf '%s' "perl -e 'for (1 .. $1) { mkdir q(d) or die;
		open F, q(>), q(f) or die; close F; chdir q(d) or die }'"
}

@test "work wipe: a tree of 10,000 levels goes" {
	in_memory
	run -0 --separate-stderr srt-work -b "$B" -C -- sh -c "$(deep 10000)"
	[ -z "$stderr" ]
	no_work_left
}

@test "work wipe: nor does such a tree hold because its directories are closed" {
	run -0 --separate-stderr srt-work -b "$B" -C -- perl -e '
		for (1 .. 200) { mkdir q(d) or die; chdir q(d) or die;
			mkdir q(.srt-wipe.0) if $_ < 3 }
		for (1 .. 199) { chmod 0, q(d); chdir q(..) or die }'
	[ -z "$stderr" ]
	no_work_left
}

@test "work wipe: of any depth, with 160 descriptors" {
	in_memory
	run -0 --separate-stderr bash -c "ulimit -n 160; srt-work -b $B -C -- \
		sh -c \"$(deep 1000)\""
	[ -z "$stderr" ]
	no_work_left
}

@test "work wipe: root's immutable and append-only files and directories go" {
	as_root
	flag_works || skip 'no immutable flag here'
	run -0 --separate-stderr srt-work -b "$B" -C -f in=src -- sh -c '
		mkdir -p i/j a; echo x >i/j/f; echo x >a/f; echo x >plain
		chattr +i i/j/f i/j i; chattr +a a/f a; chmod 0 plain
		chattr +i .'
	[ -z "$stderr" ]
	no_work_left
}

@test "work wipe: an immutable file with a second link is the host's" {
	as_root
	flag_works || skip 'no immutable flag here'
	run -0 --separate-stderr srt-work -b "$B" -C -- \
		sh -c 'ln "$1/file" hard && chattr +i hard' sh "$W/host"
	[[ $stderr == *'/hard: cannot be removed: Operation not permitted' ]]
	lsattr host/file | grep -q '^....i'
	chattr -i host/file
	srt-work --sweep -b "$B"
	host_is_whole
	no_work_left
}

@test "work wipe: many immutable files go, but not what is the host's" {
	as_root
	flag_works || skip 'no immutable flag here'
	for i in {1..9}; do
		mkdir -p "many/$i/d"
		for j in {1..19}; do echo "$j" | tee "many/$i/$j" >"many/$i/d/$j"; done
	done
	ln host/file host/again
	run -0 --separate-stderr unshare -m srt-work -b "$B" -C -f in=many -- \
		sh -c 'chattr +i "$1/dir/file" || exit
			mount --bind "$1/dir/file" in/7/d/7
			mount --bind "$1/dir" in/8/d
			mkdir d; ln "$1/again" d/hard; chattr +i d/hard
			chattr -R -i in/1; rm -r in/2 2>/dev/null; :' sh "$W/host"
	lsattr host/file host/dir/file >flags
	chattr -i host/file host/dir/file
	[ "$(grep -c '^....i' flags)" -eq 2 ]
	[ "${#stderr_lines[@]}" -eq 3 ]
	[[ $stderr == *'/d/hard: cannot be removed: Operation not permitted'* ]]
	[[ $stderr == *'/in/7/d/7: a mount point, left as it is'* ]]
	[[ $stderr == *'/in/8/d: a mount point, left as it is'* ]]
	# what the mounts, and what it lies in, held; nothing else
	[ "$(cd "$B"/* && find . | wc -l)" -eq $((2 + 4 + 1 + 1 + 20)) ] ||
		(cd "$B"/* && find . && false)
	rm host/again
	srt-work --sweep -b "$B"
	host_is_whole
	no_work_left
}

@test "work wipe: many immutable files go where no process can be had" {
	as_root
	dead 'for i in $(seq 150); do echo x >$i; done; chattr +i * || :'
	strace -qq -o calls -e inject=fork,clone:error=EAGAIN \
		srt-work --sweep -b "$B"
	! flag_works || grep -q 'EAGAIN.*INJECTED' calls
	no_work_left
}

@test "work wipe: a mount is reported and not emptied; the rest goes" {
	run -7 --separate-stderr unshare -Urm sh -c 'srt-work -b "$1" -C -- sh -c '\''
		mkdir -p m/n sub; : >f; echo x >sub/x
		mount --bind "$1" m/n && mount --bind "$1/file" f
		exit 7'\'' sh "$2"
		status=$?
		find "$1" -mindepth 1 -not -path "*/n/*" -printf "%P\n" | sort
		exit $status' sh "$B" "$W/host"
	[ "${#lines[@]}" -eq 4 ]
	[[ ${lines[1]} == srt-work.*/f && ${lines[3]} == srt-work.*/m/n ]]
	[ "${#stderr_lines[@]}" -eq 2 ]
	for line in "${stderr_lines[@]}"; do
		[[ $line == srt-work:\ "$B"/srt-work.*': a mount point, left as it is' ]]
	done
	host_is_whole
	# the mounts went with their namespace
	if is_root; then srt-work --sweep -b "$B"
	else unshare -Ur srt-work --sweep -b "$B"; fi
	no_work_left
}

@test "work wipe: --strict makes of what stays 125, also of success" {
	for status in 0 7; do
		run -125 unshare -Urm srt-work -b "$B" -C --strict -- sh -c '
			mkdir m; mount --bind "$1" m; exit "$2"' sh "$W/host" $status
	done
	run -7 srt-work -b "$B" --strict -- sh -c 'exit 7'
	host_is_whole
	unshare -Ur srt-work --sweep -b "$B"
	no_work_left
}

@test "work wipe: a mount over the work directory itself is left" {
	run -0 --separate-stderr unshare -Urm sh -c 'srt-work -b "$1" -- sh -c '\''
		mount --bind "$1" "$SRT_WORKDIR"'\'' sh "$2"; exit' sh "$B" "$W/host"
	[[ $stderr == *"$B/srt-work."* ]]
	host_is_whole
	unshare -Ur srt-work --sweep -b "$B"
	host_is_whole
	no_work_left
}

@test "work wipe: flags and modes of what it lies in are not reset" {
	if is_root; then
		flag_works || skip 'no immutable flag here'
		close=(chattr +i) open=(chattr -i)
	else
		close=(chmod 500) open=(chmod 700)
	fi
	run -0 --separate-stderr srt-work -b "$B" -C -f in=src -- \
		sh -c 'echo x >x; exec "$@"' sh "${close[@]}" "$B"
	[[ $stderr == "srt-work: $B/srt-work."*': cannot be removed: '* ]]
	run ! touch "$B/new"
	"${open[@]}" "$B"
	[ -z "$(find "$B" -mindepth 2)" ]
	srt-work --sweep -b "$B"
	no_work_left
	# nor of where it has been moved to
	mkdir away
	run -0 --separate-stderr srt-work -b "$B" -C -f in=src -- \
		sh -c 'cd "$1" && shift && mv "$SRT_WORKDIR" away && exec "$@"' \
		sh "$W" "${close[@]}" away
	[[ $stderr == "srt-work: $W/away/srt-work."*': cannot be removed: '* ]]
	run ! touch away/new
	"${open[@]}" away
	[ -z "$(find away -mindepth 2)" ]
	srt-work --sweep -b "$B"
	no_work_left
}

@test "work wipe: the directory itself replaced by a link, or moved away" {
	run -0 --separate-stderr srt-work -b "$B" -f in=src -- sh -c '
		mv "$SRT_WORKDIR" elsewhere && ln -s "$1" "$SRT_WORKDIR"' \
		sh "$W/host"
	[ -z "$stderr" ]
	[ ! -e elsewhere ]
	host_is_whole
	no_work_left
}

@test "work wipe: another directory under its name is left, and said" {
	run -0 --separate-stderr srt-work -b "$B" -- sh -c '
		mv "$SRT_WORKDIR" elsewhere && mv host "$SRT_WORKDIR"'
	[[ $stderr == *': is not the directory that was made, and stays' ]]
	[ ! -e elsewhere ]
	run -0 --separate-stderr srt-work --sweep -b "$B"
	[ -z "$output$stderr" ]
	mv "$B"/srt-work.* host
	host_is_whole
}

@test "work wipe: a command that has removed it is no matter" {
	run -0 --separate-stderr srt-work -b "$B" -- sh -c 'rmdir "$SRT_WORKDIR"'
	[ -z "$stderr" ]
	no_work_left
}

@test "work wipe: 15 times raced by what swaps directories for links, and moves" {
	in_memory
	swap=$(tool swap)
	for ((i = 0; i < 15; i++)); do
		dead 'for i in 1 2 3 4 5 6 7 8 9; do mkdir -p $i/$i/$i; done'
		mkfifo ready
		"$swap" "$dead" /tmp/out "$W/host" >ready 3>&- &
		racer=$!
		read -r line <ready
		[ "$line" = ready ]
		srt-work --sweep -b "$B" >/dev/null 2>&1 || :
		kill "$racer"
		wait "$racer"
		rm -rf ready /tmp/out
		host_is_whole
		srt-work --sweep -b "$B"
		no_work_left
	done
}
