# shellcheck shell=bash
# For the tests of manifests, claims and clean-up: runs that have left
# something, manifests of one's own, processes that are killed half way.
# shellcheck disable=SC2154 # what the helper sets

# tool NAME: the path of t/tool/NAME.c, compiled.
tool() {
	local out=$BATS_FILE_TMPDIR/$1
	[ -x "$out" ] || "${CC:-cc}" -std=c11 -D_GNU_SOURCE -Wall -Wextra \
		-Werror -O1 -o "$out" "$top/t/tool/$1.c" || return
	printf '%s\n' "$out"
}

# profile PATH ...: W writable, those paths in it denied.
profile() {
	local path
	printf 'allow-write %s\n' "$W"
	for path; do printf 'deny-write %s\n' "$path"; done
}

# leave PATH ...: what is left of a run that was killed while it held those
# paths: placeholders and a manifest that is over.  srt-record's helper, which
# lives a moment longer, has its standard output open.
leave() {
	local out
	profile "$@" | srt-plan >"$base/plan"
	out=$(srt-record --bwrap /bin/true -p "$base/plan" -- true) &&
		[ -z "$out" ]
	# its helper lets go of the manifest a moment later
	wait_for no_recorder
}
no_recorder() { ! pgrep -f "srt-record .*-p $base/plan"; }

# killed_at INJECTION PROGRAM ...: runs the program until it is killed as that
# says (strace -e inject=SYSCALL:signal=KILL:when=N, not followed into its
# children).  Fails if it was not.
killed_at() {
	local status=0
	{ strace -qq -o /dev/null -e inject="$1" -- "${@:2}" 3>&- ||
		status=$?; } 2>/dev/null
	[ "$status" -eq 137 ] || { echo "status $status, not killed"; return 1; }
}

# manifests: the names of all manifests and claims in the first place.
manifests() {
	(cd "$place" && find . -name '*.manifest' -o -name '*.claimed') | sort
}

# manifest: the path of the only manifest or claim of the first place.
manifest() {
	local list
	list=$(find "$place" -name '*.manifest' -o -name '*.claimed')
	[ "$(wc -l <<<"$list")" -eq 1 ] && [ -n "$list" ] &&
		printf '%s\n' "$list"
}

boot=$(cat /proc/sys/kernel/random/boot_id)

# forge ID [LINE ...]: a manifest in the first place, of this boot and PID
# namespace, with those lines.  Its path is in $forged.
forge() {
	[ -d "$place" ] || mkdir -m 700 "$place"
	forged=$place/$1.manifest
	: >"$place/$1.init"
	{
		printf 'srt-manifest 1\nboot %s\npidns %s\nrecorder 1 1\n' \
			"$boot" "$(stat -Lc %i /proc/self/ns/pid)"
		shift
		[ $# -eq 0 ] || printf '%s\n' "$@"
	} >"$forged"
	chmod 600 "$place/${forged##*/}"
}

# id N: a number as an ID.
id_of() { printf '%016x' "$1"; }

# older FILE SECONDS: set its times back.
older() { touch -h -d "@$(($(date +%s) - $2))" "$1"; }

# inode PATH
inode() { stat -c %i "$1"; }

# a_socket PATH: where a program would have left one.
a_socket() {
	perl -MSocket -e 'chdir $ARGV[0] or die; socket(S, AF_UNIX,
		SOCK_STREAM, 0); bind(S, sockaddr_un($ARGV[1])) or die $!' \
		"$(dirname "$1")" "${1##*/}"
}

# locked FILE ...: a process that holds a lock on each, until unlock.
locked() {
	local program
	program=$(tool lock) || return
	[ -p "$base/lock.in" ] || mkfifo "$base/lock.in" "$base/lock.out"
	"$program" "$@" <"$base/lock.in" >"$base/lock.out" 3>&- &
	locker=$!
	exec {lock_in}>"$base/lock.in" {lock_out}<"$base/lock.out"
	read -r line <&"$lock_out" && [ "$line" = locked ]
}
unlock() {
	exec {lock_in}>&- {lock_out}<&-
	wait "$locker"
}

