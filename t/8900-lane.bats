#!/usr/bin/env bats
# Lanes: real git in real sandboxes, each in a linked worktree of one
# repository; beneath a read-denied home and outside one, with bubblewrap as
# Debian has it and as a static program.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # inner shells, the helpers'
load lib/helper
load lib/hostile
load lib/lane

eval "hostile_$(declare -f setup_file)"

setup_file() {
	hostile_setup_file
	"$BATS_TEST_DIRNAME/../lib/musl-deps" bwrap \
		"$BATS_TEST_DIRNAME/../.cache/bwrap"
}

# lanes WHERE [BWRAP]: a repository with three worktrees, in the home, which is
# denied, or outside it.  In the first we are from now on; ${opts[@]} are for
# srt there.
lanes() {
	opts=(--lane)
	case $1 in
	home) repository "$HOME/repo" a b c; opts+=(-R "$HOME") ;;
	outside) repository "$W/repo" a b c ;;
	esac
	[ "${2:-debian}" = debian ] || opts+=(--bwrap "$top/.cache/bwrap/bwrap")
	tree=$repo/.worktrees/a meta=$common/worktrees/a
	git -C "$repo" branch spare
	cd "$tree" || return
}

# inside LINE: runs it in the lane.
inside() { srt "${opts[@]}" -c "$1"; }

# sound: git finds nothing wrong outside, and nothing of ours is left.
sound() {
	local out
	out=$(git -C "$repo" fsck --no-dangling --no-progress 2>&1) ||
		out+=" status $?"
	[ -z "$out" ] || { echo "fsck: $out"; return 1; }
	nothing_left
}

# seen LINE: it succeeds in the lane; outside sees the commit that inside sees,
# and all is sound.  What it said is in $base/stderr.
seen() {
	local head
	head=$(inside "{ $1; } >/dev/null && git rev-parse HEAD a" \
		2>"$base/stderr") ||
		{ echo "$1: status $?"; cat "$base/stderr"; return 1; }
	[ "$head" = "$(git rev-parse HEAD a)" ] || { echo "$1: $head"; return 1; }
	sound
}

# works LINE: without a word on stderr.
works() {
	seen "$1" || return
	[ ! -s "$base/stderr" ] || { cat "$base/stderr"; return 1; }
}

# mutters LINE: it works, but git says that it could not lock packed-refs, which
# is how it deletes a ref, here one of its own notes.
mutters() {
	seen "$1" || return
	grep -q 'packed-refs.lock' "$base/stderr"
}

# everything: all there is in the repository and its worktrees, but for the log
# of the lane's own HEAD, where failures may be noted.
everything() {
	(cd "$repo" && find . -printf '%P %y %m %n %s %l\n' | sort
		find . -type f -exec sha256sum {} + | sort -k 2) |
		grep -vF worktrees/a/logs/HEAD
}

# fails WORDS LINE: it fails in the lane with those words, and nothing at all
# has changed.
fails() {
	local status=0
	everything >"$base/before"
	inside "$2" >"$base/out" 2>&1 || status=$?
	[ "$status" -ne 0 ] || { echo "$2: no failure"; return 1; }
	grep -q "$1" "$base/out" || { cat "$base/out"; return 1; }
	everything | diff "$base/before" - || { echo "after: $2"; return 1; }
	sound
}

