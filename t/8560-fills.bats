#!/usr/bin/env bats
# A hostile command takes all there is: disk, inodes, descriptors, processes,
# inotify, patience.  Its denies hold, a later run starts, and one beside it
# does, and nothing outside is removed.
# shellcheck disable=SC2016,SC2034,SC2154 # inner shells; what the helpers set
load lib/helper
load lib/inside

# In memory, where 100,000 files are made in a moment.
setup() {
	disk=/var/tmp
	setup_w
	spoil=$(inside_tool in-spoil)
	export spoil
}

# spoiling [COMMAND ...] --: a run in the background, started by the command,
# whose own says "full N" when it has taken what it can, until spoiled.
spoiling() {
	mkfifo "$base/in" "$base/out"
	"$@" <"$base/in" >"$base/out" 3>&- &
	pid=$!
	exec {hold_in}>"$base/in" {hold_out}<"$base/out"
	read -r word full <&"$hold_out" && [ "$word" = full ]
}
spoiled() {
	release
	rm "$base/in" "$base/out"
}

# beside: another run starts and its deny holds.
beside() { deny_holds "$W/beside" --host-tmp -w . -d beside; }

# small COMMAND: for bash, in W, which is a disk of a mebibyte and 64 inodes.
small() {
	local how=-Urm
	! is_root || how=-m
	unshare "$how" --propagation private bash -euc '
		mount -t tmpfs -o size=1m,nr_inodes=64,mode=755 tmpfs "$0"
		cd "$0"
		echo kept >there
		mkdir dir
		echo kept >dir/file
		'"$1"'
		[ "$(cat there dir/file)" = "kept
kept" ]' "$W"
}

@test "fills: a disk to the last byte" {
	small '
		srt -w . -d there -d absent --host-tmp -- "$spoil" fill big
		[ "$(df --output=avail . | tail -n 1)" -eq 0 ]
		[ ! -e absent ]
		# what is there can be denied, what is not as the disk lets us
		srt -w . -d there --host-tmp -- sh -c "! rm -f there dir/x 2>&-"
		srt -w . -d absent --host-tmp -- true || [ $? -eq 125 ]
		srt -w . --host-tmp -- rm big
		srt -w . -d absent --host-tmp -- sh -c "! rm -f absent 2>&-"
		[ ! -e absent ]'
	nothing_left
}

@test "fills: a disk to the last inode" {
	small '
		srt -w . -d there -d absent --host-tmp -- "$spoil" inodes dir
		[ "$(df --output=iavail . | tail -n 1)" -le 1 ]
		srt -w . -d there --host-tmp -- sh -c "! rm -f there 2>&-"
		: >last 2>&- || :
		run() { srt -w . -d absent/x --host-tmp -- true; }
		! run 2>../err || exit
		grep -q "/absent.*: cannot be made: No space left" ../err
		[ ! -e absent ]
		srt -w . --host-tmp -- sh -c "cd dir && rm [0-9]*"
		run
		[ ! -e absent ]'
	nothing_left
}

@test "fills: the disk that its own placeholder lies on, while it runs" {
	small '
		srt -w . -d there -d absent -d a/b/absent --host-tmp -- sh -c "
			$spoil fill big; $spoil inodes dir
			for p in there absent a/b/absent; do
				rm -f \$p; echo x >\$p; mv dir \$p; done
			:" 2>&-
		[ ! -e absent ] && [ ! -e a ] && [ "$(cat there)" = kept ]'
	nothing_left
}

@test "fills: descriptors, as many as one can have" {
	spoiling srt --host-tmp -w . -d .env -- "$spoil" fds
	[ "$full" -ge 1000 ]
	beside
	spoiled
	beside
	nothing_left
}

@test "fills: processes, as many as one can have" {
	spoiling srt --host-tmp -w . -d .env -- bash -c \
		'ulimit -u 100 && exec "$spoil" pids 300'
	[ "$full" -ge 90 ]
	beside
	spoiled
	run ! pgrep -f "$spoil"
	# what it does not end by itself ends with the run
	spoiling srt --host-tmp -w . -d .env -- bash -c \
		'ulimit -u 100 && exec "$spoil" pids 300'
	kill -TERM "$pid"
	ended 143 "$pid"
	run ! pgrep -f "$spoil"
	beside
	nothing_left
}

@test "fills: inotify instances and watches, as many as there can be" {
	mkdir dir
	# limits of a namespace of our own: other tests want watches, too
	run -0 unshare -Ur bash -uc '
		cd "$0"
		echo 20 >/proc/sys/user/max_inotify_instances
		echo 200 >/proc/sys/user/max_inotify_watches
		mkfifo in out
		srt --host-tmp -w dir -d dir/.env -- "$spoil" watches dir \
			<in >out 2>/dev/null &
		exec 6>in 7<out
		read -r _ n <&7
		[ "$n" -ge 10 ] && [ "$n" -le 220 ] || echo "full of $n"
		run() { srt --host-tmp -w . -d absent -d a/b -- sh -c "
			for p in absent a/b a; do rm -rf \$p; echo x >\$p; done
			echo ran" 2>err || echo "status $?"; }
		run
		grep "^srt" err
		exec 6>&-
		wait
		run
		grep "^srt" err
		rm -r in out err; :' "$W"
	# where it cannot be watched who moves a directory, that is said
	[ "${lines[0]}" = ran ]
	[[ ${lines[1]} == "srt-run: $W/a: cannot be watched: "* ]]
	[ "${lines[2]}" = ran ]
	[ "${#lines[@]}" -eq 3 ]
	[ "$(ls)" = dir ]
	nothing_left
}

@test "fills: 100,000 files and 10,000 levels, where planner and collector look" {
	srt --host-tmp -w . -d made/x/.env -- sh -c '
		"$spoil" files made/x 40000
		mkdir closed && "$spoil" files closed 30000 && chmod 555 closed
		"$spoil" files . 30000
		"$spoil" deep . 10000
		mkdir -p made/y && mv d made/y/d && ln -s made/y/d/d/d deep'
	[ "$(find . -type f | wc -l)" -eq 100000 ]
	[ ! -e made/x/.env ]
	for path in made/x/.env made/y/d/d/d/d/.env closed/.env deep/.env .env; do
		deny_holds "$W/$path" --host-tmp -w . -d "$path" 2>&-
	done
	hold --host-tmp -w . -d made/x/.env -d closed/.env -d .env 2>&-
	not_removed .env
	not_removed made/x/.env
	[ "$(tell 'echo x >closed/.env && echo landed')" != landed ]
	release
	[ "$(find . -type f | wc -l)" -eq 100000 ]
	nothing_left
}
