#!/usr/bin/env bats
# The filter in a real sandbox: every call it refuses is made, and the reasons
# for some of it are proved (promise 6).
# shellcheck disable=SC2016,SC2154 # inner shells; what the helper sets
load lib/helper
load lib/inside
load lib/life

# unprivileged COMMAND ...: an ordinary user's, outside every sandbox.
unprivileged() {
	if is_root; then
		chmod -R a+rX "$base"
		set -- setpriv --reuid=srt-test --regid=srt-test \
			--clear-groups "$@"
	fi
	"$@"
}

# answers COMMAND ...: what each call was answered there, and what passed.
answers() { "$@" "$(inside_tool in-calls)" | sort; }

# refused [option ...]: what srt-seccomp says is refused.
refused() {
	srt-seccomp -t "$@" |
		awk '!/^#/ && $2 != "-" && $1 != "allow" { print $1, $2 }' |
		sort -u
}

# init_of PID: PID 1 of the sandbox that this supervisor runs.
init_of() {
	local pid
	for pid in $(tree_of "$1"); do
		! grep -qE '^NSpid:.*[[:space:]]1$' "/proc/$pid/status" ||
			echo "$pid"
	done
}

# Of calls for which the arguments decide, those that are nobody's business.
harmless='clone:fork fcntl:GETFL ioctl:SUBVOL_CREATE ioctl:TIOCGWINSZ process_vm_readv:2 process_vm_writev:2
	ptrace:attach,2 ptrace:traceme,1 socket:inet socket:netlink
	socketpair:seqpacket socketpair:stream unshare:files'

@test "filter: without a sandbox all calls pass" {
	answers unprivileged >"$base/got"
	# some kernels have no keyrings, no io_uring, no calls of 32 bits
	grep -vE '^passes |^ENOSYS (io_uring_|.*key)|i386$' "$base/got" \
		>"$base/strange" || :
	[ ! -s "$base/strange" ] || { cat "$base/strange"; false; }
}

@test "filter: each refused call gets its answer, the rest of them passes" {
	for run in srt 'srt -n -w / --host-tmp' 'srt-run -W'; do
		# shellcheck disable=SC2086 # options
		answers $run -- >"$base/got"
		sed -n 's/^passes //p' "$base/got" >"$base/passes"
		# shellcheck disable=SC2086 # words
		diff -u <(printf '%s\n' $harmless) "$base/passes"
		grep -vE '^passes |i386$' "$base/got" | sed 's/:.*//' |
			sort -u | diff -u <(refused) -
	done 2>&1 | grep -v warning >"$base/diff" || :
	[ ! -s "$base/diff" ] || { cat "$base/diff"; false; }
}

@test "filter: srt-record gives the same one" {
	answers srt -- >"$base/want"
	srt-plan -e 'allow-write .' >"$base/plan"
	answers srt-record -p "$base/plan" -- | diff -u "$base/want" -
	srt --sweep
}

@test "filter: what the profile allows passes, the rest is refused still" {
	answers srt -- >"$base/all"
	for word in nested-userns unix-sockets; do
		echo "$word allow" >"$base/profile"
		answers srt -p "$base/profile" -- >"$base/got"
		grep -vE '^passes |i386$' "$base/got" | sed 's/:.*//' |
			sort -u | diff -u <(refused -p "$base/profile") -
		comm -13 "$base/all" "$base/got" >"$base/more"
		run ! grep -v '^passes' "$base/more"
		case $word in
		nested-userns) grep -qx 'passes mount' "$base/more" ;;
		unix-sockets)
			sed 's/^passes //' "$base/more" | diff -u - <(
				printf '%s\n' socket:unix socket:unix,high \
				socket:vsock socketpair:dgram \
				socketpair:dgram,cloexec socketpair:raw) ;;
		esac
	done
}

@test "filter: what a command leaves running has it, too" {
	run -0 srt -- bash -c '(setsid bash -c "exec \"\$0\" >later" "$0" &)
		until grep -q quotactl_fd later 2>/dev/null; do sleep 0.02; done
		grep -c EPERM later' "$(inside_tool in-calls)"
	[ "$output" -gt 30 ]
}