all_works() {
	local n
	lanes "$@"
	echo main >"$repo/main"
	git -C "$repo" add main
	git -C "$repo" commit -q -m 'on main'
	git clone -q "$repo" "$base/up"
	git -C "$base/up" commit -q --allow-empty -m 'from elsewhere'
	mkdir "$common/lfs"
	works 'echo n >new && git add new'
	works 'git commit -q -m new'
	[ "$(git log -1 --format=%s a)" = new ]
	[ "$(git show a:new)" = n ]
	works 'git branch made'
	[ "$(git rev-parse made)" = "$(git rev-parse a)" ]
	works 'git commit -q --amend -m amended'
	[ "$(git log -1 --format=%s a)" = amended ]
	works 'git switch -q -c other && git switch -q a'
	works 'git tag tag && git tag -a -m "a tag" annotated'
	works 'git notes add -m note'
	works "git fetch -q '$base/up' main && git merge-base HEAD FETCH_HEAD"
	[ "$(git log -1 --format=%s FETCH_HEAD)" = 'from elsewhere' ]
	works "git fetch -q '$base/up' main:refs/remotes/up/main"
	[ "$(git log -1 --format=%s up/main)" = 'from elsewhere' ]
	works 'd=$(git rev-parse --git-common-dir)/lfs/objects/ab &&
		mkdir -p "$d" && echo x >"$d/part" && mv "$d/part" "$d/whole"'
	[ "$(cat "$common/lfs/objects/ab/whole")" = x ]
	works 'echo s >s && git add s && git stash -q && git stash list'
	[ "$(git stash list | wc -l)" -eq 1 ]
	works 'echo c >f && git stash -q && git stash pop -q'
	[ "$(git stash list | wc -l) $(cat f)" = '1 c' ]
	works 'git reset -q --hard'
	[ "$(cat f)" = two ]
	works 'echo d >d && git add d && git commit -q -m drop'
	works 'git reset -q --hard HEAD~1'
	[ ! -e d ]
	n=$(git rev-list --count a)
	mutters 'git rebase -q --apply main'
	[ "$(git rev-list --count a)" -eq $((n + 1)) ]
	git merge-base --is-ancestor main a
	works 'git commit -q --amend -m "amended again"'
	works 'git merge -q --no-edit up/main'
	git merge-base --is-ancestor up/main a
	works 'git repack -q -d -n && git prune && git worktree list'
	[ "$(git -C "$repo" status --porcelain)" = '?? .worktrees/' ]
	[ -z "$(git status --porcelain)" ]
}

@test "lane: what git does in a worktree works: in a hidden home" {
	all_works home debian
}

@test "lane: what git does in a worktree works: in the open" {
	all_works outside debian
}

@test "lane: what git does in a worktree works: in a hidden home, static" {
	all_works home static
}

@test "lane: what git does in a worktree works: in the open, static" {
	all_works outside static
}

all_fails() {
	lanes "$@"
	git commit -q --allow-empty -m two
	git branch loose
	git tag tag
	local ref='packed-refs.lock.*Read-only file system'
	fails "$ref" 'git branch -d spare'
	fails "$ref" 'git branch -D loose'
	fails "$ref" 'git branch -m spare spared'
	fails "$ref" 'git branch -m renamed'
	fails "$ref" 'git pack-refs --all'
	fails "$ref" 'git tag -d tag'
	fails "$ref" 'git update-ref -d refs/heads/b'
	fails 'gc.pid.lock.*Read-only' 'git gc'
	fails 'gc.pid.lock.*Read-only' 'git gc --prune=now'
	fails 'could not lock config' 'git config user.name other'
	fails 'could not lock config' 'git remote add other /nowhere'
	fails 'Read-only' 'git worktree add --detach ../new'
	fails 'Read-only' 'git worktree add --detach /tmp/new'
	fails 'Read-only' 'git worktree lock ../b'
	fails '.' 'git worktree remove --force ../b'
	fails '.' 'git worktree move ../b ../moved'
	fails '.' 'GIT_DIR=$(git rev-parse --git-common-dir) git commit \
		--allow-empty -m main'
	fails '.' 'cd ../b && git commit --allow-empty -m b'
	fails '.' 'cd ../.. && git commit --allow-empty -m main'
}

@test "lane: what locks the repository fails, changing nothing: hidden home" {
	all_fails home debian
}

@test "lane: what locks the repository fails, changing nothing: open" {
	all_fails outside debian
}

@test "lane: what locks the repository fails, changing nothing: home, static" {
	all_fails home static
}

@test "lane: what locks the repository fails, changing nothing: open, static" {
	all_fails outside static
}

@test "lane: what a rebase by merging leaves behind can be removed" {
	lanes home
	git commit -q --allow-empty -m own
	echo main >"$repo/main"
	git -C "$repo" add main
	git -C "$repo" commit -q -m main
	mutters 'git rebase -q --empty=keep main'
	[ "$(git log -1 --format=%s a)" = own ]
	git merge-base --is-ancestor main a
	run -128 inside 'git commit --amend -m no'
	works 'rm "$(git rev-parse --git-path CHERRY_PICK_HEAD)" &&
		git commit -q --amend --allow-empty -m amended'
	[ "$(git log -1 --format=%s a)" = amended ]
}

