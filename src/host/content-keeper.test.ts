import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { ok } from "../contract/codes.ts";
import { sha256 } from "../contract/digest.ts";
import type { ChangedFile } from "../contract/ports.ts";
import { createContentKeeper } from "./content-keeper.ts";
import { createScan } from "./scan.ts";

function place(files: Readonly<Record<string, string>>) {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "content-keeper-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = path.join(base, "root");
  const store = path.join(base, "state", "snapshots", "x.db");
  mkdirSync(root);
  const at = (name: string) => path.join(root, name);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), content);
  }
  return { base, root, store, at };
}

/** One command: what it did, as the keeper tells it. */
async function around(
  { root, store }: { readonly root: string; readonly store: string },
  command: () => void,
  closed: (file: string) => boolean = () => false,
) {
  const scan = createScan();
  // As if the last change of every file were long past.
  const keeper = createContentKeeper(store, () => Date.now() + 1_000);
  const before = scan.snapshot([root]);
  const kept = await keeper.keep(before, { roots: [root], closed });
  command();
  const images: string[] = [];
  const changes = kept.describe(scan.changes(before, [root]), (content) => {
    images.push(Buffer.from(content).toString());
    return ok({ kind: "before", id: `sha256-${sha256(content)}`, bytes: content.length });
  });
  keeper.close();
  const shown = changes.map((change: ChangedFile) => ({ ...change, path: path.relative(root, change.path) }));
  return { changes: shown, images };
}

const mode = 0o644;

test("what was there and what is there, with the content before as evidence", async () => {
  const here = place({ "a.txt": "one\n", "gone.txt": "gone\n", "run.sh": "run\n" });
  symlinkSync("a.txt", here.at("link"));
  const { changes, images } = await around(here, () => {
    writeFileSync(here.at("a.txt"), "two\n");
    rmSync(here.at("gone.txt"));
    chmodSync(here.at("run.sh"), 0o755);
    renameSync(here.at("link"), here.at("moved"));
    mkdirSync(here.at("new"));
  });
  const link = sha256("a.txt");
  expect(changes).toEqual([
    {
      path: "a.txt",
      change: "modified",
      before: sha256("one\n"),
      after: sha256("two\n"),
      was: { kind: "file", mode },
      is: { kind: "file", mode },
      image: { kind: "before", id: `sha256-${sha256("one\n")}`, bytes: 4 },
    },
    {
      path: "gone.txt",
      change: "deleted",
      before: sha256("gone\n"),
      was: { kind: "file", mode },
      image: { kind: "before", id: `sha256-${sha256("gone\n")}`, bytes: 5 },
    },
    {
      path: "link",
      change: "moved",
      to: here.at("moved"),
      before: link,
      after: link,
      was: { kind: "symlink", mode: 0o777 },
      is: { kind: "symlink", mode: 0o777 },
    },
    { path: "new", change: "created", is: { kind: "directory", mode: statSync(here.at("new")).mode & 0o7777 } },
    {
      path: "run.sh",
      change: "modified",
      before: sha256("run\n"),
      after: sha256("run\n"),
      was: { kind: "file", mode },
      is: { kind: "file", mode: 0o755 },
    },
  ]);
  expect(images).toEqual(["one\n", "gone\n"]);
});

test("a file that did not change is not read again, by this process or a later one", async () => {
  const here = place({ "a.txt": "one\n", "b.txt": "bee\n" });
  await around(here, () => {});
  // Everything that is to be read is asked about first.
  const asked: string[] = [];
  const ask = (file: string) => {
    asked.push(path.basename(file));
    return false;
  };
  await around(here, () => appendFileSync(here.at("b.txt"), "more\n"), ask);
  expect(asked).toEqual(["b.txt"]);
});

test("what is closed, large, left out or has other names is not kept, and the record says why", async () => {
  const here = place({
    secret: "ThisIsASecret\n",
    "large.bin": "x".repeat(9 * 1024 * 1024),
    "node_modules/dep/index.js": "dep\n",
    ".gitignore": "target\n",
    "target/CACHEDIR.TAG": "Signature\n",
    "target/out.o": "object\n",
    "linked.txt": "ThisIsASecret\n",
  });
  linkSync(here.at("linked.txt"), path.join(here.base, "other-name"));
  const names = ["large.bin", "linked.txt", "node_modules/dep/index.js", "secret", "target/out.o"];
  const { changes, images } = await around(
    here,
    () => {
      for (const name of names) rmSync(here.at(name));
    },
    (file) => path.basename(file) === "secret",
  );
  expect(changes.map(({ path: file, unkept, before }) => [file, unkept, before])).toEqual([
    ["large.bin", "too_large", undefined],
    ["linked.txt", "other_names", undefined],
    ["node_modules/dep/index.js", "left_out", undefined],
    ["secret", "closed", undefined],
    ["target/out.o", "left_out", undefined],
  ]);
  expect([images, readFileSync(here.store, "latin1").includes("ThisIsASecret")]).toEqual([[], false]);
});

