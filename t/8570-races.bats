#!/usr/bin/env bats
# A hostile command renames and links at names that another run denies, while
# that starts.  The other may be refused, or ended, as long as that goes on;
# but what it denies is denied, and nothing else is harmed.
# shellcheck disable=SC2016,SC2034,SC2154 # inner shells; what the helpers set
load lib/helper
load lib/hostile
load lib/inside

# racing PATH ...: a run whose command races at those until raced.
racing() {
	race=$(inside_tool in-race)
	mkfifo "$base/race.in" "$base/race.out"
	srt -w . -- "$race" "$@" <"$base/race.in" >"$base/race.out" 3>&- &
	racer=$!
	exec {race_in}>"$base/race.in" {race_out}<"$base/race.out"
	read -r line <&"$race_out" && [ "$line" = ready ]
}
raced() {
	echo >&"$race_in"	# the other run has it open, too
	exec {race_in}>&- {race_out}<&-
	ended 0 "$racer"
	rm "$base/race.in" "$base/race.out"
}

# covered PATH: waits until there is a mount on it in the held run, now that
# nobody moves it any more.  1 where the run has been ended, 2 where it takes
# too long.
covered() {
	local said=no tries=0
	while [ "$said" = no ]; do
		((tries++ < 500)) || { echo "$1: not covered"; return 2; }
		said=$(tell "if grep -q ' $1 ' /proc/self/mountinfo; then \
			echo yes; else sleep 0.02; echo no; fi") || return 1
	done
	[ "$said" = yes ]
}

# against_race DENY ...: a run that denies those starts while another races at
# them; then it goes on alone, and tries to write.  Started or not, what it
# would write is nowhere.
against_race() {
	local path options=() status=0
	for path; do options+=(-d "$path"); done
	racing "$@"
	if ! hold -w . "${options[@]}" 2>"$base/err"; then
		raced
		wait "$pid" || status=$?
		[ "$status" -eq 125 ] || { echo "status $status"; return 1; }
		return
	fi
	raced
	for path; do
		covered "$path" || { [ $? -eq 1 ] && break; return 1; }
		said=$(tell "$bin/hostile $path | grep landed | tr '\\n' ';'")
		[[ $said != *landed* ]] || { echo "$path: $said"; return 1; }
		tell "echo denied >$path; echo denied >>$path" >/dev/null
	done
	release || status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 125 ] ||
		{ echo "status $status"; return 1; }
	! grep -rl denied "$W" 2>/dev/null || return
}

setup() {
	setup_w
	trap '' PIPE	# of runs that have been ended
}

# afresh: W with something in it that nobody races at.
afresh() {
	rm -rf "${W:?}"/*
	mkdir -p a/b
	echo kept | tee kept a/b/kept >"$HOME/kept"
}

# unharmed PATH ...: what nobody raced at is there, perhaps in a directory that
# the racer has moved, a later run starts, and its denies hold; the first one
# has been cleaned up after.
unharmed() {
	[ "$(cat "$HOME/kept")" = kept ]
	[ "$(find . -name kept -exec cat {} +)" = "kept
kept" ] || { find . ; return 1; }
	[ -z "$(find "$place" -name '*.manifest' -o -name '*.claimed')" ]
	for path; do
		rm -rf "$path"
		deny_holds "$path" -w . -d "$path" || return
		[ ! -e "$path" ] || return
	done
}

@test "races: at absent names, and the directories above them" {
	for ((i = 0; i < 4; i++)); do
		afresh
		against_race "$W/a/b/.env" "$W/a/key"
		unharmed "$W/a/b/.env" "$W/a/key"
	done
}

@test "races: at names that are there" {
	for ((i = 0; i < 4; i++)); do
		afresh
		echo there | tee there >a/b/there
		against_race "$W/a/b/there" "$W/there"
		unharmed "$W/a/b/there" "$W/there"
	done
}

@test "races: at names in directories that have to be made" {
	for ((i = 0; i < 4; i++)); do
		afresh
		against_race "$W/made/x/.env" "$W/made/y"
		unharmed "$W/made/x/.env" "$W/made/y"
	done
}
