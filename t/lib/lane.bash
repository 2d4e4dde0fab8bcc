# shellcheck shell=bash
# For the tests of lanes: repositories with linked worktrees.
# shellcheck disable=SC2034,SC2154 # what tests use, what the helper sets

# repository DIR [NAME ...]: two commits on main, which is checked out in DIR;
# for each name a worktree DIR/.worktrees/NAME on a branch of that name.
repository() {
	local name
	repo=$1 common=$1/.git
	shift
	git init -q -b main "$repo"
	echo one >"$repo/f"
	git -C "$repo" add f
	git -C "$repo" commit -q -m one
	echo two >"$repo/f"
	git -C "$repo" commit -q -am two
	for name; do
		git -C "$repo" worktree add -q ".worktrees/$name" -b "$name"
	done
}

# refused WORDS [ARGUMENT ...]: srt-lane says no in one line with those words,
# and prints nothing.
refused() {
	local words=$1
	shift
	run -1 --separate-stderr srt-lane "$@"
	[ -z "$output" ] || { echo "printed: $output"; return 1; }
	[ "${#stderr_lines[@]}" -eq 1 ] || { echo "said: $stderr"; return 1; }
	[[ $stderr == "srt-lane: "*"$words"* ]] ||
		{ echo "said: $stderr, not: $words"; return 1; }
}
