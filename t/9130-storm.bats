#!/usr/bin/env bats
# t/storm: edits at random, two sandboxes, a collector.
# shellcheck disable=SC2154 # the helper's
load lib/helper

@test "storm: no file of the user's is lost or changed, nothing is left" {
	"$top/t/storm" -s 8
}

@test "storm: beside commands that attack, nothing is left" {
	"$top/t/storm" -a -s 8
}