@test "lane: what complains, as the page has it, is done all the same" {
	lanes home
	git -C "$repo" switch -q spare
	echo spare >"$repo/spare"
	git -C "$repo" add spare
	git -C "$repo" commit -q -m spare
	git -C "$repo" format-patch -q -1 -o "$tree" spare --
	mutters 'git am -q 0001-*'
	[ "$(git log -1 --format=%s a)" = spare ]
	mutters 'git revert --no-edit HEAD'
	[ ! -e spare ]
	git reset -q --hard main
	rm 0001-*
	mutters 'git cherry-pick spare &&
		rm "$(git rev-parse --git-path CHERRY_PICK_HEAD)"'
	[ "$(cat spare)" = spare ]
	echo new >f
	mutters 'git stash -q && git stash pop -q'
	[ "$(cat f)" = new ]
	mutters 'git stash -q && git stash drop -q'
	[ -z "$(git stash list)" ]
	inside 'git repack -q -a -d' 2>"$base/stderr"
	grep -q 'Read-only' "$base/stderr"
	sound
	run ! inside 'git worktree add -q -b made ../made'
	resolve made
	[ ! -e ../made ]
	fails 'packed-refs.lock' 'git bisect start'
}

# unimpressed PATH ...: whatever is tried on those in the lane, by all of their
# names, nothing lands, and all is as it was.
unimpressed() {
	local p out
	for p; do
		denied "$p"
		printf '%q %q\n' "$bin/hostile" "$p" \
			"$bin/hostile" "/proc/self/root$p"
		# through a descriptor of the directory it is in, if that is seen
		printf 'if [ -d %q ]; then exec 9<%q; %q %q; fi\n' "${p%/*}" \
			"${p%/*}" "$bin/hostile" "/proc/self/fd/9/${p##*/}"
	done >"$base/try.sh"
	for p in "$repo" "$repo/.worktrees" "$tree" "$common" "$meta" \
		"$common"/{objects,objects/info,refs,logs,logs/refs}; do
		printf '%q -d %q\n' "$bin/hostile" "$p"
	done >>"$base/try.sh"
	echo 'echo end' >>"$base/try.sh"
	everything >"$base/before"
	out=$(srt "${opts[@]}" -- sh "$base/try.sh" 2>/dev/null)
	[ "$out" = end ] || { echo "inside: $out"; return 1; }
	everything | diff "$base/before" -
}

# attacked WHERE BWRAP: what is fixed stays as it is, and nothing is made.
attacked() {
	local more
	lanes "$@"
	git -C "$repo" pack-refs --all
	git rev-parse HEAD >"$common/MERGE_HEAD"
	printf '#!/bin/sh\n' >"$common/hooks/pre-commit"
	chmod +x "$common/hooks/pre-commit"
	more=("$common/objects/info/alternates" "$meta/config.worktree"
		"$common/worktrees/b/config.worktree")
	unimpressed "${more[@]}" \
		"$common"/{HEAD,index,config,packed-refs,MERGE_HEAD} \
		"$common"/{index,packed-refs,config,HEAD}.lock \
		"$common"/{hooks,hooks/pre-commit,hooks/post-commit} \
		"$common"/{logs,logs/HEAD,info,info/exclude,FETCH_HEAD,new} \
		"$common"/{worktrees,worktrees/new,worktrees/b} \
		"$common"/worktrees/b/{HEAD,index,gitdir,commondir,new} \
		"$common"/worktrees/b/{logs/HEAD,HEAD.lock} \
		"$meta"/{gitdir,commondir} "$tree/.git" \
		"$repo"/{f,new,.worktrees/new,.worktrees/b} \
		"$repo"/.worktrees/b/{f,.git,new}
	sound
	# and those that have been absent so far
	mkdir "$base/other"
	echo "$base/other" >"${more[0]}"
	: >"${more[1]}"
	: >"${more[2]}"
	unimpressed "${more[@]}"
	nothing_left
}

