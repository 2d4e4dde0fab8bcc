#!/usr/bin/env bats
# What a command finds inside: /dev, /proc, sockets, placeholders (case 58).
# shellcheck disable=SC2016,SC2154 # inner shells; what the helper sets
load lib/helper
load lib/inside

# listening PATH: something answers at a Unix socket there; $listener.
listening() {
	mkdir -p "${1%/*}"
	mkfifo "$base/ready.$((n = ${n:-0} + 1))"
	"$(inside_tool in-socket)" listen "$1" >"$base/ready.$n" 3>&- &
	listener=$!
	read -r _ <"$base/ready.$n"
}

# answers RESULT OPTION ...: does a call from inside a run with those options
# get through to $socket?  Or is there not even a socket to call with, and
# nothing at the path?
answers() {
	local want=$1
	shift
	run srt "$@" -- "$(inside_tool in-socket)" call "$socket"
	case $want in
	yes) [ "$output" = hello ] && wait "$listener" ;;
	no)
		[ "$status" -eq 1 ] && kill -0 "$listener" &&
			[[ $output == *'family not supported'* ]] &&
			! srt "$@" -- test -S "$socket"
		;;
	esac
}

@test "inside: an absent denied path reads as an empty file" {
	run -0 srt -d .env -- sh -c 'cat .env; test -e .env; test -f .env
		test -r .env; ! test -s .env; ! test -x .env; ! test -L .env
		stat -c "%F %s" .env; wc -c <.env; grep x .env; head -c 1 .env
		. ./.env; echo end'
	[ "${lines[0]}" = 'regular empty file 0' ]
	[ "${lines[1]}" = 0 ]
	[ "${lines[2]}" = end ]
	# writing says why
	run -2 srt -d .env -- sh -c 'LC_ALL=C; echo x >.env'
	[[ $output == *'Read-only file system'* ]]
}

@test "inside: what reads it in place of a missing file is not troubled" {
	git init -q
	git commit -q --allow-empty -m one
	run -0 srt -d .env -d .gitconfig -d .npmrc -d package.json -- sh -c '
		git status --short && cp -r . /tmp/copy && ls -la /tmp/copy/.env
		find . -name .env -size 0 && tar -cf /tmp/x.tar . &&
		tar -tf /tmp/x.tar | grep -x ./.env'
	nothing_left
}

@test "inside: a write denied file that is there reads as it is" {
	printf 'content' >there
	chmod 640 there
	run -0 srt -d there -- sh -c 'cat there; stat -c " %a %s" there'
	[ "$output" = 'content 640 7' ]
}

@test "inside: /dev has what programs need, and no disk" {
	run -0 srt -- sh -c 'for d in null zero full random urandom tty ptmx \
			stdin stdout stderr fd shm pts; do
			[ -e /dev/$d ] || [ -L /dev/$d ] || echo "no $d"; done
		echo x >/dev/null && head -c 4 /dev/zero | wc -c
		head -c 4 /dev/urandom | wc -c
		echo x >"$1" && cat "$1"
		echo y >/dev/full 2>/dev/null || echo full
		find /dev -type b' - "/dev/shm/${base##*/}"
	[ "${lines[*]}" = '4 4 x full' ]
	[ ! -e "/dev/shm/${base##*/}" ]
}

@test "inside: /proc is that of the sandbox" {
	run -0 srt -- sh -c 'echo /proc/[0-9]* | wc -w; readlink /proc/self
		kill -0 1 && echo signal'
	[ "${lines[0]}" -le 4 ]
	[ "${lines[2]}" = signal ]
}

@test "inside: sockets of the session and of services cannot be called" {
	uid=$(id -u)
	for socket in "/run/user/$uid/bus" "/tmp/tmux-$uid/default" \
		/tmp/.X11-unix/X0; do
		listening "$socket"
		chmod 700 "${socket%/*}"
		answers no
		answers no --host-tmp
		answers no --host-tmp -w "$W"
		echo 'unix-sockets allow' >"$base/profile"
		answers yes --host-tmp -p "$base/profile"
	done
}

