#!/usr/bin/env bats
# Arguments and environment reach the command as they were given.
# shellcheck disable=SC1003,SC2016,SC2046,SC2088,SC2154 # inner shells; what the helper sets
load lib/helper

@test "arguments: empty ones, newlines, dashes and any byte" {
	args=('' ' ' $'a\nb' $'\n' -- -x --dry-run '$(id)' '`id`' "'" '"' '\' '*'
		$'\xff\xfe' $'\033[31m' '' -w 'a  b' '~' '#' ';' '&&' $'\t' '')
	printf '<%s>' "${args[@]}" >want
	srt -d .env -- printf '<%s>' "${args[@]}" | cmp - want
	srt-run -W -- printf '<%s>' "${args[@]}" | cmp - want
	srt -c 'printf "<%s>" "$@"' "${args[@]}" | cmp - want
	srt-plan -e 'allow-write .' >"$base/plan"
	srt-record -p "$base/plan" -- printf '<%s>' "${args[@]}" | cmp - want
	srt-init -- printf '<%s>' "${args[@]}" | cmp - want
}

@test "arguments: every byte there is" {
	for ((i = 1; i < 256; i++)); do
		printf '%b' "\\x$(printf %02x "$i")x"
	done >want
	srt -- printf %s "$(cat want)" | cmp - want
}

@test "arguments: a command whose name is odd" {
	mkdir bin
	for name in 'a b' $'a\nb' '$(id)' -x '=' $'\xff'; do
		printf '#!/bin/sh\necho "ran $1"\n' >"bin/$name"
		chmod +x "bin/$name"
		PATH=$W/bin:$PATH run -0 srt -- "$name" it
		[ "$output" = 'ran it' ]
		run -0 srt -- "bin/$name" it
		[ "$output" = 'ran it' ]
	done
}

@test "arguments: a hundred thousand of them" {
	run -0 srt -d .env -- sh -c 'echo $#' sh $(seq 1 100000)
	[ "$output" = 100000 ]
	run -0 srt -c 'echo $#' $(seq 1 100000)
	[ "$output" = 100000 ]
	srt-plan -e 'allow-write .' >"$base/plan"
	run -0 srt-record -p "$base/plan" -- sh -c 'echo $#' sh $(seq 1 100000)
	[ "$output" = 100000 ]
	srt --sweep
	nothing_left
}

@test "arguments: one as long as the kernel takes" {
	long=$(head -c 131071 /dev/zero | tr '\0' x)
	run -0 srt -- sh -c 'echo ${#1}' sh "$long"
	[ "$output" = 131071 ]
}

@test "arguments: as many bytes as the kernel takes, or one line and 125" {
	# from what surely works to what does not even reach srt
	seen=
	for ((kib = 1850; kib <= 2060; kib += 15)); do
		mapfile -t many < <(yes "$(printf '%01000d' 0)" |
			head -n $((kib * 1024 / 1009)))
		status=0
		out=$(srt -d .env -- sh -c 'echo $#' sh "${many[@]}" 2>"$base/err") ||
			status=$?
		case $status in
		0) [ "$out" = "${#many[@]}" ] ;;
		125) [ "$(wc -l <"$base/err")" -eq 1 ] ;;
		126) # by our own shell, which cannot execute srt
			[[ $(cat "$base/err") == *"line "*"/srt: "* ]]
			break ;;
		*) echo "$kib: $status"; cat "$base/err"; false ;;
		esac
		seen+=" $status"
		nothing_left
	done
	[[ $seen == ' 0'* ]]
}

@test "environment: it passes as it is, but for PWD and TMPDIR" {
	odd=(A= 'B=a b' $'C=x\ny' $'D=\xff\xfe' 'E=$(id)' LD_BIND_NOW=1
		lower=1 "BASH_ENV=$base/none" ENV=x CDPATH=/ LANG=xx_YY.nope
		PS4=+)
	env -i PATH="$PATH" HOME="$HOME" "${odd[@]}" /usr/bin/env -0 |
		grep -zv '^_=' | sort -z >want
	env -i PATH="$PATH" HOME="$HOME" "${odd[@]}" "$top/cmd/srt" -d .env -- \
		/usr/bin/env -0 |
		grep -zvE '^(PWD|OLDPWD|TMPDIR|_)=' | sort -z >got
	diff -u want got
	# a shell drops names that are none for it; srt-run is no shell
	odd+=('f()=x' '-x=y' '1digit=x' IFS=: 'BASH_FUNC_f%%=() { :; }')
	env -i PATH="$PATH" HOME="$HOME" "${odd[@]}" /usr/bin/env -0 |
		grep -zv '^_=' | sort -z >want
	env -i PATH="$PATH" HOME="$HOME" "${odd[@]}" "$top/cmd/srt-run" -W -- \
		/usr/bin/env -0 |
		grep -zvE '^(PWD|OLDPWD|TMPDIR|_)=' | sort -z >got
	diff -u want got
}

