import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createScan } from "./scan.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "scan-")));
  mkdirSync(join(root, "src/deep"), { recursive: true });
  writeFileSync(join(root, "src/a.ts"), "a");
  writeFileSync(join(root, "src/deep/b.ts"), "b");
  symlinkSync("/usr", join(root, "system"));
});

afterEach(() => {
  vi.useRealTimers();
  rmSync(`${root}-elsewhere`, { force: true });
  rmSync(root, { recursive: true, force: true });
});

const at = (...parts: string[]) => join(root, ...parts);

/** So far in the future that every listing counts as settled and the cache is really used. */
function settle(): void {
  vi.setSystemTime(Date.now() + 3_600_000);
}

/** The file system's clock may tick as seldom as once in ten milliseconds. */
function untilTimeMoves(): void {
  const probe = `${root}-elsewhere`;
  const made = () => {
    writeFileSync(probe, "");
    return lstatSync(probe).ctimeMs;
  };
  for (const begun = made(); made() === begun; );
}

describe("finding", () => {
  test("looks at every name, follows no link, and sees what came since", () => {
    settle();
    const scan = createScan();
    const byExtension = () => scan.find(root, (name) => name.endsWith(".ts"));
    expect(byExtension()).toEqual([at("src/a.ts"), at("src/deep/b.ts")]);
    untilTimeMoves();
    writeFileSync(at("src/deep/c.ts"), "c");
    expect(byExtension()).toEqual([at("src/a.ts"), at("src/deep/b.ts"), at("src/deep/c.ts")]);
    untilTimeMoves();
    rmSync(at("src/deep"), { recursive: true });
    expect(byExtension()).toEqual([at("src/a.ts")]);
    expect(scan.find(root, (name, path) => name === "system" && path === at("system"))).toEqual([at("system")]);
  });

  test("is not fooled by a directory whose time was set back", () => {
    const scan = createScan();
    scan.find(root, () => true);
    for (let index = 0; index < 20; index++) {
      writeFileSync(at("src", `hidden-${index}`), "");
      utimesSync(at("src"), 0, 0);
      expect(scan.find(root, (name) => name === `hidden-${index}`)).toEqual([at("src", `hidden-${index}`)]);
    }
  });

  test("goes into directories whose names are not valid text", () => {
    const odd = (name: string) => Buffer.concat([Buffer.from(at("odd-")), Buffer.from([0xff]), Buffer.from(name)]);
    mkdirSync(odd("/inner"), { recursive: true });
    writeFileSync(odd("/.env"), "");
    writeFileSync(odd("/inner/.env"), "");
    const scan = createScan();
    for (let look = 0; look < 2; look++)
      expect(scan.find(root, (name) => name === ".env")).toEqual([at("odd-\ufffd/.env"), at("odd-\ufffd/inner/.env")]);
    expect(scan.find(root, (name) => name.startsWith("odd"))).toEqual([at("odd-\ufffd")]);
  });

  test("of something that is not a directory finds nothing, until it is one", () => {
    const scan = createScan();
    const any = () => true;
    expect([scan.find(at("missing"), any), scan.find(at("src/a.ts"), any)]).toEqual([[], []]);
    mkdirSync(at("missing"));
    writeFileSync(at("missing/there"), "");
    expect(scan.find(at("missing"), any)).toEqual([at("missing/there")]);
  });

  test("passes over git's object stores, unless it is to look everywhere", () => {
    const odd = Buffer.concat([Buffer.from(at("odd-")), Buffer.from([0xff])]);
    const stored = Buffer.from("/.git/objects/evil");
    const isConfiguration = (name: string) => name === "config";
    for (const store of [Buffer.from(at(".git/objects/evil/deep")), Buffer.concat([odd, stored])]) {
      mkdirSync(store, { recursive: true });
      writeFileSync(Buffer.concat([store, Buffer.from("/config")]), "");
    }
    const scan = createScan();
    const named = at(".git/objects/evil/deep/config");
    const unnamed = at("odd-\ufffd/.git/objects/evil/config");
    expect(scan.find(root, isConfiguration)).toEqual([unnamed]);
    const everywhere = (from: string) => scan.findEverywhere(from, isConfiguration);
    expect([everywhere(root), everywhere(at(".git/objects")), everywhere(at(".git/objects/evil"))]).toEqual([
      [named, unnamed],
      [named],
      [named],
    ]);
    rmSync(at(".git/objects/evil/deep/config"));
    expect(everywhere(root)).toEqual([unnamed]);
  });
});

describe("with others in the same turn", () => {
  const isLate = (name: string) => name === "late";

  test("one look answers all; the next turn has its own", async () => {
    const scan = createScan({ shares: true });
    expect(scan.find(root, isLate)).toEqual([]);
    writeFileSync(at("src/late"), "");
    expect([scan.find(root, isLate), scan.findEverywhere(root, isLate)]).toEqual([[], []]);
    await nextTurn();
    expect(scan.find(root, isLate)).toEqual([at("src/late")]);
  });

  test("what changed is looked at anew, and then known to all", () => {
    const scan = createScan({ shares: true });
    const before = scan.snapshot([root]);
    writeFileSync(at("src/late"), "");
    expect(scan.changes(before, [root])).toEqual([{ path: at("src/late"), change: "created" }]);
    expect(scan.find(root, isLate)).toEqual([at("src/late")]);
  });
});

