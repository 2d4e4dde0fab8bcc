#!/usr/bin/env bats
# What is denied stays denied, and what the user makes is kept, whatever is
# done to it outside while a command runs (cases 53 to 56, 59, 60).
# shellcheck disable=SC2016,SC2030,SC2031,SC2154,SC2317 # inner shells, bats
load lib/helper
load lib/watch

setup() {
	trap '' PIPE
	setup_w
	echo other >other
	git config --global init.defaultBranch main
}

# away_rm PATH: what was moved is looked for by nobody, so the mover removes it.
away_rm() { mv -T "$1" "$1.away"; covered "$1"; rm "$1.away"; }

# after CHANGE WANT PATH [srt option ...]: a run that denies PATH, CHANGE while
# it runs: denied again, the run goes on, WANT is what stands there then.
after() {
	local change=$1 want=$2 path=$W/$3
	shift 3
	hold "$@" || return
	"$change" "$path" || { echo "$change: fails outside"; stop; return 1; }
	if ! covered "$path" || ! holds_now "$path"; then
		echo "$change: see above"
		stop
		return 1
	fi
	stop || { echo "$change: the run was ended"; return 1; }
	[ "$(state "$path")" = "$want" ] || {
		echo "$change: $(state "$path"), not $want"; return 1; }
	[ "$(cat other)" = other ] || { echo "$change: other"; return 1; }
	nothing_left || { echo "$change: see above"; return 1; }
}