# elsewhere COMMAND ...: runs it in another PID namespace, with its own /proc,
# as the same user.
elsewhere() {
	bwrap --dev-bind / / --unshare-pid --proc /proc -- "$@"
}

# emptied: clears the places for the next test of the same file.
emptied() {
	rm -rf /var/tmp/srt-mount-points-* /tmp/srt-mount-points-* \
		/run/user/*/srt-mount-points
}

# put_by NAME: the held run goes on and is the held one no more, so that there
# can be another; take_up NAME: it is again.
put_by() { printf -v "$1" '%s %s %s' "$pid" "$hold_in" "$hold_out"; }
take_up() { read -r pid hold_in hold_out <<<"${!1}"; }

# end NAME: ends a run that was put by.  The runs begun after it have its input
# open, too.
end() {
	take_up "$1"
	echo exit >&"$hold_in"
	release
}

# tree_of PID: the process and all that come from it.
tree_of() {
	local children child
	echo "$1"
	children=()
	# no newline ends it
	read -ra children 2>/dev/null <"/proc/$1/task/$1/children" || :
	for child in "${children[@]}"; do tree_of "$child"; done
}

# gone PID ...: none of them runs any more.
gone() {
	local pid
	for pid; do
		! grep -q '^State:[^Z]*$' "/proc/$pid/status" 2>/dev/null ||
			return
	done
}

# murder: all processes of the held run are killed at once, as the machine
# itself would.
murder() {
	local all
	mapfile -t all < <(tree_of "$pid")
	kill -KILL "${all[@]}"
	ended 137 "$pid"
	wait_for gone "${all[@]}"
	exec {hold_in}>&- {hold_out}<&-
}

# setup_where: setup for runs in a container, which the prefix $container makes:
# srt, and so hold, starts where $where says, at first here.
setup_where() {
	setup_w
	emptied
	# shellcheck disable=SC2317 # hold calls it
	srt() { "${where[@]}" "$top/cmd/srt" "$@"; }
	where=()
}

# shared_there NAME: a run here is left alone by what is done in a container,
# and its placeholder is taken over by a run there, which is left alone here.
# The command NAME prints the path of the manifest that both see.
shared_there() {
	hold -w . -d .env
	put_by one
	where=("${container[@]}")
	[ "$("${where[@]}" srt-live)" = "$W/.env" ]
	run -0 srt --sweep
	[ -z "$output" ]
	older "$("$1")" 100
	run -0 srt --sweep
	[ -z "$output" ]
	[ -S .env ]
	hold -w . -d .env
	put_by two
	end one
	[ -S .env ]
	take_up two
	not_removed .env
	where=()
	run -0 srt --sweep
	[ -z "$output" ]
	[ -S .env ]
	put_by two
	end two
	[ ! -e .env ]
}

# killed_there NAME: what is killed in a container is claimed here at once, and
# collected after ten seconds.
killed_there() {
	where=("${container[@]}")
	hold -w . -d .env -d a/key
	where=()
	murder
	[ -z "$(srt-live)" ]
	run -0 srt --sweep
	[ -z "$output" ]
	[[ $("$1") == *.claimed ]]
	[ -S .env ]
	older "$("$1")" 5
	run -0 srt --sweep
	[ -z "$output" ]
	[ -S .env ]
	older "$("$1")" 11
	run -0 srt --sweep
	[ "$output" = "$W/a/key
$W/a
$W/.env" ]
	nothing_left
}

# at_shell: standard input, a script of t/tool/pty.c, for an interactive shell
# that shows no prompt.
at_shell() {
	"$(tool pty)" env PS1= PS2= HISTFILE= TERM=dumb INPUTRC=/dev/null \
		bash --norc --noediting -i
}