@test "lane: what is fixed cannot be changed by any name: in a hidden home" {
	attacked home debian
}

@test "lane: what is fixed cannot be changed by any name: in the open" {
	attacked outside debian
}

@test "lane: what is fixed cannot be changed by any name: home, static" {
	attacked home static
}

@test "lane: what is fixed cannot be changed by any name: open, static" {
	attacked outside static
}

# resolve NAME ...: outside, each of these branches has a commit.
resolve() {
	local name
	for name; do
		git -C "$repo" rev-parse -q --verify "refs/heads/$name^{commit}" \
			>/dev/null || { echo "lost: $name"; return 1; }
	done
}

# outside_packs WHERE: what others do to the repository during a lane's run is
# seen in it at once, and it can pack nothing itself.
outside_packs() {
	lanes "$@"
	hold "${opts[@]}"
	[[ $(tell 'git pack-refs --all') == *'Read-only file system' ]]
	resolve a b c main spare
	[ "$(find "$common/refs/heads" -type f | wc -l)" -eq 5 ]
	[ "$(tell 'git commit -q --allow-empty -m before; git log --format=%s -1')" \
		= before ]
	git -C "$repo" pack-refs --all
	[ -z "$(find "$common/refs/heads" -type f)" ]
	[ "$(tell 'git log --format=%s -1 a')" = before ]
	[ "$(tell 'git for-each-ref refs/heads | wc -l')" -eq 5 ]
	[[ $(tell 'git pack-refs --all') == *'Read-only file system' ]]
	resolve a b c main spare
	# git replaces both files by renaming a new one over them
	git -C "$repo" config lane.test new
	[ "$(tell 'git config lane.test')" = new ]
	git -C "$repo" tag seen
	git -C "$repo" pack-refs --all
	[ ! -e "$common/refs/tags/seen" ]
	[ "$(tell 'git rev-parse seen')" = "$(git rev-parse seen)" ]
	git -C "$repo" tag -d seen
	[ "$(tell 'git rev-parse -q --verify seen || echo gone')" = gone ]
	[ "$(tell 'git commit -q --allow-empty -m after; git log --format=%s -1')" \
		= after ]
	[ "$(git log --format=%s -1 a)" = after ]
	git -C "$repo" gc -q --prune=now
	[ "$(tell 'git commit -q --allow-empty -m more; git log --format=%s -1')" \
		= more ]
	release
	resolve a b c main spare
	sound
}

@test "lane: what is packed and replaced outside is seen, none is lost: home" {
	outside_packs home debian
}

@test "lane: what is packed and replaced outside is seen, none is lost: open" {
	outside_packs outside debian
}

@test "lane: what is packed and replaced outside is seen, none is lost: static" {
	outside_packs home static
}

@test "lane: eight at once, fifty commits each, none is lost" {
	local n pids=() before
	repository "$HOME/repo" 1 2 3 4 5 6 7 8
	before=$(git -C "$repo" rev-list --count main)
	for n in 1 2 3 4 5 6 7 8; do
		srt -C "$repo/.worktrees/$n" --lane -R "$HOME" -c '
			n=0
			while [ $((n += 1)) -le 50 ]; do
				echo $n >>f && git commit -q -am "$1 $n" || exit
			done' "$n" 3>&- &
		pids+=("$!")
	done
	for n in "${pids[@]}"; do ended 0 "$n"; done
	for n in 1 2 3 4 5 6 7 8; do
		[ "$(git -C "$repo" rev-list --count "$n")" -eq $((before + 50)) ]
		[ "$(git -C "$repo" log -1 --format=%s "$n")" = "$n 50" ]
		[ -z "$(git -C "$repo/.worktrees/$n" status --porcelain)" ]
	done
	[ "$(git -C "$repo" rev-list --count --branches ^main)" -eq 400 ]
	sound
}

