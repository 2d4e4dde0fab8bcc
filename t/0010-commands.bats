#!/usr/bin/env bats
# What all commands have in common: help, version, usage, standard output.
# shellcheck disable=SC2154 # what the helper and bats set
load lib/helper

# The status that a command has for being called wrongly.
wrong() {
	case $1 in
	srt | srt-init | srt-record | srt-run | srt-work) echo 125 ;;
	*) echo 64 ;;
	esac
}

commands='srt srt-claim srt-collect srt-doctor srt-init srt-lane srt-live
	srt-plan srt-record srt-run srt-seccomp srt-work'

@test "commands: -h and --help fit one screen, on stdout, and name the command" {
	for c in $commands; do
		for option in -h --help; do
			run -0 --separate-stderr "$c" "$option"
			[ -z "$stderr" ]
			[[ $output == "usage: $c"* ]]
			[ "${#lines[@]}" -le 30 ]
			for line in "${lines[@]}"; do
				[ "${#line}" -le 80 ]
			done
		done
	done
}

@test "commands: -V and --version print name and version, the same for all" {
	run -0 srt -V
	version=${output#srt }
	[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
	for c in $commands; do
		for option in -V --version; do
			run -0 --separate-stderr "$c" "$option"
			[ "$output" = "$c $version" ]
			[ -z "$stderr" ]
		done
	done
}

@test "commands: help and version win over nothing else being given" {
	for c in $commands; do
		run -0 "$c" -h </dev/null
		(cd / && HOME='' PATH='' "$top/cmd/$c" -V >/dev/null)
	done
}

@test "commands: an unknown option is named, with the usage status" {
	for c in $commands; do
		for option in -Q --no-such; do
			run -"$(wrong "$c")" --separate-stderr "$c" "$option" x
			[ -z "$output" ]
			[[ ${stderr_lines[0]} == "$c: "*"${option##*-}"* ]]
			[[ $stderr == *'usage: '* || $stderr == *'see srt -h'* ]]
		done
	done
}

@test "commands: an option without its argument has the usage status" {
	while read -r c option; do
		run -"$(wrong "$c")" --separate-stderr "$c" "$option"
		[ -z "$output" ]
		[[ ${stderr_lines[0]} == "$c: "*"${option##*-}"* ]]
	done <<-'EOF'
	srt -w
	srt -d
	srt -R
	srt -r
	srt -p
	srt -C
	srt -c
	srt -t
	srt --bwrap
	srt --why
	srt-doctor --bwrap
	srt-lane -C
	srt-plan -e
	srt-plan -p
	srt-plan --why
	srt-run -e
	srt-run -p
	srt-run -t
	srt-run --bwrap
	srt-record -p
	srt-record --bwrap
	srt-init -g
	srt-seccomp -a
	srt-seccomp -e
	srt-seccomp -p
	EOF
}

@test "commands: an operand where none is taken, or none where one is" {
	for c in srt-claim srt-collect srt-doctor srt-live srt-seccomp; do
		run -64 --separate-stderr "$c" operand
		[[ $stderr == *"usage: $c"* ]]
		run -64 "$c" -- -0
		run -64 "$c" ''
	done
	for c in srt srt-init srt-run; do
		run -125 --separate-stderr "$c"
		[ -z "$output" ]
		[ -n "$stderr" ]
		run -125 "$c" --
	done
	srt-plan </dev/null >plan
	run -125 srt-record -p plan
	run -125 srt-record -p plan --
}

@test "commands: output that cannot be written is a failure, said in one line" {
	for c in $commands; do
		status=1
		[ "$(wrong "$c")" = 64 ] || status=125
		for option in -h -V; do
			run -$status bash -c '"$@" 2>&1 >/dev/full' - "$c" "$option"
			[ "${#lines[@]}" -eq 1 ]
			[[ $output == "$c: standard output: "* ]]
		done
	done
	for c in "srt-claim -V" "srt-collect -V" "srt-live -V" srt-doctor \
		srt-plan; do
		run -1 bash -c "$c </dev/null 2>&1 >&-"
		[ "${#lines[@]}" -eq 1 ]
	done
	for c in 'srt-plan -e network\ host' 'srt-plan --why /' \
		'srt --dry-run' 'srt --why /'; do
		run -1 bash -c "$c 2>&1 >/dev/full"
		[[ $output == 'srt-plan: standard output: '* ]]
		[ "${#lines[@]}" -eq 1 ]
	done
}

@test "commands: lists that cannot be written are a failure" {
	hold -d .env
	for option in '' -0; do
		run -1 bash -c "srt-live $option 2>&1 >/dev/full"
		[[ $output == 'srt-live: standard output: '* ]]
	done
	release
	srt-plan -e 'allow-write .' -e 'deny-write .env' >plan
	srt-record -p plan -- true
	run -1 bash -c 'srt-claim 2>&1 >/dev/full'
	[[ $output == 'srt-claim: standard output: '* ]]
	run -1 bash -c 'srt-collect </dev/null 2>&1 >/dev/full'
	[[ $output == 'srt-collect: standard output: '* ]]
	# what was to be done is done all the same
	nothing_left
}

@test "commands: a reader that goes away ends none of the work" {
	srt-plan -e 'allow-write .' -e 'deny-write a' -e 'deny-write b' >plan
	srt-record -p plan -- true
	srt-claim | true
	srt-collect </dev/null | true
	srt --sweep
	nothing_left
}

@test "commands: with nothing to do they are silent and succeed" {
	for c in srt-claim srt-collect srt-live 'srt --sweep'; do
		# shellcheck disable=SC2086 # two words
		run -0 --separate-stderr $c </dev/null
		[ -z "$output$stderr" ]
	done
	run -0 --separate-stderr bash -c 'srt-claim -0 | srt-collect -0'
	[ -z "$output$stderr" ]
}

@test "commands: through a link, from another directory, by a relative path" {
	mkdir bin
	ln -s "$top/cmd/srt" bin/srt
	ln -s w/bin/srt "$base/link"
	run -0 bin/srt -- echo ok
	[ "$output" = ok ]
	run -0 "$base/link" -- echo ok
	[ "$output" = ok ]
	PATH=bin:/usr/bin:/bin run -0 srt -- echo ok
	[ "$output" = ok ]
	for c in $commands; do
		[ "$c" = srt ] || ln -s "$top/cmd/$c" "bin/$c"
	done
	run -0 bin/srt-run -W -- echo ok
	[ "$output" = ok ]
	cd "$top/cmd"
	PATH=/usr/bin:/bin run -0 ./srt -C "$W" -- pwd
	[ "$output" = "$W" ]
	run -0 sh srt -C "$W" -- pwd
	[ "$output" = "$W" ]
	cd "$top"
	PATH=./cmd:$PATH run -0 srt -C "$W" -- pwd
	[ "$output" = "$W" ]
}

@test "commands: a copy without its companions says what is missing" {
	mkdir bin
	cp "$top/cmd/srt" "$top/cmd/srt-run" bin
	run -125 --separate-stderr bin/srt-run -W -- true
	[[ $stderr == *"$W/bin/srt-init: "* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
	rm bin/srt-run
	run -125 --separate-stderr bin/srt -- true
	[[ $stderr == "srt: "*"srt-run"* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
}
