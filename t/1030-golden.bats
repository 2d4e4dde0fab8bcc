#!/usr/bin/env bats
# Golden plans: what the planner makes of a made-up tree and a profile, line by
# line, and the same for the lines in other orders (cases 2 to 12, 15 to 27).
# Each fixture says what it is about.
# shellcheck disable=SC2154 # what the helper sets
load lib/helper
load lib/plan

@test "golden: an empty profile makes the root read-only and no more" {
	golden nothing
}

# What is absent and what is there.

@test "golden: an absent denied path gets a placeholder and no mount" {
	golden absent
}

@test "golden: missing directories above it are made and pinned" {
	golden absent-deep
}

@test "golden: missing directories above several are made once" {
	golden absent-many
}

@test "golden: what is there is bound read-only" {
	golden there
}

@test "golden: fifos are masked, links bound like files" {
	golden kinds
}

@test "golden: a deny outside every write root needs nothing" {
	golden outside
}

@test "golden: a deny below a file pins the file" {
	golden below-a-file
}

@test "golden: every byte of a name survives" {
	golden bytes
}

@test "golden: in a git directory files and directories stand in" {
	golden git
}

# Names for one thing, and things with names alike.

@test "golden: one file by many names is one mount" {
	golden spellings
}

@test "golden: one write root by many names is one mount" {
	golden roots
}

@test "golden: containment is by component" {
	golden siblings
}

# Write roots.

@test "golden: all writable" {
	golden root-writable
}

@test "golden: all writable and all denied is all read-only" {
	golden root-denied
}

@test "golden: nothing readable but a write root" {
	golden root-hidden
}

@test "golden: a deny at or above a write root leaves nothing writable" {
	golden at-the-root
}

@test "golden: a deny below a deny needs nothing of its own" {
	golden nested-denies
}

@test "golden: write roots in write roots are one mount" {
	golden nested-roots
}

@test "golden: no allow-write reaches below a deny-write" {
	golden roots-under-deny
}

@test "golden: a write root that is a file" {
	golden file-root
}

# Reading.

@test "golden: read-denied directories are hidden, files masked" {
	golden hide
}

@test "golden: the same where nothing is writable" {
	golden hide-in-read-only
}

@test "golden: a project in a hidden home" {
	golden home
}

@test "golden: allow in deny in allow in deny" {
	golden onion
}

@test "golden: what is shown again outside a write root is read-only" {
	golden onion-read-only
}

@test "golden: of allow and deny at one path the allow wins for reading" {
	golden same-path
}

@test "golden: a denied file is lifted by its own name alone" {
	golden named-file
}

@test "golden: single files of a hidden directory" {
	golden file-in-hidden
}

# Links.

@test "golden: a deny through linked directories is one of the real path" {
	golden linked-dir
}

@test "golden: a write root through a link is one of the real path" {
	golden linked-root
}

@test "golden: a denied link and each it leads through are covered" {
	golden link-to-file
}

@test "golden: a dangling link is covered and its target made" {
	golden dangling
}

@test "golden: links that lead nowhere are covered" {
	golden loop
}

@test "golden: links out of the write root and into it" {
	golden link-out
}

@test "golden: what was allowed through a hidden link is there by that name" {
	golden link-hidden
}

# /tmp.

@test "golden: grants in a private /tmp are shown on top" {
	golden private-tmp
}

@test "golden: grants above a private /tmp do not reach into it" {
	golden private-tmp-root
}

@test "golden: denies in a private /tmp" {
	golden private-tmp-denied
}

@test "golden: in a writable /tmp the places are hidden" {
	golden host-tmp
}

@test "golden: every fixture has its test" {
	cd "$top/t/fixture/plan"
	diff -u <(printf '%s\n' * | sort) \
		<(sed -n 's/^\tgolden //p' "$BATS_TEST_FILENAME" | sort)
}