@test "lane: one that is made while another runs: both work, neither reaches" {
	local d
	lanes home
	hold "${opts[@]}"
	first="$pid $hold_in $hold_out"
	git -C "$repo" worktree add -q .worktrees/late -b late
	cd "$repo/.worktrees/late"
	hold "${opts[@]}"
	[ "$(tell 'git commit -q --allow-empty -m late; git log --format=%s -1')" \
		= late ]
	for d in "$common/worktrees/a" "$tree"; do
		[[ $(tell "echo x >$d/new && echo landed") != landed ]]
	done
	release
	read -r pid hold_in hold_out <<<"$first"
	[ "$(tell 'git log --format=%s -1 late')" = late ]
	for d in "$common/worktrees/late" "$repo/.worktrees/late"; do
		[[ $(tell "echo x >$d/new && echo landed") != landed ]]
	done
	[ "$(tell 'git commit -q --allow-empty -m a; git log --format=%s -1')" = a ]
	release
	resolve a late
	sound
}

@test "lane: a worktree that is removed while its lane runs ends it" {
	local where
	for where in home outside; do
		lanes $where
		hold "${opts[@]}" 2>"$base/stderr"
		[ "$(tell 'git commit -q --allow-empty -m last && echo on')" = on ]
		run -0 git -C "$repo" worktree remove --force "$tree"
		[ -z "$output" ]
		ended 125 "$pid"
		exec {hold_in}>&- {hold_out}<&-
		# the watcher may come when the metadata has gone, too
		grep -qE "^srt-run: ($tree/.git|$meta/commondir): is lost" \
			"$base/stderr"
		[ ! -e "$tree" ]
		[ ! -e "$meta" ]
		cd "$repo"
		[ "$(git log -1 --format=%s a)" = last ]
		[ "$(git worktree list | wc -l)" -eq 3 ]
		sound
	done
}

@test "lane: one whose worktree is deleted can neither go on nor be started" {
	lanes home
	hold "${opts[@]}" 2>"$base/stderr"
	rm -r "$tree"
	ended 125 "$pid"
	exec {hold_in}>&- {hold_out}<&-
	cd "$repo"
	run -1 srt-lane "$tree"
	git worktree prune
	[ ! -e "$meta" ]
	sound
}

@test "lane: a repository that is moved while a lane runs" {
	local where
	for where in home outside; do
		lanes $where
		hold "${opts[@]}"
		[ "$(tell 'git commit -q --allow-empty -m one && echo on')" = on ]
		mv "$repo" "$repo.moved"
		# in the home git's paths lead to mounts, which go where they are
		tell 'git commit -q --allow-empty -m two && echo on'
		[[ $(tell "echo x >$common/config && echo landed") != landed ]]
		[[ $(tell "echo x >$common/new && echo landed") != landed ]]
		[[ $(tell "echo x >$repo.moved/new && echo landed") != landed ]]
		release
		repo+=.moved common=$repo/.git
		[[ $(git -C "$repo" log -1 --format=%s a) == @(one|two) ]]
		resolve a b c main spare
		cd "$repo/.worktrees/a"
		run -1 srt-lane
		(cd ../.. && git worktree repair .worktrees/? 2>/dev/null)
		works 'echo new >n && git add n && git commit -q -m moved'
		[ "$(git -C "$repo" log -1 --format=%s a)" = moved ]
		cd "$W"
		rm -r "$repo"
	done
}

@test "lane, branch only: its own branch, and no other ref" {
	local p
	lanes outside
	git switch -q -c lane/a/work
	git -C "$repo" branch lane/b/work
	srt-lane --branch-only >"$base/profile"
	opts=(-p "$base/profile" -R "$HOME")
	inside 'echo n >n && git add n && git commit -q -m new &&
		git commit -q --amend -m amended && git switch -q -c lane/a/more'
	[ "$(git log -1 --format=%s lane/a/work)" = amended ]
	[ "$(git rev-parse lane/a/more)" = "$(git rev-parse lane/a/work)" ]
	git switch -q lane/a/work
	fails 'Read-only' 'git branch new'
	fails 'Read-only' 'git branch -f lane/b/work'
	fails 'Read-only' 'git update-ref refs/heads/main HEAD'
	fails 'Read-only' 'git tag new'
	fails 'packed-refs.lock' 'git pack-refs --all'
	fails 'packed-refs.lock' 'git branch -D lane/a/more'
	for p in refs/heads/{main,lane/b/work,lane/b,lane/new,lane/a.lock}; do
		inside "$(denied "$common/$p")" >"$base/out"
		[ ! -s "$base/out" ]
	done
	resolve main a b c lane/a/work lane/a/more lane/b/work
	sound
}

