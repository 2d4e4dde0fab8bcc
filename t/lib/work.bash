# shellcheck shell=bash
# For the tests of work directories.
# shellcheck disable=SC2016,SC2034,SC2154 # shell for inside; what is shared

# setup_work: B, a base on the disk, and src, a tree to copy.
setup_work() {
	setup_w
	B=$W/base
	mkdir "$B"
	mkdir -p src/sub/deeper 'src/odd name'
	echo a >src/a
	echo b >src/sub/b
	echo c >src/sub/deeper/c
	printf x >'src/odd name/'$'new\nline'
	chmod 755 src/a
	chmod 600 src/sub/b
}

# in_memory: another base, for what makes much, and is no slower for a busy disk.
in_memory() {
	B=/tmp/base
	rm -rf "$B"
	mkdir "$B"
}

# Root's copies are immutable, and what a failed test leaves is hard to remove.
teardown_work() {
	cd /
	! is_root || chattr -R -f -i "$base" 2>/dev/null || :
	chmod -R u+rwx "$base" 2>/dev/null || :
	rm -rf "$base"
}

# flag_works: can files in W be made immutable?
flag_works() {
	: >probe
	chattr +i probe 2>/dev/null && chattr -i probe
}

# no_work_left: nothing in the base, no record in any place.
no_work_left() {
	local left
	left=$(find "$B" -mindepth 1)
	left+=$(find /var/tmp/srt-mount-points-* -name '*.work' 2>/dev/null || :)
	[ -z "$left" ] || { echo "left: $left"; return 1; }
}

# dead COMMAND: a run that is killed when its command has run, in $dead.
dead() {
	local status=0
	{
		dead=$(srt-work -b "$B" -- sh -c 'cd "$SRT_WORKDIR" || exit
			eval "$1"
			pwd
			exec >&-
			kill -KILL $PPID
			sleep 100' dead "$1" 3>&-) || status=$?
	} 2>/dev/null
	[ "$status" -eq 137 ] && [ -d "$dead" ]
}

# hold_work [COMMAND ...]: a run, started by that command, in the background
# when this returns; its directory is in $held, its pid in $pid.  It ends when
# release_work gives it a line.
hold_work() {
	mkfifo "$base/in" "$base/out"
	"$@" srt-work -b "$B" -f in=src -- \
		sh -c 'echo "$SRT_WORKDIR"; read -r line' \
		<"$base/in" >"$base/out" 3>&- &
	pid=$!
	exec {hold_in}>"$base/in" {hold_out}<"$base/out"
	read -r held <&"$hold_out"
}

release_work() {
	echo >&"$hold_in"
	exec {hold_in}>&- {hold_out}<&-
	wait "$pid"
}

# refused_work PATTERN OPTION ...: status 125, one line on standard error that
# matches, and nothing left.
refused_work() {
	local pattern=$1
	shift
	run -125 --separate-stderr srt-work -b "$B" "$@" -- touch "$W/ran"
	[ -z "$output" ]
	# shellcheck disable=SC2053 # a pattern
	[[ $stderr == $pattern ]] || { echo "said: $stderr"; return 1; }
	[ "${#stderr_lines[@]}" -eq 1 ]
	[ ! -e "$W/ran" ]
	no_work_left
}

# ctrl_z COMMAND ...: in a shell on a terminal, started in front of a command:
# Ctrl-Z stops it, fg goes on, Ctrl-C ends it with 130.
ctrl_z() {
	RUN=$* "$(tool pty)" env PS1= HISTFILE= TERM=dumb INPUTRC=/dev/null \
		bash --norc --noediting -i <<'SCRIPT'
line $RUN sh -c 'echo ready; read -r x; echo got-$x; read -r x'
want ready
type \032
want Stopped
idle
line fg
busy
until ps -o stat= --ppid "$LEADER" | grep -q S
line line
want got-line
type \003
idle
line echo st=$?
want st=130
line exit
ends 0
gone
SCRIPT
}
