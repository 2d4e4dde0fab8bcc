#!/usr/bin/env bats
# Each process of a run is killed at random moments of its start (case 35):
# the command does not go on without its supervisor, nothing is stuck, and the
# next clean-up leaves nothing.
#
# SRT_KILLS=n	moments for each process, by default 40
# shellcheck disable=SC2154 # what the helpers set
load lib/helper
load lib/life

# Other processes of the machine make a start slow, so do the strikes.
setup_file() {
	export kills=${SRT_KILLS:-40}
}

setup() {
	setup_w
	emptied
	strike=$(tool strike)
	echo precious >own
	: >empty
	mkdir dir
	own=$(what)
}

what() { stat -c '%i %F %a %s %Y' own empty dir; }

# The command: it says when it has begun, then goes on for ever.
# shellcheck disable=SC2016 # for the inner shell to expand
command='echo >>ran; while :; do echo >>.git/x; done 2>/dev/null'

# random MAX: microseconds below that.
random() { echo $(((RANDOM << 15 | RANDOM) % $1)); }

# strike WHO MAX STATUSES PROGRAM ...: the whole run is gone within moments of
# the strike, with one of those statuses.  $waits is a process that may wait
# still, because its monitor ended in the middle of the start: it has done
# nothing, never will, and is the next clean-up's to end.
strike() {
	local who=$1 statuses=$3 usec said word value rest
	usec=$(random "$2")
	shift 3
	waits=
	# not by a pipe, which one that waits holds open
	"$strike" "$who" "$usec" "$@" >"$base/said" 2>"$base/err" 3>&-
	said=$(cat "$base/said")
	last="$who, $usec us: $said; $(cat "$base/err")"
	while read -r word value rest; do
		case $word,$rest in
		status,) [[ " $statuses " == *" $value "* ]] || return ;;
		left,bwrap) [ "$who" = self ] && waits=$value || return ;;
		[0-9]*,) [ "$word" -lt 5000 ] || return ;;
		*) return 1 ;;
		esac
	done <<<"$said"
}

# swept: what a clean-up leaves of it is nothing.
swept() {
	local said file
	said=$(srt --sweep 2>&1 >/dev/null) || said=failed:$said
	last+="; sweep: $said"
	[ -z "$said" ] || return
	if [ "$waits" ]; then
		wait_for_end_of "$waits" || return
	fi
	rm -rf ran .git/x
	rmdir .git 2>/dev/null || :
	# what was never published goes after a minute only
	for file in "$place"/*.init "$place"/*.tmp; do
		[ ! -e "$file" ] || older "$file" 100
	done
	srt --sweep
	nothing_left || return
	[ "$(ls -A)" = 'dir
empty
own' ] && [ "$(what)" = "$own" ]
}

# wait_for_end_of PID: it has been sent SIGKILL.
wait_for_end_of() {
	local n
	for ((n = 0; n < 100; n++)); do
		grep -q '^State:[^Z]*$' "/proc/$1/status" 2>/dev/null || return 0
		sleep 0.02
	done
	last+="; $1 is there still"
	kill -KILL "$1"
	return 1
}

# struck WHO MAX STATUSES PROGRAM ...: that, again and again.
struck() {
	local n ran=0 waited=0
	for ((n = 0; n < kills; n++)); do
		strike "$@" || { echo "$last"; return 1; }
		[ ! -e ran ] || ran=$((ran + 1))
		[ ! "$waits" ] || waited=$((waited + 1))
		swept || { echo "$last"; ls -lA . "$place"; return 1; }
	done
	echo "# $1: killed $n times, $ran after the command began," \
		"$waited before it could" >&3
}

run=(srt -w . -d .env -d a/b/key -d .git/config -d .git/hooks -d empty
	-d dir -- sh -c "$command")

@test "kill: the supervisor, which records too" {
	struck self 25000 137 "${run[@]}"
}

@test "kill: bubblewrap's monitor" {
	struck monitor 15000 125 "${run[@]}"
}

@test "kill: srt-init, or what becomes it" {
	struck init 15000 '125 137' "${run[@]}"
}

@test "kill: who finishes the sandbox and watches it" {
	struck gate 15000 125 "${run[@]}"
}

@test "kill: srt-record by hand, and then its bubblewrap" {
	profile "$W/.env" "$W/a/b/key" "$W/empty" "$W/dir" |
		srt-plan >"$base/plan"
	struck self 20000 137 srt-record -p "$base/plan" -- sh -c "$command"
}