@test "lane: the lines by pipe, and by any other descriptor" {
	lanes home
	# by pipe: the command's standard input is /dev/null
	srt-lane | srt -p - -R "$HOME" -c 'git commit -q --allow-empty -F - &&
		exit 1; cat; git commit -q --allow-empty -m pipe' >"$base/out" 2>&1
	[ "$(git log -1 --format=%s)" = pipe ]
	[ "$(<"$base/out")" = 'Aborting commit due to empty commit message.' ]
	echo 'by descriptor' | srt -p <(srt-lane) -R "$HOME" -- \
		git commit -q --allow-empty -F -
	[ "$(git log -1 --format=%s)" = 'by descriptor' ]
	srt-lane >"$base/lines"
	srt -p /dev/fd/8 -R "$HOME" -- git commit -q --allow-empty -m 8 \
		8<"$base/lines"
	[ "$(git log -1 --format=%s)" = 8 ]
	srt-lane | srt-plan | srt-record -- git commit -q --allow-empty -m plan
	[ "$(git log -1 --format=%s)" = plan ]
	srt --sweep >/dev/null
	sound
}

@test "lane: a sibling's worktree that lies in it cannot be written, moved" {
	lanes home
	git worktree add -q deep/d -b d
	everything >"$base/before"
	inside "$(denied "$tree/deep/d/f"; denied "$tree/deep/d/new"
		denied "$tree/deep/d/.git"; denied "$tree/deep/d")
		for d in deep/d deep; do
			mv \$d aside 2>/dev/null && echo landed \$d
		done; :" >"$base/out"
	[ ! -s "$base/out" ]
	everything | diff "$base/before" -
	works 'echo n >deep/n && git add deep/n && git commit -q -m new'
	cd deep/d
	inside 'echo n >n && git add n && git commit -q -m own'
	[ "$(git log -1 --format=%s d)" = own ]
}

@test "lane: a home that is a symbolic link" {
	mkdir "$base/real"
	rmdir "$HOME"
	ln -s real "$HOME"
	lanes home
	works 'echo n >n && git add n && git commit -q -m new'
	cd -P .
	works 'git commit -q --amend -m amended'
	[ "$(srt "${opts[@]}" -- ls -A "$HOME")" = repo ]
	fails 'packed-refs.lock' 'git pack-refs --all'
}

@test "lane: in a private /tmp the repository is shown on top" {
	local dir
	dir=$(mktemp -d /tmp/srt-test.XXXXXX)
	repository "$dir/repo" a
	tree=$repo/.worktrees/a
	cd "$tree"
	opts=(--lane)
	works 'echo n >n && git add n && git commit -q -m new'
	fails 'could not lock config' 'git config user.name other'
	fails 'packed-refs.lock' 'git pack-refs --all'
	[ "$(inside 'ls -A /tmp/*/repo')" = $'.git\n.worktrees' ]
	cd "$W"
	rm -rf "$dir"
}

@test "lane: with a repository that has no checkout of its own" {
	repository "$W/from"
	git clone -q --bare "$repo" "$HOME/bare"
	repo=$HOME/bare common=$repo tree=$HOME/a
	git -C "$repo" worktree add -q "$tree" -b a
	cd "$tree"
	opts=(--lane -R "$HOME")
	run -0 --separate-stderr srt-lane
	[[ $stderr == "srt-lane: $repo: has no logs/refs, "* ]]
	run -128 inside 'git commit -q --allow-empty -m no'
	mkdir -p "$repo/logs/refs"
	works 'echo n >n && git add n && git commit -q -m new'
	works 'git branch made && git commit -q --amend -m amended'
	fails 'packed-refs.lock' 'git pack-refs --all'
	fails 'packed-refs.lock' 'git branch -D made'
	fails 'could not lock config' 'git config user.name other'
	[ "$(git -C "$repo" log -1 --format=%s a)" = amended ]
}
