#!/usr/bin/env bats
# Denied paths that do not exist (cases 1 to 3).
load lib/helper

@test "absent: the deny holds, a placeholder stands during the run only" {
	run -0 deny_holds "$W/.env" -w . -d .env
	hold -w . -d .env
	[ -S .env ]
	release
	[ ! -e .env ]
	nothing_left
}