@test "filter: programs of 32 bits are ended by SIGSYS" {
	[ "$(uname -m)" = x86_64 ] || skip 'for x86_64'
	answers unprivileged >"$base/outside"
	grep -qx 'passes i386' "$base/outside" ||
		skip 'this kernel has no calls of 32 bits'
	answers srt -- >"$base/got"
	grep -x 'SIGSYS i386' "$base/got"
}

@test "filter: no user namespace, whoever asks: the kernel's limit for it is 0" {
	hold
	# one that has come in from outside has no filter
	init=$(init_of "$pid")
	run -1 nsenter -t "$init" -U --preserve-credentials unshare -U true
	[[ $output == *'No space left on device'* ]]
	release
	echo 'nested-userns allow' >"$base/profile"
	hold -p "$base/profile"
	init=$(init_of "$pid")
	run -0 nsenter -t "$init" -U --preserve-credentials unshare -U true
	release
}

@test "filter: a command cannot type into its terminal" {
	type='perl -e "ioctl(STDIN, 0x5412, my \$c = q(x)) or print qq(\$!\n)"'
	# the kernel refuses it with EIO where it is switched off
	run -0 "$(tool pty)" sh -c "$type" <<<$'ends 0'
	[[ $output != *'not permitted'* ]]
	run -0 "$(tool pty)" srt -- sh -c "$type" <<-'SCRIPT'
	want Operation not permitted
	ends 0
	SCRIPT
	# and still it is one
	run -0 "$(tool pty)" srt -- sh -c 'stty size; stty -a' <<-'SCRIPT'
	want speed
	ends 0
	SCRIPT
}

@test "filter: from a pair of stream sockets nothing else can be reached" {
	tool=$(inside_tool in-pair)
	mkfifo "$base/ready"
	"$tool" listen ./s >"$base/ready" 3>&- &
	listener=$!
	read -r _ <"$base/ready"
	"$tool" call ./s >"$base/got"
	# which is why those of datagram sockets are refused
	grep -qx 'dgram pair: sendto to dgram' "$base/got"
	grep -qx 'dgram pair: connect to dgram' "$base/got"
	grep -q '^raw pair: ' "$base/got"
	run ! grep -vE '^(dgram|raw) pair' "$base/got"
	run -0 srt -- "$tool" call ./s
	[ -z "$output" ]
	echo 'unix-sockets allow' >"$base/profile"
	srt -p "$base/profile" -- "$tool" call ./s | diff -u "$base/got" -
	kill "$listener"
}

@test "filter: with nested-userns allow a second srt works, and both denies hold" {
	echo 'nested-userns allow' >"$base/profile"
	run -0 srt -p "$base/profile" -- bwrap --unshare-user \
		--ro-bind / / echo nested
	[ "$output" = nested ]
	run -0 srt -p "$base/profile" -d outer -- srt -d inner -- sh -c "
		$(denied "$W/outer")
		$(denied "$W/inner")
		echo written >file"
	[ -z "$output" ]
	[ "$(cat file)" = written ]
	nothing_left
}

@test "filter: without it a second srt says so in one line" {
	run -125 --separate-stderr srt -- srt -d .env -- true
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *'nested-userns allow'* ]]
	nothing_left
}

@test "filter: where the limit cannot be set the run is refused, and nothing left" {
	closed=(bwrap --bind / / --dev-bind /dev /dev
		--ro-bind /proc/sys /proc/sys)
	run -125 --separate-stderr "${closed[@]}" srt -d .env -- touch landed
	[[ ${stderr_lines[-1]} == \
		'srt-run: /proc/sys/user/max_user_namespaces: '*'set to 0'* ]]
	[ ! -e landed ]
	nothing_left
	# the command may make them, and that is said; root's no cgroup ones
	echo 'nested-userns allow' >"$base/profile"
	run --separate-stderr "${closed[@]}" srt -d .env -p "$base/profile" -- \
		touch landed
	if is_root; then
		[ "$status" -eq 125 ]
		[[ ${stderr_lines[-1]} == \
			'srt-run: /proc/sys/user/max_cgroup_namespaces: '* ]]
		[ ! -e landed ]
	else
		[ "$status" -eq 0 ]
		[ -e landed ]
	fi
	nothing_left
}
