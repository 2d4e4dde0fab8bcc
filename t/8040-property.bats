#!/usr/bin/env bats
# The planner's rules as a property of random trees and profiles: the same plan
# for the lines in any order and spelling, and inside, really tried, what a
# model of the rules says.  t/property/property.c says more.
#
# PROPERTY_COUNT=n	that many trees a test, by default 40
# PROPERTY_SEED=n	the first of them, by default 1
# shellcheck disable=SC2154 # what the helper sets
load lib/helper

setup_file() {
	bin=$(mktemp -d "$BATS_TEST_DIRNAME/../.cache/bin.XXXXXX")
	export bin
	cc -O1 -D_GNU_SOURCE -o "$bin/property" \
		"$BATS_TEST_DIRNAME/property/property.c"
}

teardown_file() { rm -rf "$bin"; }

# property DIR: prints what was wrong, tree, profile and seed, if anything was.
property() {
	"$bin/property" "$1" "${PROPERTY_SEED:-1}" "${PROPERTY_COUNT:-40}"
	nothing_left
}

@test "property: what can be done inside is what the rules say" {
	property "$W"
}

@test "property: the same in /var/tmp, often a private one" {
	dir=$(mktemp -d /var/tmp/srt-test.XXXXXX)
	property "$dir"
	rm -rf "$dir"
}

# The test of the test: a run that ignores something is found out.
@test "property: a run that leaves out rules of one kind is found out" {
	mkdir "$base/cmd"
	cp "$top"/cmd/* "$base/cmd"
	mv "$base/cmd/srt-run" "$base/cmd/srt-run.real"
	for broken in 's/^deny-write /#/' 's/^deny-read /#/' \
		's/^allow-write /#/' 's/^allow-read /#/'; do
		cat >"$base/cmd/srt-run" <<-RUN
			#!/bin/sh
			sed '$broken' "\$3" >"$base/profile.broken"
			shift 3
			exec "$base/cmd/srt-run.real" -q \\
				-p "$base/profile.broken" "\$@"
		RUN
		chmod +x "$base/cmd/srt-run"
		PATH=$base/cmd:$PATH run -1 "$bin/property" "$W" 1 60
		[[ $output == *seed* ]]
		rm -rf "$W"
		mkdir "$W"
	done
}
