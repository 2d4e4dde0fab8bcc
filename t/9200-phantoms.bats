#!/usr/bin/env bats
# What commands that list, copy or commit a tree make of placeholders is what
# t/phantoms.md says, which t/phantoms makes.
# shellcheck disable=SC2154 # what the helper sets
load lib/helper

setup_file() {
	local names=(socket 'file in the home' 'file in a git directory'
		'directory in a git directory' directory 'directories above'
		'file for want of sockets')
	! is_root || names+=('socket, no types' 'directories above, no types')
	"$top/t/phantoms" "${names[@]}" >"$BATS_FILE_TMPDIR/table" \
		2>"$BATS_FILE_TMPDIR/notes" 3>&- || :
	sed 's/^/# /' "$BATS_FILE_TMPDIR/notes" >&3
}

setup() {
	got=$BATS_FILE_TMPDIR/table notes=$BATS_FILE_TMPDIR/notes
	cd "$BATS_TEST_TMPDIR" || return
}
teardown() { :; }

# of_section NAME: its rows, from a table on standard input.
of_section() {
	awk -v name="## $1" '/^## / { on = $0 == name } on && /^\|/'
}

# needs_section NAME: skips where it cannot be.
needs_section() {
	! grep -qxF "phantoms: left out: $1" "$notes" ||
		skip "no such file system to be had"
}

# as_said NAME: the section is as in the table, but for commands that are not
# here.
as_said() {
	local row
	needs_section "$1"
	of_section "$1" <"$top/t/phantoms.md" >want
	while read -r row; do
		row=${row#phantoms: left out: }
		grep -v "^| ${row}[ ,]" want >want.less || :
		mv want.less want
	done < <(grep '^phantoms: left out: ' "$notes")
	of_section "$1" <"$got" | diff -u want - || { cat "$notes"; return 1; }
	[ -s want ]
}

# as_ever NAME: "git status" and "git add -A" are as with no sandbox.
as_ever() {
	needs_section "$1"
	printf '| %s | same | same |\n' 'git status' 'git add -A' >want
	of_section "$1" <"$got" | grep -E '^\| git (status|add -A) ' |
		diff -u want -
}

@test "phantoms: a socket is as the table says" {
	as_said socket
}

@test "phantoms: a file in the home is as the table says" {
	as_said 'file in the home'
}

@test "phantoms: a file in a git directory is as the table says" {
	as_said 'file in a git directory'
}

@test "phantoms: a directory in a git directory is as the table says" {
	as_said 'directory in a git directory'
}

@test "phantoms: a directory is as the table says" {
	as_said directory
}

@test "phantoms: directories made above a name are as the table says" {
	as_said 'directories above'
}

@test "phantoms: where sockets cannot be made it is as the table says" {
	as_said 'file for want of sockets'
}

@test "phantoms: a socket where directories have no types is as the table says" {
	as_root
	as_said 'socket, no types'
}

@test "phantoms: directories made where they have no types are as the table says" {
	as_root
	as_said 'directories above, no types'
}

# Not so in a home that is a repository: what is appended there to a name that
# is denied has to become the user's.
@test "phantoms: git status and git add -A are as with no sandbox" {
	as_ever socket
	as_ever 'file in a git directory'
	as_ever 'directory in a git directory'
	as_ever directory
	as_ever 'directories above'
}

@test "phantoms: git status and git add -A are so where directories have no types" {
	as_root
	as_ever 'socket, no types'
	as_ever 'directories above, no types'
}

# But not where sockets cannot be made: there a regular file has to do, and git
# lists it, as the table says.
