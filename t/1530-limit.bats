#!/usr/bin/env bats
# The time limit, srt -t.
# shellcheck disable=SC2016,SC2154 # inner shells; what the helper sets
load lib/helper

@test "limit: a command in time keeps its status" {
	run -0 srt -t 100 -- true
	run -5 srt -t 100 -d .env -- sh -c 'exit 5'
	run -143 srt -t 100 -- sh -c 'kill -TERM $$'
	nothing_left
}

@test "limit: a command over it gets TERM, and the status is 124" {
	run -124 --separate-stderr srt -t 1 -d .env -- sh -c \
		'trap "echo end; exit 3" TERM; while :; do sleep 0.02; done'
	[ "$output" = end ]
	nothing_left
	run -124 srt -t 1 -- sleep 1000
}

@test "limit: one that ignores TERM is killed five seconds later" {
	before=$(date +%s)
	run -124 srt -t 1 -d .env -- sh -c \
		'trap "" TERM; while :; do sleep 0.1; done'
	after=$(date +%s)
	[ $((after - before)) -ge 5 ]
	[ $((after - before)) -le 9 ]
	nothing_left
}

@test "limit: a stopped command is ended, too" {
	run -124 srt -t 1 -d .env -- sh -c 'kill -STOP $$'
	nothing_left
}

@test "limit: a large one is no trouble" {
	run -0 srt -t 31536000 -- true
	run -125 srt -t 31536001 -- true
}

@test "limit: what the command started ends with it" {
	run -124 srt -t 1 -- sh -c 'trap "" TERM
		(while :; do date +%N >alive; sleep 0.01; done) & exec sleep 1000'
	was=$(cat alive)
	sleep 0.1
	[ "$(cat alive)" = "$was" ]
}
