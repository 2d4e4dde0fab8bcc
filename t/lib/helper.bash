# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034 # shell for inside; for the tests to use
# Loaded by every test file.  Puts cmd/ first in PATH, fixes locale and zone,
# and gives each test an empty work directory $W on a real disk.

bats_require_minimum_version 1.5.0

top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
export PATH=$top/cmd:$PATH LC_ALL=C TZ=UTC
unset SRT_PLACE XDG_RUNTIME_DIR TMPDIR
export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org

[ "${SRT_TEST_PRIVATE:-}" ] || {
	echo "run tests with t/run, or t/private bats ${BASH_SOURCE[1]##*/}" >&2
	exit 1
}

# The first place of this user, where manifests lie.
place=/var/tmp/srt-mount-points-$(id -u)

# setup_w: W, an empty directory on the disk that the tree is on, or in $disk,
# and HOME, another.  /tmp will not do: the sandbox has one of its own.
setup_w() {
	base=$(mktemp -d "${disk:-$top/.cache}/w.XXXXXX")
	W=$base/w HOME=$base/home
	mkdir "$W" "$HOME"
	export W HOME
	cd "$W" || return
}

teardown_w() {
	cd /
	chmod -R u+rwx "$base" 2>/dev/null || :
	rm -rf "$base"
}

setup() { setup_w; }
teardown() { teardown_w; }

is_root() { [ "$(id -u)" -eq 0 ]; }

# as_root: for the tests of root's suite.
as_root() { is_root || skip "for root's suite"; }

# stub NAME: a program in front of PATH that lists its arguments, one a line.
stub() {
	mkdir -p "$base/stub"
	printf '#!/bin/sh\nprintf "%%s\\n" "$@"\n' >"$base/stub/$1"
	chmod +x "$base/stub/$1"
	PATH=$base/stub:$PATH
}

# denied PATH: a line of shell that, inside, tries everything that could write
# PATH, replace or remove it, and prints "landed HOW" for what succeeded.
denied() {
	printf 'P=%q\n' "$1"
	cat <<'TRY'
try() { how=$1; shift; "$@" 2>/dev/null && echo "landed $how"; }
w() { echo x >"$P"; }
a() { echo x >>"$P"; }
try write w
try append a
if [ -e "$P" ] || [ -L "$P" ]; then try remove rm -f "$P"; fi
try rmdir rmdir "$P"
t=${P%/*}/.try.$$
if echo x >"$t" 2>/dev/null; then
	try rename mv -fT "$t" "$P"
	try link ln -fT "$t" "$P"
	rm -f "$t"
fi
try symlink ln -sfnT /etc/passwd "$P"
try mkdir mkdir "$P"
try mknod mknod "$P" p
try move mv -T "$P" "$P.moved"
try chmod chmod 777 "$P"
try truncate truncate -s 0 "$P"
:
TRY
}

# look PATH: what stands there, inode and content, or "absent".
look() {
	if [ -L "$1" ] || [ -e "$1" ]; then
		stat -c '%F %i %s %h' "$1"
		if [ -f "$1" ]; then cat "$1"; fi
	else
		echo absent
	fi
}

# deny_holds PATH [srt option ...]: runs srt with those options and "denied",
# and compares what stands at PATH outside before and after.
deny_holds() {
	local path=$1 before after out
	shift
	before=$(look "$path")
	out=$(srt "$@" -- sh -c "$(denied "$path")") || {
		echo "srt: status $?"; return 1; }
	after=$(look "$path")
	[ -z "$out" ] || { echo "inside: $out"; return 1; }
	[ "$before" = "$after" ] ||
		{ printf 'before: %s\nafter: %s\n' "$before" "$after"; return 1; }
}

# nothing_left: no manifest, claim or lock of a sandbox in any place, and no
# placeholder or leftover in W.
nothing_left() {
	local left
	left=$(find /var/tmp/srt-mount-points-* /tmp/srt-mount-points-* \
		/run/user/*/srt-mount-points ${SRT_PLACE:+"$SRT_PLACE"} \
		-mindepth 1 ! -name lock 2>/dev/null || :)
	left+=$(find "$W" "$HOME" \( -type s -o -name '.srt-*' \) 2>/dev/null)
	[ -z "$left" ] || { echo "left: $left"; return 1; }
}

# wait_for COMMAND ...: until it succeeds; a test's own time limit ends it.
# Only for events that nothing can be blocked on.
wait_for() {
	until "$@" >/dev/null 2>&1; do sleep 0.02; done
}

# hold [srt option ...]: a run in the background whose command has started when
# hold returns.  It goes on until release, which gives its status; $pid is the
# supervisor.  The command reads lines to run from its standard input: tell.
hold() {
	local n=$((holds = ${holds:-0} + 1))
	mkfifo "$base/in.$n" "$base/out.$n"
	srt "$@" -- sh -c 'echo ready; while read -r line; do eval "$line"; done' \
		<"$base/in.$n" >"$base/out.$n" 3>&- &
	pid=$!
	exec {hold_in}>"$base/in.$n" {hold_out}<"$base/out.$n"
	read -r line <&"$hold_out" && [ "$line" = ready ]
}

# tell LINE: the held command runs LINE and its answer, one line, is printed.
tell() {
	printf '%s\n' "x=\$({ $1; } 2>&1 | tail -n 1); printf '%s\\n' \"\$x\"" \
		>&"$hold_in"
	read -r line <&"$hold_out"
	printf '%s\n' "$line"
}

# not_removed NAME: the held command cannot remove it.
not_removed() {
	[ "$(tell "rm -f $1 2>/dev/null && echo landed || echo no")" = no ]
}

# release: end the held command and wait for the supervisor.
release() {
	exec {hold_in}>&- {hold_out}<&-
	wait "$pid"
}

# ended STATUS PID: waits for a job of this shell; was that its status?
ended() {
	local status=0
	wait "$2" || status=$?
	[ "$status" -eq "$1" ] || { echo "status $status, not $1"; return 1; }
}