@test "inside: root's sockets in /run cannot be called" {
	as_root
	mount -t tmpfs tmpfs /run
	mkdir -p /run/user
	mkdir -m 700 /run/user/0
	for socket in /run/dbus/system_bus_socket /run/docker.sock \
		/run/podman/podman.sock /run/containerd/containerd.sock; do
		listening "$socket"
		answers no -w "$W"
		answers no -w "$W" --host-tmp
		kill "$listener"
		rm -f "$socket"
	done
	umount -l /run
}

@test "inside: with unix-sockets allow one can be called, and made" {
	socket=$W/s
	listening "$socket"
	run -1 srt -- "$(inside_tool in-socket)" call "$socket"
	[[ $output == *'family not supported'* ]]
	run -1 srt -- "$(inside_tool in-socket)" listen ./mine
	[[ $output == *'family not supported'* ]]
	[ ! -e mine ]
	echo 'unix-sockets allow' >"$base/profile"
	answers yes -p "$base/profile"
	rm s
	run -0 srt -p "$base/profile" -- sh -c '"$1" listen ./mine & 
		until [ -S mine ]; do sleep 0.02; done; "$1" call ./mine; wait' \
		sh "$(inside_tool in-socket)"
	[ "${lines[-1]}" = hello ]
}

@test "inside: abstract sockets of this machine are out of reach" {
	run -0 srt -- sh -c 'tail -n +2 /proc/net/unix | wc -l'
	[ "$output" = 0 ]
}

@test "inside: a hundred runs at a time in one directory" {
	for ((n = 0; n < 100; n++)); do
		srt -d .env -d a/b -- sh -c "echo $n >out.$n
			! echo x >.env; exit $((n % 3))" 2>/dev/null 3>&- &
		pids[n]=$!
		((n % 10 != 9)) || for ((m = n - 9; m <= n; m++)); do
			ended $((m % 3)) "${pids[m]}"
		done
	done
	[ "$(cat out.* | sort -n)" = "$(seq 0 99)" ]
	nothing_left
	[ ! -e a ]
}

@test "inside: the user, the group, the names and the host name are the same" {
	run -0 srt -- sh -c 'id -un; id -gn; hostname; umask; ulimit -n; pwd; echo "$HOME"'
	want=$(id -un; id -gn; hostname; umask; ulimit -n; pwd; echo "$HOME")
	[ "$output" = "$want" ]
}

@test "inside: what leads into /proc, and the links that /dev has, can be allowed" {
	echo kept >kept
	for l in /dev/stdin /dev/stdout /dev/stderr /dev/fd /dev/fd/1 /dev/ptmx \
		/proc/self/cwd/kept /proc/self/fd/0; do
		run -0 --separate-stderr srt -w "$l" -- cat kept </dev/null
		[ "$output" = kept ]
		srt -w "$l" -- sh -c 'cat >&2' <kept 2>"$base/out"
		[ "$(grep -v 'grants nothing' "$base/out")" = kept ]
		[ "$(srt -w "$l" -- cat <kept | cat)" = kept ]
	done
	# what is named by way of /proc is the file
	run srt -w /proc/self/cwd/kept -d /proc/self/cwd/kept -- \
		sh -c 'echo x >kept'
	[ "$(cat kept)" = kept ]
	run -0 srt -R /proc/self/cwd/kept -- sh -c '! cat kept'
	nothing_left
}

@test "inside: a process outside cannot be denied by its path, and that is said" {
	for path in /proc/self /proc/1 /proc/thread-self /proc/self/status; do
		for option in -d -R; do
			run -125 srt "$option" "$path" -- true
			[ "${#lines[@]}" -eq 1 ]
			[[ $output == "srt-run: $path: deny-"*": of a process outside, the sandbox has its own" ]]
		done
	done
	nothing_left
}

@test "inside: parts of /proc can be hidden, or allowed, as the rules have it" {
	for part in fs sys bus irq; do
		[ -d "/proc/$part" ] || continue
		run -0 srt -R "/proc/$part" -- ls -A "/proc/$part"
		[ -z "$output" ]
		run -0 srt -d "/proc/$part" -w "/proc/$part" -- ls /proc
		run -0 srt -w "/proc/$part" -- ls /proc
	done
	run -0 srt -R /proc/sys/kernel -- sh -c 'ls -A /proc/sys/kernel
		echo 60 2>/dev/null >/proc/sys/vm/swappiness || echo no'
	[ "$output" = no ]
	run -0 srt -R /proc/version -- sh -c '! cat /proc/version'
}
