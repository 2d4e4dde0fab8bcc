#!/usr/bin/env bats
# srt-doctor: what is wrong is found, where it really is, and the status is that
# of "srt true".
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # inner shells; what the helpers set
load lib/helper
load lib/life

setup() {
	setup_w
	emptied
}

teardown() {
	emptied
	chmod 700 "/run/user/$(id -u)"
	teardown_w
}

# agrees STATUS [COMMAND ...]: started by that command, srt true fails if STATUS
# is 1, and srt-doctor says so; its report is in $output.
agrees() {
	local want=$1 fails
	shift
	run --separate-stderr "$@" "$top/cmd/srt" true
	if [ "$want" -ne $((status != 0)) ]; then
		echo "srt true: status $status: $stderr"
		return 1
	fi
	run "-$want" --separate-stderr "$@" "$top/cmd/srt-doctor"
	fails=$(grep -c '^fail  ' <<<"$output" || :)
	[ "$stderr$want" = $((fails > 0)) ] || {
		printf '%s\n' "$stderr" "$output"
		return 1
	}
}

# says LEVEL CHECK PATTERN: one line of the report.
says() {
	local line
	while read -r line; do
		# shellcheck disable=SC2053 # a pattern
		[[ $line != $1\ *" $2: "* || ${line#* "$2": } != $3 ]] ||
			return 0
	done <<<"$output"
	printf 'no %s %s: %s in\n%s\n' "$@" "$output"
	return 1
}

# fake_bwrap LINE ...: a bwrap in front of PATH that is a script of those lines.
fake_bwrap() {
	mkdir -p "$base/stub"
	printf '%s\n' '#!/bin/sh' "$@" >"$base/stub/bwrap"
	chmod +x "$base/stub/bwrap"
	PATH=$base/stub:$PATH
}

# where [bwrap option ...] --: the rest in a place with other mounts.
where() { bwrap --dev-bind / / "$@"; }

@test "doctor: where all is well no line fails, and each check has one" {
	agrees 0
	for check in user kernel 'user namespaces' bubblewrap start seccomp \
		/proc leftovers ptrace terminal nested-userns unix-sockets; do
		[ "$(grep -c "^[a-z]*  *$check: " <<<"$output")" -eq 1 ]
	done
	[ "$(grep -c '^ok    place: ' <<<"$output")" -eq 3 ]
	[ "$(grep -cvE '^(ok|warn)  +[^ ].*: ..*' <<<"$output")" -eq 0 ]
	says ok start 'srt true works'
	says ok kernel "Linux $(uname -r)"
	says ok bubblewrap "$(realpath "$(command -v bwrap)"), *; only root*"
	version=$(bwrap --version)
	[[ $output == *", ${version#bubblewrap }; "* ]]
	says ok leftovers 'nothing; runs now: 0'
}

@test "doctor: it leaves nothing in the working directory or the places" {
	hold -d .env
	before=$(tree_names)
	srt-doctor >/dev/null
	[ "$(tree_names)" = "$before" ]
	run -0 srt-doctor
	says ok leftovers 'nothing; runs now: 1'
	release
	nothing_left
}
tree_names() { find "$W" "$place" | sort; }

@test "doctor: as JSON it is the same report" {
	: >"$place"
	srt-doctor >text
	run -0 --separate-stderr srt-doctor --json
	jq -r '.checks[] | .level + (6 - (.level | length)) * " " + .check +
		": " + .found + if .do == "" then "" else "; " + .do end' \
		<<<"$output" | diff text -
	[ "$(jq -r '.works, .version' <<<"$output")" = "true
$(srt-doctor -V | sed 's/.* //')" ]
	[ "$(jq '[.checks[] | keys == ["check", "do", "found", "level"]] | all' \
		<<<"$output")" = true ]
	PATH=/nonexistent run -1 "$top/cmd/srt-doctor" --json
	[ "$(jq .works <<<"$output")" = false ]
	run -1 sh -c 'srt-doctor --json >/dev/full'
	[[ $output == 'srt-doctor: standard output: '* ]]
}

@test "doctor: names of any bytes are shown encoded, and are good JSON" {
	SRT_PLACE=$base/$'a b\n\\\377\033"' run -0 srt-doctor
	says ok place "$base"'/a b\\012\\\\\\377\\033"'
	SRT_PLACE=$base/$'a b\n\\\377\033"' run -0 srt-doctor --json
	jq -r '.checks[].found' <<<"$output" |
		grep -F "$base"'/a b\012\\\377\033"'
}

# bubblewrap ------------------------------------------------------------

@test "doctor: bubblewrap missing, and not found by --bwrap" {
	agrees 1 env PATH=/nonexistent
	says fail bubblewrap 'bwrap not found; install the package*'
	says fail start 'srt true ends with status 125: *not found*'
	run -1 srt-doctor --bwrap /no/such
	says fail bubblewrap '/no/such not found; *'
	run -0 srt-doctor --bwrap "$(command -v bwrap)"
}

@test "doctor: bubblewrap too old, by its version and by what it takes" {
	fake_bwrap 'case $1 in --version) echo "bubblewrap 0.4.1" ;;
		*) echo "bwrap: Unknown option --as-pid-1" >&2; exit 1 ;; esac'
	agrees 1
	says fail bubblewrap "$base/stub/bwrap is too old: bubblewrap 0.4.1; 0.5.0*"
	says fail start '*Unknown option*too old*'
	# one that only calls itself old
	bwrap=$(PATH=/usr/bin:/bin command -v bwrap)
	fake_bwrap "[ \"\$1\" != --version ] || { echo bubblewrap 0.4.0; exit; }" \
		"exec $bwrap \"\$@\""
	agrees 0
	says warn bubblewrap '*is too old: bubblewrap 0.4.0; *'
}

@test "doctor: what is not bubblewrap at all" {
	for lines in 'exit 0' 'exit 1' 'kill -SEGV $$' 'echo 1.2.3'; do
		fake_bwrap "$lines"
		agrees 1
		says fail bubblewrap "$base/stub/bwrap *"
	done
}

@test "doctor: whom a bubblewrap's modes and owners let replace it" {
	mkdir "$base/tools"
	cp "$(command -v bwrap)" "$base/tools/bwrap"
	chmod 755 "$base" "$base/tools" "$base/tools/bwrap"
	PATH=$base/tools:$PATH
	if is_root; then
		agrees 0
		says ok bubblewrap '*; only root can replace it'
		chown srt-test "$base/tools/bwrap"
		agrees 0
		says warn bubblewrap "*uid $(id -u srt-test) can replace $base/tools/bwrap; *"
		chown root "$base/tools/bwrap"
		chgrp 12345 "$base/tools"
		chmod 775 "$base/tools"
		agrees 0
		says warn bubblewrap "*gid 12345 *at $base/tools; *"
	else
		agrees 0
		says ok bubblewrap '*; you can replace it*'
	fi
	chmod 777 "$base/tools"
	agrees 0
	says warn bubblewrap "*everybody can replace what is at $base/tools; *"
	chmod 1777 "$base/tools"
	agrees 0
	says ok bubblewrap '*'
}

@test "doctor: one that the run could replace is not used, or nothing starts" {
	real=$(realpath "$(command -v bwrap)")
	cp "$real" .
	PATH=$W:$PATH agrees 0
	says warn start "*replace it, so $real is used"
	ln -s "$(command -v true)" true
	agrees 1 env PATH="$W"
	says fail start '*lets the command replace it*'
}

# The kernel ------------------------------------------------------------

@test "doctor: a kernel that is too old by its number" {
	setarch --uname-2.6 true || skip 'no such personality'
	agrees 0 setarch --uname-2.6
	says warn kernel 'Linux 2.6.*; Linux 5.10 or later is needed'
}

@test "doctor: no user namespaces left" {
	agrees 1 unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces
		exec "$@"' sh
	says fail 'user namespaces' 'cannot be made: No space left *user.max_user_namespaces is 0, *'
	says fail start '*user.max_user_namespaces is 0, *'
}

@test "doctor: in a sandbox, without and with nested-userns" {
	agrees 1 srt -- env
	says fail 'user namespaces' '*'
	echo 'nested-userns allow' >"$base/profile"
	agrees 0 srt -p "$base/profile" -- env
}

@test "doctor: AppArmor's switch is named, and fails only what does not start" {
	mkdir -p "$base/kernel"
	echo 1 >"$base/kernel/apparmor_restrict_unprivileged_userns"
	fake=(--ro-bind "$base/kernel" /proc/sys/kernel)
	run where "${fake[@]}" -- srt true
	agrees "$((status != 0))" where "${fake[@]}" --
	[ "$status" -ne 0 ] || says ok AppArmor 'restricts *'
	[ "$status" -eq 0 ] || says fail AppArmor 'restricts *; give bwrap a profile*'
	agrees 1 where "${fake[@]}" -- env PATH=/nonexistent
	says fail AppArmor '*; give bwrap a profile*'
}

@test "doctor: in a chroot, to a directory and to the root of a mount" {
	as_root
	mkdir "$base/root"
	agrees 1 unshare -m sh -c '
		for d in /*; do
			[ -d "$d" ] && [ ! -h "$d" ] || continue
			mkdir -p "$0$d" && mount --rbind "$d" "$0$d" || exit
		done
		for l in /*; do [ ! -h "$l" ] || cp -Pf "$l" "$0"; done
		exec chroot "$0" "$@"' "$base/root"
	says fail 'user namespaces' 'not to be had in a chroot: *'
	rm -r "$base/root"
	mkdir "$base/root"
	agrees 1 unshare -m sh -c '
		mount --rbind / "$0" && exec chroot "$0" "$@"' "$base/root"
	says fail 'user namespaces' 'cannot be made: *none in a chroot'
}

# /proc -----------------------------------------------------------------

@test "doctor: no /proc, and one of another PID namespace" {
	agrees 1 where --tmpfs /proc --
	says fail /proc 'is not mounted; *'
	says fail start '*without /proc'
	agrees 1 where --unshare-pid --
	says fail /proc 'shows another PID namespace *'
}

@test "doctor: /proc/sys read-only" {
	run where --ro-bind /proc/sys /proc/sys -- srt true
	agrees "$((status != 0))" where --ro-bind /proc/sys /proc/sys --
	says '*' /proc '/proc/sys is read-only*'
}

@test "doctor: where the kernel refuses a new /proc" {
	agrees 0 unshare -Urm --propagation private sh -c '
		mount -t tmpfs tmpfs /proc/scsi 2>/dev/null ||
			mount -t tmpfs tmpfs /proc/fs || exit
		exec "$@"' sh
	says warn /proc 'commands see this one, read-only, *'
}

@test "doctor: what sysctls say of the terminal and of ptrace" {
	run -0 srt-doctor
	[ ! -e /proc/sys/kernel/yama/ptrace_scope ] ||
		says '*' ptrace "Yama's scope is $(cat /proc/sys/kernel/yama/ptrace_scope); *"
	[ -e /proc/sys/kernel/yama ] || says ok ptrace 'no Yama; *'
	mkdir -p "$base/kernel/yama"
	for n in 0 1 2 3; do
		echo $n >"$base/kernel/yama/ptrace_scope"
		run where --ro-bind "$base/kernel" /proc/sys/kernel -- srt-doctor
		says "$( ((n < 2)) && echo ok || echo warn)" ptrace \
			"Yama's scope is $n; *"
	done
	mkdir "$base/tty"
	echo 0 >"$base/tty/legacy_tiocsti"
	run where --ro-bind "$base/tty" /proc/sys/dev/tty -- srt-doctor
	says ok terminal '*off'
	echo 1 >"$base/tty/legacy_tiocsti"
	run where --ro-bind "$base/tty" /proc/sys/dev/tty -- srt-doctor
	says '*' terminal '*TIOCSTI*'
}

@test "doctor: whether a command can type into the terminal it runs on" {
	types=$base/types
	cc -o "$types" "$top/t/tool/in-types.c"
	run -0 srt-doctor
	case $output in
	*'ok    terminal: '*) can=1 ;;
	*'warn  terminal: '*) can=0 ;;
	esac
	"$(tool pty)" "$top/cmd/srt" -- "$types" <<<"ends $can"
}

# filters [COMMAND ...]: how many filters for system calls a command has there.
filters() {
	"$@" sed -n 's/^Seccomp_filters:[[:blank:]]*//p' /proc/self/status
}

@test "doctor: whether a filter for system calls is in force inside" {
	run -0 srt-doctor
	[ "$(filters srt --)" -gt "$(filters)" ]
	says ok seccomp 'a filter * is in force inside'
	says ok unix-sockets 'none can be connected to; *'
	# a bubblewrap that leaves it out
	fake_bwrap 'case $5 in --seccomp) ;; *) exec '"$(command -v bwrap)"' "$@"' \
		'esac; a=$1 b=$2 c=$3 d=$4; shift 6' \
		'exec '"$(command -v bwrap)"' "$a" "$b" "$c" "$d" "$@"'
	[ "$(filters srt --)" -eq "$(filters)" ]
	run -0 srt-doctor
	says warn seccomp '*inside none is in force*'
	says ok unix-sockets '*others can be connected to; *'
}

@test "doctor: where nothing starts, nothing is said of what commands could do" {
	fake_bwrap 'case $1 in --version) echo bubblewrap 0.8.0 ;; *) exit 1; esac'
	agrees 1 env
	says ok seccomp 'the kernel has filters for system calls'
	says ok terminal '*'
	says ok unix-sockets 'none can be connected to; *'
}

@test "doctor: closed descriptors, and no /dev/null, hide nothing" {
	srt-doctor >"$base/want"
	srt-doctor 2>&1 <&- | diff -u "$base/want" -
	srt-doctor 2>&- <&- | diff -u "$base/want" -
	mkdir "$base/dev"
	run -1 where --bind "$base/dev" /dev -- "$top/cmd/srt-doctor"
	says fail start '*/dev/null: No such file or directory*'
}

# Places ----------------------------------------------------------------

@test "doctor: each place, and why it cannot be used" {
	second=/run/user/$(id -u)/srt-mount-points
	third=/tmp/srt-mount-points-$(id -u)
	: >"$place"
	ln -s "$base" "$second"
	agrees 0
	says warn place "$place: cannot be used: Not a directory; move away*"
	says warn place "$second: cannot be used: *; move away*"
	says ok place "$third"
	rmdir "$third"
	: >"$third"
	agrees 0
	says warn places 'none to write to*; make one*'
	rm "$third"
	chmod 755 "/run/user/$(id -u)"
	agrees 0
	says warn place "/run/user/$(id -u): no place in it: *"
	says ok place "$third"
}

@test "doctor: a place of another user's" {
	as_root
	mkdir -m 700 "$place"
	chown srt-test "$place"
	agrees 0
	says warn place "$place: cannot be used: belongs to another user; *"
}

@test "doctor: a place that cannot be written, one that is full, one that is closed" {
	mkdir -m 700 "$place"
	agrees 0 where --ro-bind "$place" "$place" --
	says warn place "$place: can be read only: Read-only file system"
	agrees 0 where --size 4096 --perms 0700 --tmpfs "$place" -- sh -c '
		cat /dev/zero >"$0/fill" 2>/dev/null; exec "$@"' "$place"
	says warn place "$place: its disk is full; make room"
	! is_root || return 0
	chmod 000 "$place"
	agrees 1 where --ro-bind "$place" "$place" --
	says fail place "$place: closed, *"
}

@test "doctor: SRT_PLACE relative, unusable, good" {
	agrees 1 env SRT_PLACE=place
	says fail SRT_PLACE 'is not an absolute path; *'
	agrees 0 env SRT_PLACE=/no/such/place
	says warn place '/no/such/place: cannot be used: No such file*; *unset SRT_PLACE'
	mkdir "$base/full"
	: >"$base/full/mine"
	agrees 0 env SRT_PLACE="$base/full"
	says warn place "$base/full: cannot be used: holds other files*"
	agrees 0 env SRT_PLACE=/dev/shm/x
	says warn place '/dev/shm/x: cannot be used: *'
	agrees 0 env SRT_PLACE="$base/place"
	says ok place "$base/place"
}

@test "doctor: a manifest that cannot be read" {
	forge "$(id_of 1)"
	echo garbage >"$forged"
	agrees 1
	says fail leftovers "$forged cannot be read: *; look at it*"
	says fail start "*$forged*"
}

@test "doctor: what has been left is named, where no clean-up takes it" {
	leave "$W/left" "$W/left2"
	run -1 env PATH=/nonexistent "$top/cmd/srt-doctor"
	says warn leftovers "1 of runs that are over, with 2 placeholders, such as $W/left; srt --sweep*"
	[ -S left ]
	# the start is a run, and cleans up as every run does
	agrees 0
	says ok leftovers 'nothing*'
	[ ! -e left ]
	# not so from another PID namespace, for a while
	leave "$W/left"
	agrees 0 elsewhere
	says warn leftovers "1 of runs that are over, with 1 placeholders, such as $W/left; *"
	srt --sweep
	nothing_left
}

@test "doctor: without srt-run beside it, it says so" {
	mkdir "$base/alone"
	cp "$top/cmd/srt-doctor" "$base/alone"
	run -1 "$base/alone/srt-doctor"
	says fail start "*127: $base/alone/srt-run: No such file*"
	# not one that lies about
	printf '#!/bin/sh\necho evil\n' >srt-run
	chmod +x srt-run
	PATH=$W:$PATH run -1 "$base/alone/srt-doctor"
	[[ $output != *evil* ]]
}

@test "doctor: a working directory that was removed, and no HOME" {
	mkdir gone
	cd gone
	rmdir "$W/gone"
	run srt true
	want=$((status != 0))
	run -"$want" srt-doctor
	cd "$W"
	agrees 0 env -u HOME
}