@test "environment: a large one passes, too" {
	big=$(head -c 100000 /dev/zero | tr '\0' x)
	run -0 env A="$big" B="$big" C="$big" srt -- sh -c 'echo "${#A} ${#C}"'
	[ "$output" = '100000 100000' ]
}

@test "environment: setenv and unsetenv of a profile, any byte in a value" {
	printf 'setenv A a\\040b\\012c\\377\nsetenv EMPTY\nunsetenv GONE\n' \
		>"$base/profile"
	printf '%s\0' A=$'a b\nc\xff' EMPTY= >want
	GONE=x srt -p "$base/profile" -- /usr/bin/env -0 |
		grep -zE '^(A|EMPTY|GONE)=' | sort -z | cmp - want
}

@test "environment: TMPDIR is a directory that can be written, or is not set" {
	mkdir tmp "$base/outside"
	for dir in "$W/tmp" "$base/outside" rel . /no/such /etc/passwd /etc '' \
		/tmp /tmp/sub "/a b" '$(id)'; do
		for option in -v --host-tmp; do
			run -0 env TMPDIR="$dir" srt $option -d .env -- sh -c '
				[ -z "${TMPDIR+x}" ] || {
					: >"$TMPDIR/probe" && rm "$TMPDIR/probe" &&
					true; }'
		done
	done
	run -0 env TMPDIR="$W/tmp" srt --host-tmp -- sh -c 'echo "$TMPDIR"'
	[ "$output" = "$W/tmp" ]
	run -0 env -u TMPDIR srt -- sh -c ': >"${TMPDIR-/tmp}/x"'
}

@test "environment: HOME not set, empty, relative, not there" {
	for home in -u=HOME HOME= HOME=relative HOME=/no/such HOME=/etc/passwd; do
		run -0 env "${home/-u=/--unset=}" srt -d "~/.x" -d .env -- echo ok
		[ "$output" = ok ]
		run -0 env "${home/-u=/--unset=}" srt --sweep
		run -0 env "${home/-u=/--unset=}" srt-live
	done
	nothing_left
}

@test "environment: PATH empty or not set" {
	for path in --unset=PATH PATH= PATH=: PATH=/no/such:; do
		[ "$path" != PATH=/no/such: ] || set -- --bwrap /usr/bin/bwrap
		case $path in
		PATH=:) set -- --bwrap /usr/bin/bwrap ;;
		esac
		run -0 env "$path" "$top/cmd/srt" "$@" -d .env -- /bin/echo ok
		[ "$output" = ok ]
		run -0 env "$path" "$top/cmd/srt" "$@" -d .env -c '/bin/echo ok'
		[ "$output" = ok ]
		run -0 env "$path" "$top/cmd/srt" --sweep
	done
	nothing_left
}

@test "environment: a working directory that was removed" {
	mkdir "$base/gone"
	cd "$base/gone"
	rmdir "$base/gone"
	run -125 --separate-stderr srt -- true
	[[ $stderr == *': .: '*'No such file or directory' ]]
	run -125 srt -d x -- true
	run -65 srt-plan -e 'allow-write .'
	run -0 srt-live
	run -0 srt-claim
	run -0 srt --sweep
	run -0 srt -C "$W" -- sh -c 'echo x >here'
	[ -e "$W/here" ]
	run -0 srt -w "$W" -d "$W/.env" -- true
	cd "$W"
	nothing_left
}

@test "environment: the command starts where srt was started, or in -C" {
	mkdir 'a b' link-to
	ln -s 'a b' link
	cd 'a b'
	run -0 srt -- pwd -P
	[ "$output" = "$W/a b" ]
	cd "$W"
	run -0 srt -C 'a b' -- pwd -P
	[ "$output" = "$W/a b" ]
	run -0 srt -C link -- pwd -P
	[ "$output" = "$W/a b" ]
	run -0 srt -w .. -C 'a b' -- sh -c ': >../x'
	[ -e x ]
	printf 'chdir %s\n' '/usr' >"$base/profile"
	run -0 srt -p "$base/profile" -- pwd
	[ "$output" = /usr ]
	printf 'chdir /no/such\n' >"$base/profile"
	run -125 --separate-stderr srt -p "$base/profile" -- pwd
	[[ $stderr == *'/no/such'* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
}

@test "environment: a umask passes, and ours does not change it" {
	for mask in 0000 0022 0077 0277 0777; do
		run -0 sh -c "umask $mask; exec srt -d .env -d a/b -- sh -c umask"
		[ "$output" = "$mask" ]
		nothing_left
		[ -z "$(ls -A)" ]
	done
}

@test "environment: limits and priority pass" {
	ulimit -c 0
	run -0 srt -- sh -c 'ulimit -c'
	[ "$output" = 0 ]
	run -0 nice -n 7 srt -- nice
	[ "$output" = 7 ]
	run -0 bash -c 'ulimit -n 300; srt -- sh -c "ulimit -n"'
	[ "$output" = 300 ]
}
