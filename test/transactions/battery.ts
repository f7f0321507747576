/** One kind of work. The script runs in the workspace, plainly and on a view, and must leave equal trees. */
export interface Work {
  readonly title: string;
  readonly script: string;
  /** Files whose modification time the script sets. */
  readonly timed?: readonly string[];
  /** Paths that differ from a plain run, and why. */
  readonly differs?: { readonly why: string; readonly paths: readonly string[] };
  /** It fails on a view, for root as well or only for others. */
  readonly fails?: { readonly why: string; readonly for: "everybody" | "users" };
}

/** Commits have the same names in every run. */
const dates = `export GIT_AUTHOR_DATE='2026-01-02 03:04:05 +0000' GIT_COMMITTER_DATE='2026-01-02 03:04:05 +0000'
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.example GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.example`;

/** What every workspace of the battery begins with. */
export const template = `
${dates}
mkdir -p src lib/deep empty 'odd names' hard
for name in a.txt b.txt c.txt src/one.txt src/two.txt lib/x lib/deep/y hard/first 'odd names/a b'; do
  printf 'first line of %s\\nsecond\\nthird\\n' "$name" >"$name"
done
ln hard/first hard/second
ln -s a.txt link
printf '#!/bin/sh\\necho ran\\n' >run.sh; chmod 755 run.sh
printf 'all: one.out two.out three.out four.out\\n%%.out:\\n\\techo $@ >$@\\n' >Makefile
printf -- '--- a.txt\\n+++ a.txt\\n@@ -1,3 +1,3 @@\\n first line of a.txt\\n-second\\n+patched\\n third\\n' >change.patch
git init -q -b main . && git config user.name a && git config user.email a@b.example && git config gc.auto 0
git add -A && git commit -qm first && git tag v1
git switch -qc topic && echo topic >>src/one.txt && git commit -qam topic
git switch -q main && echo main >>b.txt && git commit -qam second
git branch merged
echo changed >>c.txt
`;

const git = (title: string, script: string, fails?: Work["fails"]): Work => ({
  title: `git ${title}`,
  script: `${dates}
${script}`,
  ...(fails === undefined ? {} : { fails }),
});
const linkFails = { why: "without privileges the inode of a file changes when it is linked", for: "users" } as const;
const clean = "git checkout -q c.txt";