test.each([
  ["src/CACHEDIR.TAG", "src/pay.js", "", undefined],
  ["src/CACHEDIR.TAG", "src/pay.js", "src\n", undefined],
  ["dist/CACHEDIR.TAG", "dist/pay.js", "", undefined],
  ["dist/CACHEDIR.TAG", "dist/pay.js", "dist\n", "left_out"],
  [".cache/other", ".cache/pay.js", "", undefined],
  [".cache/other", ".cache/pay.js", ".cache/\n", "left_out"],
])("beside %s, %s with the ignored %j: %s", async (beside, file, ignored, unkept) => {
  const here = place({ ".gitignore": ignored, [beside]: "Signature\n", [file]: "pay()\n" });
  const { changes, images } = await around(here, () => writeFileSync(here.at(file), "evil()\n"));
  expect(changes.map((change) => [change.path, change.unkept])).toEqual([[file, unkept]]);
  expect(images).toEqual(unkept === undefined ? ["pay()\n"] : []);
});

test("what a command itself has git ignore counts for the next one", async () => {
  const here = place({ ".cache/pay.js": "pay()\n" });
  const { changes, images } = await around(here, () => {
    writeFileSync(here.at(".gitignore"), ".cache\n");
    writeFileSync(here.at(".cache/pay.js"), "evil()\n");
  });
  expect(changes.map((change) => [change.path, change.unkept])).toEqual([
    [".cache/pay.js", undefined],
    [".gitignore", undefined],
  ]);
  expect(images).toEqual(["pay()\n"]);
});

test("a store that is damaged or of no use is begun anew, and one that cannot be made stops no command", async () => {
  const here = place({ "a.txt": "one\n" });
  mkdirSync(path.dirname(here.store), { recursive: true });
  writeFileSync(here.store, "this is no database ".repeat(100));
  const mended = await around(here, () => rmSync(here.at("a.txt")));
  expect(mended.images).toEqual(["one\n"]);

  writeFileSync(here.at("a.txt"), "two\n");
  const nowhere = { ...here, store: path.join(here.at("a.txt"), "below-a-file.db") };
  const unkept = await around(nowhere, () => rmSync(here.at("a.txt")));
  expect(unkept.changes).toEqual([{ path: "a.txt", change: "deleted", unkept: "no_store" }]);
});

/** As another process does it that is in the middle of something. */
function hold(store: string): () => void {
  const holding = new DatabaseSync(store);
  holding.exec("BEGIN EXCLUSIVE");
  return () => holding.close();
}

test("a store that somebody holds when a command ends takes the content before, and no other fact", async () => {
  const here = place({ "a.txt": "one\n", "gone.txt": "gone\n", "run.sh": "run\n" });
  let letGo = () => {};
  const { changes, images } = await around(here, () => {
    writeFileSync(here.at("a.txt"), "two\n");
    rmSync(here.at("gone.txt"));
    chmodSync(here.at("run.sh"), 0o755);
    letGo = hold(here.store);
  });
  letGo();
  expect(changes).toEqual([
    {
      path: "a.txt",
      change: "modified",
      after: sha256("two\n"),
      was: { kind: "file", mode },
      is: { kind: "file", mode },
      unkept: "no_store",
    },
    { path: "gone.txt", change: "deleted", was: { kind: "file", mode }, unkept: "no_store" },
    {
      path: "run.sh",
      change: "modified",
      before: sha256("run\n"),
      after: sha256("run\n"),
      was: { kind: "file", mode },
      is: { kind: "file", mode: 0o755 },
    },
  ]);
  expect(images).toEqual([]);
});

