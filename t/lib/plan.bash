# shellcheck shell=bash
# For the tests of plans: golden plans of made-up trees, and verdicts.
# shellcheck disable=SC2154 # what the helper sets

# named: standard input with what varies put into words: the directories of the
# test, the user, devices and inodes.
named() {
	sed -E -e "s|$W|@W@|g; s|$HOME|@HOME@|g; s|$base|@BASE@|g" \
		-e "s|-$(id -u)\$|-@UID@|; s|/$(id -u)(/\|\$)|/@UID@\\1|" \
		-e 's/^own ([a-z]+) [0-9]+ [0-9]+ /own \1 DEV INO /' \
		-e 's/^(rely|keep) ([a-z]+) ([0-7]+) [0-9. -]+ /\1 \2 \3 ID /'
}

# ours [REGEX]: the lines about the test's own directories, the root, and what
# matches.  The rest depends on the machine.
ours() {
	grep -E "@(W|HOME|BASE)@| /\$${1:+|$1}" || :
}

# part NAME: the lines of a fixture below "NAME:".
part() {
	awk -v want="$1:" '
		/^[a-z]+:$/ { on = $0 == want; next }
		on' "$fixture"
}

# golden NAME: makes the tree of t/fixture/plan/NAME and compares the plan for
# its profile with the one wanted.  Reversed, said twice, and through the text
# of a profile file it must be the same plan.
golden() {
	local fixture=$top/t/fixture/plan/$1 also
	(umask 022 && part tree | sh -eu) || { echo "tree of $1"; return 1; }
	part profile | sed "s|@W@|$W|g; s|@HOME@|$HOME|g; s|@BASE@|$base|g" \
		>"$base/profile"
	also=$(part also)
	srt-plan -q "$base/profile" >"$base/plan" || return
	part plan >"$base/want"
	named <"$base/plan" | ours "$also" >"$base/got"
	diff -u "$base/want" "$base/got" || return
	same_plan
}

# same_plan: $base/profile in other orders gives $base/plan as well.
same_plan() {
	local p=$base/profile
	diff -u "$base/plan" <(tac "$p" | srt-plan -q) || return
	diff -u "$base/plan" <(sort "$p" | srt-plan -q) || return
	diff -u "$base/plan" <(srt-plan -q -p "$p" "$p") || return
	diff -u "$base/plan" <(sed 's/ /\t  /; s/$/ \n\n#/' "$p" | srt-plan -q)
}

# verdict PATH: of --why for $base/profile: "rw", "r-", "-w" or "--".
verdict() {
	srt-plan -p "$base/profile" --why "$1" >"$base/why" || return
	awk '
		/^write allowed:/ { w = "w" }
		/^write denied:/ { w = "-" }
		/^read allowed:/ { r = "r" }
		/^read denied:/ { r = "-" }
		END { print r w }' "$base/why"
}
