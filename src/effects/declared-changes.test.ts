import { describe, expect, test } from "vitest";
import type { Effect } from "../contract/effect.ts";
import type { ChangedFile } from "../contract/ports.ts";
import { declaredChanges } from "./declared-changes.ts";

const root = "/w";
const file = (op: "write" | "delete", path: string, scope: "file" | "tree" = "file"): Effect => ({
  op,
  path: { written: path, resolved: `${root}/${path}`, kind: "file" },
  scope,
});
const runs = (words: string): Effect => ({ op: "exec", program: words.split(" ")[0] ?? "", argv: words.split(" ") });
const opaque: Effect = { op: "unknown", why: "nobody knows" };

type Change = readonly [change: ChangedFile["change"], path: string, to?: string];

function declared(effects: readonly Effect[], [change, path, to]: Change, made: readonly string[] = []): boolean {
  const ran = effects.flatMap((effect) => (effect.op === "exec" ? [effect.argv.join(" ")] : []));
  const text = ran.length === 0 ? {} : { text: ran.join(" && ") };
  const declares = declaredChanges({ effects, cwd: root, roots: [root], ...text });
  const moved = to === undefined ? {} : { to: `${root}/${to}` };
  return declares({ path: `${root}/${path}`, change, ...moved }, (one) => made.includes(one));
}

function declaredBy(effects: readonly Effect[], text: string, [change, path]: Change): boolean {
  const declares = declaredChanges({ effects, text, cwd: root, roots: [root] });
  return declares({ path: `${root}/${path}`, change }, () => false);
}