test("a store that somebody holds is left as it is, one that another version wrote is begun anew", async () => {
  const here = place({ "a.txt": "one\n" });
  await around(here, () => {});
  const { ino } = statSync(here.store);
  const letGo = hold(here.store);
  const meanwhile = await around(here, () => writeFileSync(here.at("a.txt"), "two\n"));
  letGo();
  expect(meanwhile.changes).toEqual([{ path: "a.txt", change: "modified", unkept: "no_store" }]);
  expect(statSync(here.store).ino).toBe(ino);
  expect((await around(here, () => rmSync(here.at("a.txt")))).images).toEqual(["two\n"]);

  rmSync(here.store);
  const other = new DatabaseSync(here.store);
  other.exec("CREATE TABLE files (name TEXT)");
  other.close();
  writeFileSync(here.at("a.txt"), "three\n");
  expect((await around(here, () => rmSync(here.at("a.txt")))).images).toEqual(["three\n"]);
});

test("of a call that never ended, what it named is told once, with what stood there", async () => {
  const here = place({ "a.txt": "one\n", "same.txt": "same\n", "d/x": "x\n", "d/y": "y\n", "other.txt": "1\n" });
  const scan = createScan();
  const keeper = createContentKeeper(here.store, () => Date.now() + 1_000);
  const named = {
    call: "inv_1",
    places: [
      ...["a.txt", "same.txt", "new.txt", "never.txt", "made"].map((name) => ({
        path: here.at(name),
        scope: "file" as const,
      })),
      { path: here.at("d"), scope: "tree" as const },
    ],
  };
  await keeper.keep(scan.snapshot([here.root]), { roots: [here.root], closed: () => false, named });
  writeFileSync(here.at("a.txt"), "two\n");
  writeFileSync(here.at("new.txt"), "new\n");
  writeFileSync(here.at("other.txt"), "2\n");
  rmSync(here.at("d/x"));
  mkdirSync(here.at("made"));
  const touchedOf = (name: string) => ({ touchedMs: statSync(here.at(name)).ctimeMs });
  keeper.close();

  const later = createContentKeeper(here.store);
  const evidence = (content: Uint8Array) =>
    ok({ kind: "before" as const, id: `sha256-${sha256(content)}`, bytes: content.length });
  const changed = later
    .changedSince("inv_1", evidence)
    .map((one) => ({ ...one, path: path.relative(here.root, one.path) }));
  const file = { kind: "file", mode };
  const touchedMs = expect.any(Number);
  const image = (text: string) => ({ kind: "before", id: `sha256-${sha256(text)}`, bytes: text.length });
  expect(changed).toEqual([
    {
      ...{ path: "a.txt", change: "modified", was: file, is: file },
      ...{ before: sha256("one\n"), after: sha256("two\n"), image: image("one\n"), touchedMs },
    },
    { path: "d/x", change: "deleted", was: file, before: sha256("x\n"), image: image("x\n"), ...touchedOf("d") },
    { path: "made", change: "created", is: { kind: "directory", mode: expect.any(Number) }, ...touchedOf("made") },
    { path: "new.txt", change: "created", is: file, after: sha256("new\n"), touchedMs },
  ]);
  expect([later.changedSince("inv_1", evidence), later.changedSince("inv_2", evidence)]).toEqual([[], []]);
  later.close();
});

test("a call that ended is not told again", async () => {
  const here = place({ "a.txt": "one\n" });
  const scan = createScan();
  const keeper = createContentKeeper(here.store);
  const before = scan.snapshot([here.root]);
  const named = { call: "inv_1", places: [{ path: here.at("a.txt"), scope: "file" as const }] };
  const kept = await keeper.keep(before, { roots: [here.root], closed: () => false, named });
  writeFileSync(here.at("a.txt"), "two\n");
  const evidence = (content: Uint8Array) => ok({ kind: "before" as const, id: "x", bytes: content.length });
  kept.describe(scan.changes(before, [here.root]), evidence);
  expect(keeper.changedSince("inv_1", evidence)).toEqual([]);
  keeper.close();
});

test("output directories that git ignores or that are new are told apart from those that only look like one", async () => {
  const here = place({ ".gitignore": "/dist\n", "dist/a": "a\n", "build/a": "a\n", "tmp/a": "a\n" });
  const { changes } = await around(here, () => {
    for (const name of ["dist/a", "dist/b", "build/a", "tmp/a"]) writeFileSync(here.at(name), "changed\n");
    mkdirSync(here.at("out"));
    writeFileSync(here.at("out/a"), "new\n");
  });
  expect(changes.map(({ path: file, generated = false }) => [file, generated])).toEqual([
    ["build/a", false],
    ["dist/a", true],
    ["dist/b", true],
    ["out", true],
    ["out/a", true],
    ["tmp/a", false],
  ]);
});
