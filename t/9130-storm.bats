#!/usr/bin/env bats
# Many at once, at random: t/stress.
#
# SRT_NPM=file	the srt of the npm package that storm is to be tried on, too
# shellcheck disable=SC2154 # the helper's
load lib/helper

@test "storm: no file of the user's is lost or changed, nothing is left" {
	"$top/t/stress/edits" -s 8
}

@test "storm: beside commands that attack, nothing is left" {
	"$top/t/stress/edits" -a -s 8
}

@test "storm: twelve processes, 75 runs each: nothing refused, landed or left (case 47)" {
	"$top/t/stress/storm"
}

@test "storm: with processes killed and stopped, only runs that were hit fail" {
	"$top/t/stress/storm" -c -m 20
}

@test "storm: plain bubblewrap with a naive clean-up does not stand it" {
	run -1 "$top/t/stress/storm" -n 6 -m 10 "$top/t/stress/naive"
	[[ $output != *", 0 landed, "* ]]
}

@test "storm: nor does the npm package, where it is installed" {
	[ "${SRT_NPM:-}" ] || skip "SRT_NPM is not set"
	run -1 "$top/t/stress/storm" -n 6 -m 5 "$top/t/stress/npm"
	[[ $output != *", 0 landed, "* ]]
}