describe("what a call said that it would change", () => {
  test.each<[string, readonly Effect[], Change, boolean]>([
    ["a file that it names", [file("write", "a")], ["modified", "a"], true],
    ["another one", [file("write", "a")], ["modified", "b"], false],
    ["one that it names beside something opaque", [file("write", "a"), opaque], ["modified", "a"], true],
    ["a removal that it did not speak of", [file("write", "a")], ["deleted", "a"], false],
    ["a removal", [file("delete", "d", "tree"), opaque], ["deleted", "d/x"], true],
    ["what is made anew below what it removes", [file("delete", "d", "tree"), opaque], ["modified", "d/x"], false],
    ["what is put in the place of it", [file("delete", "d", "tree"), opaque], ["created", "d"], true],
    ["below a tree", [file("write", "src", "tree")], ["modified", "src/x"], true],
    ["below a tree, beside something opaque", [file("write", "src", "tree"), opaque], ["modified", "src/x"], false],
    ["a move", [file("delete", "a"), file("write", "b"), opaque], ["moved", "a", "b"], true],
    ["a move to where it did not say", [file("delete", "a"), opaque], ["moved", "a", "b"], false],
    ["all that an unknown program does", [runs("npm test")], ["modified", "a"], false],
    ["a formatter below its operand", [runs("prettier --write src")], ["modified", "src/a.ts"], true],
    ["a formatter beside it", [runs("prettier --write src")], ["modified", "notes.md"], false],
    ["a formatter that only looks", [runs("prettier --check src")], ["modified", "src/a.ts"], false],
    ["one through a launcher", [runs("npx --yes eslint --fix src/**/*.ts")], ["modified", "src/x/a.ts"], true],
    ["one of Python", [runs("python3 -m black .")], ["modified", "a.py"], true],
    ["one with a test behind it", [runs("black ."), runs("npm test")], ["modified", "a.py"], false],
    ["its very operand", [runs("black a.py"), runs("npm test")], ["modified", "a.py"], true],
    ["a package manager's books", [runs("npm install left-pad")], ["modified", "package.json"], true],
    ["what its scripts do", [runs("npm install left-pad")], ["modified", "src/a.ts"], false],
    ["a script of it", [runs("npm run install")], ["modified", "package.json"], false],
    ["git's books", [runs("git -c a=b commit -m x")], ["modified", ".git/index"], true],
    ["a tree that git only records", [runs("git add -A")], ["modified", "a"], false],
    ["a tree that git writes", [runs("git checkout other")], ["deleted", "a"], true],
    ["git's books while something else runs", [runs("git commit"), opaque], ["modified", ".git/index"], false],
  ])("%s", (_name, effects, change, expected) => {
    expect(declared(effects, change)).toBe(expected);
  });

  test("a tree that is new belongs to whoever said that it would be there", () => {
    const copies = [file("write", "lib", "tree"), opaque];
    expect([declared(copies, ["created", "lib/a"]), declared(copies, ["created", "lib/a"], ["/w/lib"])]).toEqual([
      false,
      true,
    ]);
  });

  test("a link that is replaced counts by its own name", () => {
    const effects: readonly Effect[] = [
      { op: "write", path: { written: "link", resolved: "/w/target", kind: "file" }, scope: "file" },
    ];
    expect([declared(effects, ["modified", "link"]), declared(effects, ["modified", "target"])]).toEqual([true, true]);
  });

  test.each<[string, Change, boolean]>([
    ["git checkout other", ["modified", "a"], true],
    ["git checkout other", ["modified", ".git/HEAD"], true],
    ["cd . && git add -A && git commit -m 'a $(b)' && echo done 2>&1", ["modified", ".git/index"], true],
    ["{ touch b; git checkout other; } 2>/dev/null; true", ["modified", "a"], true],
    ["prettier --write . && git add -A", ["modified", "a"], true],
    ["sleep 4; git checkout other", ["modified", "a"], false],
    ["sleep 4; git checkout other", ["modified", ".git/HEAD"], false],
    ["sleep 4; prettier --write .", ["modified", "a"], false],
    ["prettier --write . | tee log", ["modified", "a"], false],
    ["prettier --write . & wait", ["modified", "a"], false],
    ["find . -name x; git checkout other", ["modified", "a"], false],
    ["git checkout other; curl https://example.com", ["modified", "a"], false],
    ["while true; do git checkout other; done", ["modified", "a"], false],
    ["git checkout $(sleep 4; echo other)", ["modified", "a"], false],
    ["git checkout `sleep 4`", ["modified", "a"], false],
    ["X=$(sleep 4) git checkout other", ["modified", "a"], false],
    ["git checkout other < <(sleep 4)", ["modified", "a"], false],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's.
    ["git checkout ${x:-$(sleep 4)}", ["modified", "a"], false],
    ["prettier --write a; npm test", ["modified", "a"], true],
  ])("a tree belongs to what is over in a moment: %s, %j", (text, change, expected) => {
    const known = ["git checkout other", "git commit", "prettier --write a", "prettier --write ."];
    const effects = known.filter((one) => text.includes(one)).map(runs);
    expect(declaredBy(effects, text, change)).toBe(expected);
  });

  test("without its command nothing says that a program was over in a moment", () => {
    const declares = declaredChanges({ effects: [runs("git checkout other")], cwd: root, roots: [root] });
    expect(declares({ path: "/w/a", change: "modified" }, () => false)).toBe(false);
  });

  test.each(["xargs -a list touch", "curl -o a https://example.com", "wget https://example.com", "rsync -a x y"])(
    "a tree is not that of what takes its time: %s",
    (words) => {
      expect(declared([file("write", "src", "tree"), runs(words)], ["modified", "src/a"])).toBe(false);
    },
  );

  test.each<[string, tree: boolean, books: boolean]>([
    ["git checkout -q -b x1", false, true],
    ["git checkout -b x1 other", true, true],
    ["git switch -c x1", false, true],
    ["git switch -c x1 other", true, true],
    ["git switch other", true, true],
    ["git reset --soft HEAD~1", false, true],
    ["git reset HEAD~1", false, true],
    ["git reset --hard HEAD~1", true, true],
    ["git rm --cached a", false, true],
    ["git rm a", true, true],
    ["git restore --staged a", false, true],
    ["git restore --staged --worktree a", true, true],
    ["git apply --cached a.patch", false, true],
    ["git clone https://example.com/x", false, true],
    ["git rebase main", true, true],
    ["git rebase --exec true main", false, false],
    ["git bisect run true", false, false],
    ["git submodule foreach true", false, false],
  ])("what %s writes", (words, tree, books) => {
    const effects = [runs(words)];
    expect([declared(effects, ["modified", "a"]), declared(effects, ["modified", ".git/HEAD"])]).toEqual([tree, books]);
  });

  const bare = ["worktrees/w", "objects", "refs", "logs"].map((name) => `/bare.git/${name}`);
  const books = [
    ...["worktrees/w/HEAD", "objects/ab/cd", "refs/heads/other", "refs/heads/x/y", "refs/tags/v1", "refs/stash"],
    ...["logs/refs/heads/other", "index"],
  ];
  test.each<[string, readonly string[]]>([
    ["git tag v1", ["worktrees/w/HEAD", "objects/ab/cd", "refs/tags/v1"]],
    ["git checkout -b x/y", ["worktrees/w/HEAD", "objects/ab/cd", "refs/heads/x/y"]],
    ["git stash", ["worktrees/w/HEAD", "objects/ab/cd", "refs/stash"]],
    [
      "git commit -qm x",
      ["worktrees/w/HEAD", "objects/ab/cd", "refs/heads/other", "refs/heads/x/y", "logs/refs/heads/other"],
    ],
    ["sleep 3; git tag v1", []],
  ])("of books that other trees share, %s has its own", (text, own) => {
    const effects = [runs(text.replace("sleep 3; ", ""))];
    const declares = declaredChanges({ effects, text, cwd: root, roots: [root], books: bare });
    const changed = (path: string) => declares({ path: `/bare.git/${path}`, change: "modified" }, () => false);
    expect(books.filter(changed)).toEqual(own);
  });

  test("where all references are in one file, neither the books nor the files around them are git's", () => {
    const text = "git reset --hard other";
    const effects = [runs(text), file("write", "named")];
    const place = { cwd: root, roots: [root], books: [...bare, "/bare.git/reftable"] };
    const declares = declaredChanges({ effects, text, ...place });
    const paths = ["/w/a", "/w/named", "/bare.git/worktrees/w/HEAD", "/bare.git/reftable/tables.list"];
    expect(paths.filter((path) => declares({ path, change: "modified" }, () => false))).toEqual(["/w/named"]);
  });
});
