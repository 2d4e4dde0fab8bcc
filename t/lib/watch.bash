# shellcheck shell=bash
# For the tests of the watcher: what stands at a denied path is changed outside
# while a command runs.
# shellcheck disable=SC2016,SC2154 # inner shells; what the helper sets

# inside LINE: as tell, but a run that has ended answers "ended".
inside() {
	line=ended
	{
		printf '%s\n' "x=\$({ $1; } 2>&1 | tail -n 1)" \
			"printf '%s\\n' \"\$x\"" >&"$hold_in"
	} 2>/dev/null || :
	read -r line <&"$hold_out" || line=ended
	printf '%s\n' "$line"
}

# covered PATH: waits until inside a mount stands there.
covered() {
	cat >"$base/covered.sh" <<'SH'
i=0
until grep -qF " $1 " /proc/self/mountinfo; do
	i=$((i + 1))
	[ $i -lt 6000 ] || { echo never; exit; }
	sleep 0.01
done
echo covered
SH
	local got
	got=$(inside "sh '$base/covered.sh' '$1'")
	[ "$got" = covered ] || { echo "$1: covered again: $got"; return 1; }
}

# holds_now PATH: inside, nothing that "denied" tries lands.
holds_now() {
	local got
	denied "$1" >"$base/try.sh"
	got=$(inside "sh '$base/try.sh'; echo on")
	[ "$got" = on ] || { echo "$1: $got"; return 1; }
	got=$(inside "sh '$base/try.sh'")
	[ "$got" = "" ] || { echo "$1, inside: $got"; return 1; }
}

# shut PATH: inside, neither read nor listed.
shut() {
	local got
	got=$(inside "cat '$1' '$1'/* 2>/dev/null")
	[ "$got" = "" ] || { echo "$1: read inside: $got"; return 1; }
}

# pinned DIR: inside, it can not be moved.
pinned() {
	local got
	got=$(inside "mv '$1' '$1.try' 2>/dev/null && echo moved")
	[ "$got" = "" ] || { echo "$1, inside: $got"; return 1; }
}

# state PATH: what stands there, for the user: type and content.
state() {
	if [ -L "$1" ]; then
		echo "link $(readlink "$1")"
	elif [ -d "$1" ]; then
		echo "dir $(cd "$1" && find . -type f | sort | xargs -r cat)"
	elif [ -f "$1" ]; then
		echo "file $(cat "$1")"
	elif [ -e "$1" ]; then
		stat -c %F "$1"
	else
		echo absent
	fi
}

# stop: end the held command, which was never ended for a loss.
stop() {
	{ echo 'exit 0' >&"$hold_in"; } 2>/dev/null || :
	ended "${1:-0}" "$pid"
	exec {hold_in}>&- {hold_out}<&-
}

# asleep: the watcher has nothing to do, most likely.
asleep() {
	local watcher
	watcher=$(pgrep -P "$pid" -x srt-run) || return
	wait_for eval "[[ \$(cat /proc/$watcher/stat 2>/dev/null) != *') '[RD]' '* ]]"
}

# Changes outside, of a path P that may be anything: the name of a function.
save_rename() { echo new >"$1.n"; mv -fT "$1.n" "$1"; }
save_emacs() { mv -T "$1" "$1~"; echo new >"$1"; }
save_vim() { mv -T "$1" "$1~"; echo new >"$1"; rm -rf "$1~"; }
remove() { rm -rf "$1"; }
remove_create() { rm -rf "$1"; echo new >"$1"; }
away() { mv -T "$1" "$1.away"; }
away_back() { mv -T "$1" "$1.away"; mv -T "$1.away" "$1"; }
to_dir() { until rm -rf "$1" && mkdir "$1"; do :; done 2>/dev/null; echo new >"$1/k"; }
swap_dir() { mkdir "$1.n"; echo new >"$1.n/k"; mv -T "$1" "$1.old"
	mv -T "$1.n" "$1"; }
to_link() { ln -s "$W/other" "$1.n"; mv -fT "$1.n" "$1"; }
touched() { touch "$1"; }

# two_branches: a repository with another .env in main than in two.
two_branches() {
	git init -q .
	echo 1 >.env
	git add .env
	git commit -qm one
	git checkout -qb two
	echo 2 >.env
	git commit -qam two
}