export const battery: readonly Work[] = [
  git("add", "git add -A"),
  git("commit", "git commit -qam more && echo new >new.txt && git add new.txt && git commit -qm new"),
  git("checkout of a file", "git checkout -q HEAD~1 -- b.txt"),
  git("switch", `${clean}; git switch -q topic`),
  git("switch to a new branch", "git switch -qc fresh && git commit -qam fresh"),
  git("stash and pop", "git stash -q && echo other >>a.txt && git commit -qam other && git stash pop -q"),
  git("rebase", `${clean}; git switch -q topic && git rebase -q main`),
  git("merge", `${clean}; git merge -q --no-edit topic`),
  git("cherry-pick", `${clean}; git cherry-pick topic >/dev/null`),
  git("reset --hard", "git reset -q --hard HEAD~1"),
  git("revert", `${clean}; git revert --no-edit HEAD >/dev/null`),
  git("gc", "git gc -q --prune=now"),
  git("mv of a file", "git mv a.txt src/moved.txt"),
  git("rm", "git rm -q src/one.txt && git rm -rq lib"),
  git("clean", "touch stray && mkdir strays && touch strays/one && git clean -qfd"),
  git("worktree add", "git worktree add -q wt topic"),
  git("tag and branch -d", "git tag v2 && git tag -a -m note v3 && git branch -qd merged"),
  git("clone of a local path", "git clone -q --no-hardlinks . copy"),
  git("clone with hard links", "git clone -q . linked-copy", linkFails),
  git("submodule add", "git -c protocol.file.allow=always submodule --quiet add ./ sub", linkFails),
  git("mv of a directory", "git mv lib library", {
    why: "a directory that existed before cannot be renamed in a view",
    for: "everybody",
  }),
  git("init", "mkdir fresh && cd fresh && git init -q -b main . && git config user.name b"),
  git(
    "fetch and pull of a local path",
    "git fetch -q . topic:fetched && git commit -qam more && git pull -q --no-rebase --no-edit . topic",
  ),
  git(
    "rebase with a conflict, continued",
    `${clean}; git switch -q topic && sed -i 's/topic/other/' src/one.txt && git commit -qam other
git rebase -q --onto v1 HEAD~1 || { git checkout -q --theirs src/one.txt && git add src/one.txt && GIT_EDITOR=true git rebase --continue >/dev/null; }`,
  ),
  git(
    "merge with a conflict, given up",
    `echo mine >>src/one.txt && git commit -qam mine && { git merge -q topic || git merge --abort; }`,
  ),
  git(
    "am and apply",
    "git format-patch -q -1 topic && git am -q -3 0001-*.patch; git diff v1 main -- b.txt | sed s/b.txt/a.txt/g >m.patch; git apply --recount m.patch",
  ),
  git(
    "restore and rm --cached",
    "git restore c.txt && git rm -q --cached a.txt && git restore --source=v1 --staged --worktree b.txt",
  ),
  git("worktree remove", "git worktree add -q wt topic && git worktree remove wt && git worktree prune"),
  git(
    "submodule add without hard links",
    `git clone -q --no-hardlinks . sub && git -c protocol.file.allow=always submodule --quiet add ./ sub
git submodule --quiet deinit -f sub`,
  ),
  git(
    "bisect",
    `${clean}; for n in 1 2 3 4; do git commit -q --allow-empty -m $n; done
git bisect start HEAD v1 >/dev/null && git bisect run true >/dev/null && git bisect reset >/dev/null 2>&1`,
  ),
  { title: "make -j", script: "make -s -j4" },
  { title: "make again after an edit", script: "make -s; rm two.out; make -s; make -s clean || true" },
  {
    title: "a compiler and an archive",
    script: "printf 'int f(void) { return 1; }\\n' >f.c && cc -c f.c -o f.o && ar rcD libf.a f.o && ar t libf.a >names",
  },
  {
    title: "tests in Python, with compiled files",
    script: `mkdir pkg; printf 'def f(): return 1\\n' >pkg/m.py; touch pkg/__init__.py
printf 'import unittest\\nfrom pkg.m import f\\nclass T(unittest.TestCase):\\n  def test(self): self.assertEqual(f(), 1)\\n' >pkg/test_m.py
touch -d 2026-01-02 pkg/*; python3 -m unittest -q pkg.test_m 2>/dev/null`,
  },
  {
    title: "files in Python: mapped memory, locks, in place",
    script: `python3 - <<'E'
import fcntl, mmap, os, shutil, tempfile
with open("a.txt", "r+b") as f:
    fcntl.flock(f, fcntl.LOCK_EX)
    m = mmap.mmap(f.fileno(), 0); m[0:5] = b"FIRST"; m.flush(); m.close()
fd, name = tempfile.mkstemp(dir="src"); os.write(fd, b"whole"); os.fsync(fd); os.close(fd)
os.replace(name, "src/one.txt"); os.chmod("src/one.txt", 0o640)
shutil.copytree("lib", "lib2", symlinks=True); shutil.move("lib2/deep", "moved"); shutil.rmtree("lib2")
os.link("b.txt", "b2.txt"); os.unlink("b.txt"); os.mkdir("new"); os.rename("new", "newer"); os.removedirs("empty")
E`,
  },
  {
    title: "an editor: a backup beside the file, then in place",
    script: `cp -p a.txt a.txt~; printf 'swap' >.a.txt.swp; printf 'edited\\n' >a.txt; rm .a.txt.swp
perl -pi.bak -e s/second/2nd/ b.txt src/*.txt
if command -v ed; then printf '1s/first/1st/\\nw\\nq\\n' | ed -s c.txt; fi
if command -v ex; then printf '1s/first/1st/\\nwq\\n' | ex -s -u NONE lib/x; fi`,
  },
  {
    title: "gzip, zip, split and cat",
    script: "gzip -n src/one.txt; gzip -dc src/one.txt.gz >again; split -l1 a.txt part-; cat part-* >a.txt",
  },
  {
    title: "dd and truncate in place",
    script: "printf XX | dd of=a.txt bs=1 seek=3 conv=notrunc status=none; truncate -s +9 b.txt; truncate -s 1 c.txt",
  },
  {
    title: "cp with links, find -delete, rmdir -p",
    script:
      "cp -al src linked; cp --remove-destination b.txt a.txt; find lib -name y -delete; rmdir lib/deep empty; mkdir -p x/y/z; rmdir -p x/y/z",
  },
  {
    title: "two names exchanged by a third",
    script:
      "mv a.txt t; mv b.txt a.txt; mv t b.txt; ln -s b.txt tmp-link; mv -T tmp-link link; mkdir t; mv src/one.txt t; mv t empty/",
  },
  {
    title: "rename of a directory in one step",
    script: 'python3 -c \'import os; os.rename("lib", "library")\'',
    fails: { why: "a directory that existed before cannot be renamed in a view", for: "everybody" },
  },
  {
    title: "background processes of one command",
    script:
      "for n in 1 2 3 4 5 6 7 8; do (for i in $(seq 20); do echo $n.$i; done >out-$n; mv out-$n done-$n) & done; wait; cat done-* | sort >all",
  },
  {
    title: "SQLite with a write-ahead log",
    script: `python3 - <<'E'
import sqlite3
one = sqlite3.connect("data.db"); one.execute("pragma journal_mode=wal")
one.execute("create table t (v)"); one.executemany("insert into t values (?)", [(n,) for n in range(500)]); one.commit()
two = sqlite3.connect("data.db"); two.execute("update t set v = v + 1 where v < 100"); two.commit()
one.close(); two.close()
three = sqlite3.connect("data.db"); open("sum.txt", "w").write(str(three.execute("select sum(v) from t").fetchone()))
three.close()
E`,
  },
  { title: "sed -i", script: "sed -i s/second/2nd/ a.txt b.txt src/*.txt" },
  { title: "mv of a file and of a directory", script: "mv a.txt renamed.txt; mv lib library; mv src/one.txt empty/" },
  { title: "mv over a file", script: "mv -f a.txt b.txt" },
  { title: "cp -r and cp -a", script: "cp -r lib lib2; cp -a src src2; cp a.txt b.txt", timed: ["src2/two.txt"] },
  { title: "rm -rf", script: "rm -rf lib src/one.txt" },
  { title: "rm -rf, then the same directory again", script: "rm -rf lib; mkdir -p lib/deep; echo new >lib/deep/z" },
  { title: "chmod", script: "chmod 600 a.txt; chmod -R go-rwx lib; chmod 500 src; chmod +x b.txt" },
  {
    title: "new files in a directory that is closed again",
    script: "echo 1 >lib/new; chmod 555 lib; mkdir ro; echo 1 >ro/f; chmod 555 ro",
  },
  { title: "a file that its owner cannot read", script: "echo 1 >unreadable; chmod 000 unreadable" },
  {
    title: "ln",
    script: "ln a.txt second-name; ln src/one.txt lib/one.txt; echo both >new; ln new new2; echo more >>new2",
  },
  { title: "ln -s", script: "ln -s src/one.txt l1; ln -s ../b.txt lib/l2; ln -sfn lib link; ln -s missing dangling" },
  {
    title: "tar",
    script: "tar cf all.tar src lib; mkdir out; tar xf all.tar -C out; rm all.tar",
    timed: ["out/src/two.txt"],
  },
  { title: "patch", script: "patch -s -p0 <change.patch" },
  {
    title: "touch -d",
    script: "touch -d '2001-02-03 04:05:06.123456789' a.txt lib/x new",
    timed: ["a.txt", "lib/x", "new"],
  },
  { title: "install", script: "install -D -m 750 run.sh bin/run; install -m 644 a.txt b.txt" },
  {
    title: "write and rename",
    script: "printf 'edited\\n' >a.txt.tmp; mv a.txt.tmp a.txt; cp b.txt b.txt~; printf 'x\\n' >b.txt",
  },
  { title: "truncate and append", script: "truncate -s 5 a.txt; : >b.txt; echo more >>c.txt; truncate -s 2000000 big" },
  { title: "a file becomes a directory", script: "rm a.txt; mkdir a.txt; echo in >a.txt/in" },
  {
    title: "a directory becomes a file, another one a link",
    script: "rm -r lib; echo file >lib; rm -r src; ln -s hard src",
  },
  {
    title: "odd names",
    script: `cd 'odd names'; echo 1 >'with, comma:colon'; echo 2 >$'new\\nline'; echo 3 >$'\\e[31mred'; mkdir ' '
echo 4 >' /-n'; echo 5 >"$(printf 'n%.0s' {1..255})"; echo 6 >'back\\slash'; echo 7 >'ümläut'; rm 'a b'`,
  },
  {
    title: "a hard link to a file that existed",
    script: "echo more >>hard/first",
    differs: { why: "a view breaks the link to the other name", paths: ["hard/second", "git status"] },
  },
  {
    title: "FIFOs, and a name that is not UTF-8",
    script: "mkfifo pipe; mkdir more; mkfifo more/pipe; touch more/plain $'more/\\xff'",
    differs: { why: "special files and such names are never applied", paths: ["more/pipe", "more/\xff", "pipe"] },
  },
];
