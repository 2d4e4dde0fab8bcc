#!/usr/bin/env bats
# srt-seccomp: the filter as a program and as text.
# shellcheck disable=SC2016,SC2154 # inner shells; what the helper and bats set
load lib/helper

@test "seccomp: by default it is the filter for this machine" {
	srt-seccomp >mine
	srt-seccomp -a "$(uname -m)" | cmp - mine
	[ -s mine ]
	[ $(($(stat -c %s mine) % 8)) -eq 0 ]
	[ "$(stat -c %s mine)" -le 1024 ]
}

@test "seccomp: a profile lifts what it allows, by option, file or pipe" {
	srt-seccomp -t >all
	for word in nested-userns unix-sockets; do
		srt-seccomp -t -e "$word deny" | cmp - all
		srt-seccomp -t -e "$word allow" >lifted
		echo "$word allow" >profile
		srt-seccomp -t -p profile | cmp - lifted
		srt-seccomp -t -p - <profile | cmp - lifted
		# lines go, but for the first, with the length, none comes
		diff <(tail -n +2 all) <(tail -n +2 lifted) >"diff.$word" || :
		run ! grep '^>' "diff.$word"
		[ "$(srt-seccomp -e "$word allow" | wc -c)" -lt \
			"$(srt-seccomp | wc -c)" ]
	done
	[ "$(grep -c mount diff.nested-userns)" -ge 6 ]
	[ "$(grep -cE ' socket(pair)? ' diff.unix-sockets)" -eq 3 ]
	# and what else a profile says makes no difference
	srt-seccomp -t -e 'allow-write .' -e 'deny-write a' -e 'network host' |
		cmp - all
}

# The numbers are ours, since no machine has headers for both architectures;
# but asm-generic/unistd.h has those of aarch64 everywhere.
@test "seccomp: every call has the number that the kernel's headers give it" {
	for arch in x86_64 aarch64; do
		header=asm-generic/unistd.h
		if [ "$arch" = x86_64 ]; then
			[ "$(uname -m)" = x86_64 ] || continue
			header=asm/unistd_64.h
		fi
		srt-seccomp -t -a "$arch" | awk '!/^#/ && $2 != "-" {
			print $2, $3 }' | sort -u >ours
		[ "$(wc -l <ours)" -ge 40 ]
		{
			echo "#include <$header>"
			awk '{ print "call", $1, "__NR_" $1 }' ours
		} | "${CC:-cc}" -E -P -D__ARCH_WANT_NEW_STAT -x c - |
			awk '$1 == "call" { print $2, $3 }' >headers
		# a call that is newer than the headers
		grep -v __NR_ headers >known
		[ "$(wc -l <known)" -ge 39 ]
		run ! grep -vxFf ours known
	done
}

@test "seccomp: every line names call, number, condition and reason" {
	run -0 srt-seccomp -t
	for line in "${lines[@]}"; do
		[[ $line =~ ^'# ' || $line =~ ^(EPERM|ENOSYS|EAFNOSUPPORT|allow)\ \
[a-z0-9_-]+\ '>'?[0-9]+\ (always|arg[0-5][=\&]0x[0-9a-f]+)\ '# '.+$ ]] ||
			{ echo "line: $line"; false; }
	done
	[ "${#lines[@]}" -gt 50 ]
	diff <(srt-seccomp -t -a x86_64 | awk '!/^#/ { print $1, $2, $4 }') \
		<(srt-seccomp -t -a aarch64 | awk '!/^#/ { print $1, $2, $4 }')
}

@test "seccomp: the kernel takes it, with plain bubblewrap" {
	for profile in 'network none' 'nested-userns allow' \
		'unix-sockets allow'; do
		srt-seccomp -e "$profile" >filter
		run -0 bwrap --ro-bind / / --proc /proc --seccomp 9 \
			grep '^Seccomp:' /proc/self/status 9<filter
		[ "$output" = $'Seccomp:\t2' ]
	done
	srt-seccomp >filter
	run -1 bwrap --unshare-user --ro-bind / / --seccomp 9 unshare -U true \
		9<filter
	[[ $output == *'Operation not permitted'* ]]
	srt-seccomp -e 'nested-userns allow' >filter
	run -0 bwrap --unshare-user --ro-bind / / --seccomp 9 unshare -U true \
		9<filter
}

@test "seccomp: wrong arguments, profiles and outputs are refused" {
	run -64 --separate-stderr srt-seccomp -a mips
	[[ $stderr == 'srt-seccomp: -a: mips: '* ]]
	run -64 --separate-stderr srt-seccomp operand
	[[ $stderr == *'usage: srt-seccomp'* ]]
	run -65 --separate-stderr srt-seccomp -e 'unix-sockets maybe'
	[[ $stderr == 'srt-seccomp: -e 1:1: unix-sockets: bad value' ]]
	run -65 --separate-stderr srt-seccomp -p missing
	[[ $stderr == 'srt-seccomp: missing: '*'No such file'* ]]
	for option in '' -t; do
		run -1 bash -c "srt-seccomp $option 2>&1 >/dev/full"
		[[ $output == 'srt-seccomp: standard output: '* ]]
	done
	# a terminal
	run script -qec srt-seccomp /dev/null
	[[ $output == *'-t prints'* ]]
}