test("of the store of a bare repository only that something was added is seen", () => {
  for (const name of ["x.git/refs", "x.git/objects/ab"]) mkdirSync(at(name), { recursive: true });
  writeFileSync(at("x.git/HEAD"), "");
  const scan = createScan();
  const store = at("x.git/objects");
  const before = scan.snapshot([store]);
  mkdirSync(join(store, "cd"));
  writeFileSync(join(store, "cd/ef"), "");
  expect(scan.changes(before, [store])).toEqual([{ path: join(store, "cd"), change: "created" }]);
});

describe("comparing", () => {
  test.each<[string, () => void, readonly object[]]>([
    ["nothing", () => {}, []],
    ["a new file", () => writeFileSync(at("n"), "n"), [{ path: "n", change: "created" }]],
    ["other content", () => writeFileSync(at("src/a.ts"), "A!"), [{ path: "src/a.ts", change: "modified" }]],
    ["another mode", () => chmodSync(at("src/a.ts"), 0o700), [{ path: "src/a.ts", change: "modified" }]],
    ["a removed file", () => rmSync(at("src/a.ts")), [{ path: "src/a.ts", change: "deleted" }]],
    [
      "a renamed file",
      () => renameSync(at("src/a.ts"), at("z.ts")),
      [{ path: "src/a.ts", change: "moved", to: "z.ts" }],
    ],
    ["a new directory", () => mkdirSync(at("d")), [{ path: "d", change: "created" }]],
    ["a new link", () => symlinkSync("x", at("l")), [{ path: "l", change: "created" }]],
    [
      "content of the same size with its time set back",
      () => {
        writeFileSync(at("src/a.ts"), "z");
        utimesSync(at("src/a.ts"), 0, 0);
      },
      [{ path: "src/a.ts", change: "modified" }],
    ],
    [
      "a renamed directory",
      () => renameSync(at("src/deep"), at("deep")),
      [
        { path: "deep", change: "created" },
        { path: "src/deep", change: "deleted" },
        { path: "src/deep/b.ts", change: "moved", to: "deep/b.ts" },
      ],
    ],
    [
      "a file that is another one elsewhere",
      () => {
        linkSync(at("src/a.ts"), `${root}-elsewhere`);
        writeFileSync(`${root}-elsewhere`, "changed");
        rmSync(`${root}-elsewhere`);
        linkSync(at("src/deep/b.ts"), `${root}-elsewhere`);
      },
      [
        { path: "src/a.ts", change: "modified" },
        { path: "src/deep/b.ts", change: "modified", stat: expect.objectContaining({ links: 2 }) },
      ],
    ],
    [
      "a file that got a second name",
      () => linkSync(at("src/a.ts"), at("twin")),
      [
        { path: "src/a.ts", change: "modified", stat: expect.objectContaining({ kind: "file", links: 2, size: 1 }) },
        { path: "twin", change: "created" },
      ],
    ],
  ])("sees %s", (_, act, expected) => {
    const scan = createScan();
    const before = scan.snapshot([root]);
    act();
    const relative = (path: string) => path.slice(root.length + 1);
    const changes = scan.changes(before, [root]).map((change) => ({
      ...change,
      path: relative(change.path),
      ...(change.to !== undefined && { to: relative(change.to) }),
    }));
    expect(changes).toEqual(expected);
  });

  test("sums up git's object store and still sees that it grew", () => {
    for (const name of ["ab", "cd"]) mkdirSync(at(".git/objects", name), { recursive: true });
    writeFileSync(at(".git/objects/ab/1234"), "object");
    const scan = createScan();
    const before = scan.snapshot([root]);
    expect(before.entries.has(at(".git/objects/ab/1234"))).toBe(false);
    writeFileSync(at(".git/objects/cd/5678"), "object");
    expect(scan.changes(before, [root])).toEqual([{ path: at(".git/objects/cd"), change: "modified" }]);
  });

  test("sees a name that is not valid text come and go", () => {
    const scan = createScan();
    const before = scan.snapshot([root]);
    writeFileSync(Buffer.concat([Buffer.from(at("odd-")), Buffer.from([0xff])]), "");
    expect(scan.changes(before, [root])).toEqual([{ path: at("odd-\ufffd"), change: "created" }]);
  });

  test("an incremental look equals a fresh one, whatever happened in between", () => {
    settle();
    const path = fc.constantFrom("a", "b", "d/a", "d/e/b", "src/a.ts", "src/deep/b.ts");
    const step = fc.record({ path, act: fc.constantFrom("write", "remove", "directory") });
    const scan = createScan();
    const isShort = (name: string) => name.length === 1;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
        untilTimeMoves();
        for (const { path, act } of steps) {
          rmSync(at(path), { recursive: true, force: true });
          try {
            mkdirSync(join(at(path), act === "directory" ? "." : ".."), { recursive: true });
            if (act === "write") writeFileSync(at(path), String(Math.random()));
          } catch {
            // A file stands where a directory would have to be: another step.
          }
        }
        expect(scan.snapshot([root]).entries).toEqual(createScan().snapshot([root]).entries);
        expect(scan.find(root, isShort)).toEqual(createScan().find(root, isShort));
      }),
      { numRuns: 60 },
    );
  });
});