# each PATH OPTIONS MAKE CHANGE:WANT ...: all changes, then what failed.
each() {
	local path=$1 options=$2 make=$3 bad=0 arg
	shift 3
	for arg; do
		rm -rf "${W:?}"/* "$W"/.[!.]*
		echo other >other
		eval "$make"
		# shellcheck disable=SC2086 # several words
		after "${arg%%:*}" "${arg#*:}" "$path" $options || bad=1
	done
	return "$bad"
}

@test "watch: a denied file is denied again after every change, and kept" {
	each .env '-d .env' 'echo old >.env' \
		'save_rename:file new' 'touched:file old' \
		'remove:absent' 'away_back:file old' \
		'to_link:link '"$W/other"
}

@test "watch: a denied file that is removed and made, as editors save" {
	each .env '-d .env' 'echo old >.env' \
		'save_emacs:file new' 'save_vim:file new' \
		'remove_create:file new' 'to_dir:dir new'
}

@test "watch: a denied file that is moved away is denied again" {
	each .env '-d .env' 'echo old >.env' 'away:absent'
	[ "$(cat .env.away)" = old ]
}

@test "watch: a denied directory is denied again after every change" {
	each s '-d s' 'mkdir s; echo old >s/k' \
		'touched:dir old' 'remove:absent' 'to_dir:dir new' \
		'away_back:dir old'
}

@test "watch: a denied directory that is moved away is denied again" {
	each s '-d s' 'mkdir s; echo old >s/k' 'away:absent' 'swap_dir:dir new'
}

@test "watch: an absent path is denied again after every change" {
	each .env '-d .env' : \
		'save_rename:file new' 'remove:absent' \
		'touched:file ' 'to_link:link '"$W/other"
}

@test "watch: an absent path's placeholder that is moved away: denied again" {
	each .env '-d .env' : 'away_rm:absent'
}

@test "watch: an absent path that becomes a directory is denied, and kept" {
	each .env '-d .env' : 'to_dir:dir new'
}

@test "watch: an absent directory of git is denied again after every change" {
	each .git/hooks '-d .git/hooks' 'git init -q --template= .' \
		'remove:absent' 'to_dir:dir new' 'away_back:absent'
	each .git/info/attributes '-d .git/info/attributes' \
		'git init -q --template= .; mkdir .git/info' \
		'save_rename:file new' 'remove:absent' 'remove_create:file new'
}

@test "watch: a .git that is a file ends the run where it goes, replaced it does not" {
	each .git '-d .git' 'rm -rf .git; echo "gitdir: x" >.git' \
		'save_rename:file new' 'touched:file gitdir: x'
	for change in remove away; do
		rm -rf .git*
		echo 'gitdir: x' >.git
		echo one >denied
		hold -d .git -d denied -d absent 2>"$base/stderr"
		"$change" "$W/.git"
		ended 125 "$pid"
		exec {hold_in}>&- {hold_out}<&-
		grep -q "^srt-run: $W/.git: is lost and cannot be denied again: an empty one would lead git nowhere" \
			"$base/stderr"
		[ ! -e .git ]
		nothing_left
	done
}

@test "watch: a denied link is denied again after every change" {
	each .env '-d .env' 'echo old >t; ln -s t .env' \
		'save_rename:file new' 'remove:absent' 'to_link:link '"$W/other"
	each .env '-d .env' 'ln -s nowhere .env' \
		'save_rename:file new' 'remove:absent' 'to_link:link '"$W/other"
}

@test "watch: a path that becomes a link is not written through it" {
	for make in 'echo old >.env' 'ln -s t .env' :; do
		rm -f .env; echo t >t; echo other >other
		eval "$make"
		hold -d .env
		to_link "$W/.env"
		covered "$W/.env"
		inside 'echo x >>.env; cat other'
		[ "$(cat other)" = other ]
		stop
		[ "$(readlink .env)" = "$W/other" ]
		nothing_left
	done
}

@test "watch: a path that becomes a FIFO cannot be written" {
	for make in 'echo old >p' 'ln -s other p' :; do
		rm -f p n
		eval "$make"
		hold -d p
		mkfifo n
		mv -f n p
		covered "$W/p"
		# this never waits for a reader
		[ "$(inside '(: <>p) 2>/dev/null && echo opened || echo shut')" = shut ]
		stop
		[ -p p ]
		nothing_left
	done
}

@test "watch: a link on the way that leads elsewhere now reads as empty, and its new target is not denied (expected)" {
	mkdir v1 v2
	echo one >v1/.env
	echo two >v2/.env
	ln -s v1 current
	hold -d current/.env
	ln -sfn v2 current
	covered "$W/current"
	[ "$(inside 'cat current; echo on')" = on ]
	holds_now "$W/current"
	holds_now "$W/v1/.env"
	inside 'echo three >v2/.env'
	[ "$(cat current/.env)" = three ]
	# and back
	ln -sfn v1 current
	wait_for eval '[ "$(inside "cat current/.env")" = one ]'
	[ "$(inside 'ln -sfnT v2 current 2>/dev/null || echo no')" = no ]
	stop
	[ "$(readlink current)" = v1 ]
	nothing_left
}

# Directories above ---------------------------------------------------------

deep() { rm -rf a; mkdir -p a/b; echo old >a/b/.env; echo n >a/b/n; }
# A placeholder may get in the way of who takes his time (srt(7)): again, then.
again() { until "$@"; do :; done 2>/dev/null; }
rebuild() { again rm -rf "$W/a"; mkdir -p "$W/a/b"; echo new >"$W/n"
	mv "$W/n" "$1"; }
up_away() { mv "$W/a/b" "$W/a/z"; }
up_swap() { mkdir "$W/b"; echo new >"$W/b/.env"; mv "$W/a/b" "$W/a/z"
	until mv -T "$W/b" "$W/a/b"; do rm -rf "$W/a/b" || :; done 2>/dev/null; }
top_away() { mv "$W/a" "$W/z"; }
top_swap() { mkdir -p "$W/x/b"; echo new >"$W/x/b/.env"; mv "$W/a" "$W/z"
	until mv -T "$W/x" "$W/a"; do rm -rf "$W/a" || :; done 2>/dev/null; }

@test "watch: directories above a denied file: removed, moved, replaced" {
	local bad=0
	for arg in 'rebuild:file new' 'up_away:absent' 'up_swap:file new' \
		'top_away:absent' 'top_swap:file new'; do
		rm -rf a z x n b
		deep
		hold -d a/b/.env
		"${arg%%:*}" "$W/a/b/.env"
		{ covered "$W/a/b/.env" && holds_now "$W/a/b/.env" &&
			pinned "$W/a" && pinned "$W/a/b"; } ||
			{ echo "${arg%%:*}: see above"; bad=1; }
		stop || bad=1
		[ "$(state a/b/.env)" = "${arg#*:}" ] ||
			{ echo "$arg: $(state a/b/.env)"; bad=1; }
		nothing_left || bad=1
	done
	return "$bad"
}

@test "watch: directories above an absent path: removed, moved, replaced" {
	local bad=0
	for arg in 'rebuild:file new' 'up_swap:file new' 'top_swap:file new' \
		'up_away:absent' 'top_away:absent'; do
		rm -rf a z x n b
		mkdir a
		hold -d a/b/.env
		case $arg in
		*away* | *swap*) echo mine >"$W/a/b/mine" ;;
		esac
		"${arg%%:*}" "$W/a/b/.env" || echo "$arg: fails outside"
		{ covered "$W/a/b/.env" && holds_now "$W/a/b/.env" &&
			pinned "$W/a" && pinned "$W/a/b"; } ||
			{ echo "${arg%%:*}: see above"; bad=1; }
		stop || bad=1
		[ "$(state a/b/.env)" = "${arg#*:}" ] ||
			{ echo "$arg: $(state a/b/.env)"; bad=1; }
		# the placeholder went along with what was moved
		rm -f z/b/.env a/z/.env
		nothing_left || bad=1
	done
	return "$bad"
}

@test "watch: a directory above that is moved, and what replaces it is, too" {
	deep
	hold -d a/b/.env
	for i in 1 2 3; do
		mkdir -p "x/b"
		echo "new $i" >x/b/.env
		mv a "z$i"
		until mv -T x a; do rm -rf a || :; done 2>/dev/null
		covered "$W/a/b/.env"
		holds_now "$W/a/b/.env"
		pinned "$W/a"
	done
	stop
	[ "$(cat a/b/.env)" = "new 3" ]
	[ "$(cat z1/b/.env z2/b/.env z3/b/.env)" = $'old\nnew 1\nnew 2' ]
	nothing_left
}

@test "watch: a directory above that becomes a file or a link ends the run, and it is said why" {
	local why
	for change in 'echo x >n:Not a directory' 'ln -s x n:Symbolic link loop'; do
		deep
		hold -d a/b/.env 2>err
		rm -f n
		eval "${change%%:*}"
		until mv -T n a/b; do again rm -rf a/b; done 2>/dev/null
		ended 125 "$pid"
		exec {hold_in}>&- {hold_out}<&-
		why="$W/a/b/.env: is lost and cannot be denied again: ${change#*:}"
		[ "$(cat err)" = "srt-run: $why" ]
		[ -e a/b ] || [ -L a/b ]
		again rm -rf a
		nothing_left
	done
}

@test "watch: the project's directory is moved: denied as before, nothing left" {
	mkdir p
	echo old >p/.env
	hold -w p -d p/.env -d p/none -C p
	mv p q
	[ "$(inside "echo x 2>&1 >>$W/p/.env && echo landed" | grep -c landed)" \
		-eq 0 ]
	[ "$(inside "echo x 2>&1 >>$W/p/none && echo landed" | grep -c landed)" \
		-eq 0 ]
	stop
	[ "$(cat q/.env)" = old ]
	mv q p
	srt --sweep
	[ "$(state p/none)" = absent ]
	nothing_left
}

@test "watch: the project's directory is moved, changed there, and moved back" {
	for make in 'echo old >p/.env' :; do
		mkdir p
		eval "$make"
		hold -w p -d p/.env
		mv p q
		rm -f q/.env
		asleep
		mv q p
		covered "$W/p/.env"
		holds_now "$W/p/.env"
		stop
		[ "$(state p/.env)" = absent ]
		nothing_left
		rmdir p
	done
}

@test "watch: what goes from a project that is moved is not made again (expected)" {
	mkdir p
	hold -C p -w . -d .env
	mv p q
	rm q/.env
	[ "$(inside 'echo x >.env; echo on')" = on ]	# in its working directory
	stop
	[ "$(cat q/.env)" = x ]
	nothing_left
}

@test "watch: the project's directory is removed and made anew: the run goes on" {
	mkdir -p p/a
	echo old >p/a/.env
	hold -w p -d p/a/.env -R p/a/.env -d p/none
	up_swap() { mv p/a p/b; again rm -rf p/a; cp -r p/b p/a; }
	up_swap		# and the pin of p/a has been made anew
	covered "$W/p/a/.env"
	again rm -rf p
	mkdir -p p/a
	echo new >p/a/.env
	covered "$W/p/a/.env"
	shut "$W/p/a/.env"
	# what was the write root has gone
	[ "$(inside "{ echo x >$W/p/x; } 2>/dev/null && echo landed || echo no")" = no ]
	stop
	[ "$(cat p/a/.env)" = new ]
	nothing_left
}

# Reading -------------------------------------------------------------------

@test "watch: a read-denied file is denied again after every change" {
	local bad=0
	for change in save_rename save_emacs save_vim remove_create to_dir \
		swap_dir; do
		rm -rf tok*
		echo old >tok
		hold -w . -R tok
		"$change" "$W/tok"
		{ covered "$W/tok" && shut "$W/tok"; } || {
			echo "$change: see above"; bad=1; }
		stop || bad=1
		grep -qx new tok tok/k 2>/dev/null
		nothing_left
	done
	return "$bad"
}

@test "watch: a read-denied directory is denied again after every change" {
	local bad=0
	for change in to_dir swap_dir save_emacs remove_create; do
		rm -rf priv*
		mkdir priv
		echo old >priv/k
		hold -w . -R priv
		"$change" "$W/priv"
		{ covered "$W/priv" && shut "$W/priv"; } || {
			echo "$change: see above"; bad=1; }
		stop || bad=1
		[[ $(state priv) == *new ]] || bad=1
		nothing_left
	done
	return "$bad"
}

@test "watch: a read-denied path that goes, and comes back later, is denied" {
	echo old >tok
	hold -w . -R tok
	rm tok
	[ "$(inside 'echo on')" = on ]
	echo new >tok
	covered "$W/tok"
	shut "$W/tok"
	stop
	[ "$(cat tok)" = new ]
	nothing_left
}

# with_new PATH: directories made one by one, and a new file in the last.
with_new() { mkdir -p "$W/d"; asleep; mkdir "$W/d/e"; asleep; echo new >"$1"; }
up_copy() { mv "$W/d/e" "$W/d/x"; cp -rT "$W/d/x" "$W/d/e"; }
top_copy() { mv "$W/d" "$W/x"; cp -rT "$W/x" "$W/d"; }
gone_steps() { again rm -rf "$W/d"; asleep; with_new "$1"; }
away_steps() { mv "$W/d" "$W/x"; asleep; with_new "$1"; }
gone_link() { mkdir "$W/real"; rm "$1"; asleep; ln -sfT "$W/real/k" "$1"; asleep
	echo new >"$W/real/k"; }

# Where the write root is elsewhere, or below, nothing is pinned.
@test "watch: a read-denied path is denied again wherever it lies, with all above" {
	local bad=0
	for change in save_emacs up_copy top_copy gone_steps away_steps gone_link; do
		for options in "-w $W" "-w $W/out" "-w $W/d" "-w $W/d/e" \
			"-w $W/d -d $W/d/e/tok"; do
			rm -rf d x real out
			mkdir -p d/e out
			echo old >d/e/tok
			# shellcheck disable=SC2086 # words
			hold $options -R d/e/tok
			"$change" "$W/d/e/tok"
			{ covered "$W/d/e/tok" && shut "$W/d/e/tok"; } ||
				{ echo "$change, $options: see above"; bad=1; }
			stop || bad=1
			nothing_left
		done
	done
	return "$bad"
}

@test "watch: a read-denied directory is denied again with all above" {
	local bad=0
	for change in up_copy top_copy away_steps; do
		rm -rf d x
		mkdir -p d/e out
		echo old >d/e/k
		hold -w out -R d/e
		"$change" "$W/d/e/k"
		{ covered "$W/d/e" && shut "$W/d/e"; } ||
			{ echo "$change: see above"; bad=1; }
		stop || bad=1
	done
	return "$bad"
}

@test "watch: a write-denied file that is moved to a read-denied name is denied reading" {
	echo open >w
	echo secret >r
	hold -d w -R r
	mv r t
	mv w r
	wait_for eval '[ "$(inside "cat r || echo shut")" = shut ]'
	stop
	[ "$(cat r)" = open ]
	[ "$(cat t)" = secret ]
	nothing_left
}

# git -----------------------------------------------------------------------

@test "watch: git config outside: kept, denied again (case 54)" {
	git init -q .
	hold -d .git/config
	for i in 1 2 3; do
		git config user.name "X$i"
		covered "$W/.git/config"
		inside 'git config core.fsmonitor ./evil'
		holds_now "$W/.git/config"
	done
	stop
	[ "$(git config user.name)" = X3 ]
	run ! git config core.fsmonitor
	nothing_left
}

@test "watch: git checkout and clean outside work, and stay denied" {
	two_branches
	hold -d .env -d absent/x
	for i in 1 2 3 4 5 6 7 8 9 10; do
		git checkout -q main
		covered "$W/.env"
		holds_now "$W/.env"
		git checkout -q two
		covered "$W/.env"
		holds_now "$W/.env"
	done
	echo 3 >.env
	echo u >untracked
	git clean -qfdx -e other
	covered "$W/.env"
	covered "$W/absent/x"
	holds_now "$W/.env"
	holds_now "$W/absent/x"
	stop
	[ "$(cat .env)" = 3 ]
	[ ! -e untracked ]
	[ ! -e absent ]
	nothing_left
}

@test "watch: git init in a sandbox that denies its hooks and config (case 59)" {
	run srt -d .git/hooks -d .git/config -- git init .
	srt -d .git/hooks -d .git/config -- sh -c \
		'mkdir -p .git/hooks; echo evil >.git/hooks/pre-commit
		 echo evil >>.git/config; mv .git x; mkdir .git
		 echo evil >.git/config; :' 2>/dev/null
	[ ! -s .git/hooks/pre-commit ]
	[ ! -s .git/config ] || run ! grep -q evil .git/config
	nothing_left
}

# People outside ------------------------------------------------------------

@test "watch: a placeholder touched or chmoded outside is an empty file (56)" {
	hold -d .env -d second
	touch -d @1000000000 .env
	chmod 600 .env
	inside 'echo x >.env'
	stop
	[ "$(stat -c '%F %s %a %Y' .env)" = "regular empty file 0 600 1000000000" ]
	[ ! -e second ]
	rm .env
	nothing_left
}

@test "watch: a backup during a run, chown -R: nothing of ours stays (56)" {
	hold -d .env -d a/b
	cp -a . ../copy
	tar -cf ../w.tar . 2>/dev/null
	chown -R "$(id -u):$(id -g)" .
	stop
	nothing_left
	[ ! -e .env ]
	[ ! -e a ]
}

@test "watch: a shell and git outside in a home that is a write root (case 60)" {
	cd "$HOME"
	hold -w "$HOME" -d ~/.bashrc -d ~/.gitconfig -d ~/.profile
	run -0 bash -ic 'echo works' </dev/null
	[[ $output == *works* ]]
	[[ $output != *bashrc* ]]
	git init -q repo
	git -C repo commit -q --allow-empty -m x
	git -C repo config --get user.none || [ $? -eq 1 ]
	git config --global user.name Me
	covered "$HOME/.gitconfig"
	holds_now "$HOME/.gitconfig"
	echo 'alias x=y' >>.bashrc
	stop
	[ "$(git config --global user.name)" = Me ]
	[ "$(cat .bashrc)" = 'alias x=y' ]
	rm .bashrc
	nothing_left
}

# Two runs ------------------------------------------------------------------

@test "watch: two runs with one deny do not fight over it, nothing is left" {
	for make in 'echo old >.env' :; do
		rm -f .env
		eval "$make"
		hold -d .env
		local in=$hold_in out=$hold_out first=$pid
		hold -d .env
		for i in 1 2 3 4 5; do
			remove "$W/.env"
			covered "$W/.env"
			holds_now "$W/.env"
			local ino lines
			ino=$(stat -c %i .env)
			sleep 0.2	# for what should not happen
			[ "$(stat -c %i .env)" = "$ino" ]
		done
		lines=$(cat "$place"/*.manifest | wc -l)
		[ "$lines" -le 60 ]
		pid=$first hold_in=$in hold_out=$out stop
		covered "$W/.env"
		holds_now "$W/.env"
		stop
		[ ! -e .env ]
		nothing_left
	done
}

@test "watch: a run that made the placeholder anew ends: the other's deny holds" {
	for i in 1 2 3 4; do
		echo old >.env
		hold -d .env
		local in=$hold_in out=$hold_out first=$pid
		hold -d .env
		remove "$W/.env"
		covered "$W/.env"
		inside 'while :; do echo x >>.env; done >/dev/null 2>&1 & :'
		pid=$first hold_in=$in hold_out=$out stop
		covered "$W/.env"
		[ ! -s .env ]
		stop
		[ ! -e .env ]
		nothing_left
	done
}

@test "watch: it ends before the other has seen that: its claim stays until then" {
	hold -d .env
	local in=$hold_in out=$hold_out first=$pid watcher
	watcher=$(pgrep -P "$pid" -x srt-run)
	hold -d .env
	kill -STOP "$watcher"
	remove "$W/.env"
	covered "$W/.env"
	stop
	srt --sweep
	[ -S .env ]
	kill -CONT "$watcher"
	pid=$first hold_in=$in hold_out=$out
	covered "$W/.env"
	holds_now "$W/.env"
	stop
	[ ! -e .env ]
	nothing_left
}

@test "watch: a placeholder that goes for ever ends the run before nobody can read the manifest" {
	local name dir=. i
	name=$(printf '%0200d' 0)
	for i in {1..15}; do dir+=/$name; done
	mkdir -p "$dir"
	hold -d "$dir/x" 2>err
	for ((i = 0; i < 1000; i++)); do
		kill -0 "$pid" 2>/dev/null || break
		rm -f "$dir/x"
		wait_for eval '[ -e "$dir/x" ] || ! kill -0 "$pid"'
	done
	stop 125
	grep -q 'x: is lost and cannot be denied again: File too large$' err
	nothing_left
	run -0 srt -d .env -- true
}

# --on-lost-cover -----------------------------------------------------------

@test "watch: --on-lost-cover=end ends the run, with the path" {
	echo old >.env
	hold --on-lost-cover=end -d .env 2>err
	save_rename "$W/.env"
	ended 125 "$pid"
	grep -q "^srt-run: $W/.env: was replaced or removed outside" err
	[ "$(wc -l <err)" -eq 1 ]
	[ "$(cat .env)" = new ]
	nothing_left
}

@test "watch: --on-lost-cover=end: an absent path that comes ends nothing" {
	hold --on-lost-cover=end -d .env
	remove "$W/.env"
	covered "$W/.env"
	holds_now "$W/.env"
	stop
	nothing_left
}

@test "watch: --on-lost-cover=report says it and goes on" {
	echo old >.env
	hold --on-lost-cover=report -d .env 2>err
	ln other two
	mv two .env
	covered "$W/.env"
	holds_now "$W/.env"
	stop
	grep -q "^srt-run: $W/.env: .*is denied again$" err
	[ "$(cat .env)" = other ]
	nothing_left
}

@test "watch: by default what is only replaced is not even said" {
	echo old >.env
	hold -d .env 2>err
	save_rename "$W/.env"
	covered "$W/.env"
	stop
	[ ! -s err ]
}

@test "watch: --on-lost-cover, where reading is denied" {
	echo old >tok
	hold --on-lost-cover=end -w . -R tok 2>err
	save_rename "$W/tok"
	ended 125 "$pid"
	grep -q "^srt-run: $W/tok: was replaced or removed outside" err
	hold --on-lost-cover=report -w . -R tok 2>err
	save_rename "$W/tok"
	covered "$W/tok"
	shut "$W/tok"
	stop
	grep -q "^srt-run: $W/tok: .*is denied again$" err
	hold -w . -R tok 2>err
	save_rename "$W/tok"
	covered "$W/tok"
	stop
	[ ! -s err ]
	nothing_left
}
