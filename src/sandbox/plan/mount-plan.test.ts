import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SandboxProfile } from "../../contract/verdict.ts";
import { createMetadata } from "../../host/files/metadata.ts";
import { createScan } from "../../host/files/scan.ts";
import { isPlaceholder } from "../run/placeholders.ts";
import { planMounts } from "./mount-plan.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "mount-plan-")));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function file(path: string, content = "content"): string {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, content);
  return full;
}

function plan(profile: Partial<SandboxProfile>) {
  return planMounts({
    profile: { readable: [], writable: [], protected: [], masked: [], network: "none", ...profile },
    alsoShown: ["/usr"],
    metadata: createMetadata(),
    scan: createScan(),
    isPlaceholder,
  });
}

const at = (...parts: string[]) => join(root, ...parts);
const show = (path: string, writable: boolean) => ({ kind: "show", path, writable });
const masked = (path: string, scope: "file" | "tree" = "file") => ({ path, scope, reason: "test" });

describe("roots", () => {
  test("are shown parents first, and a writable one inside a readable one stays writable", () => {
    mkdirSync(at("out"));
    expect(plan({ readable: [at("out", ".."), root], writable: [at("out")] })).toEqual({
      ok: true,
      value: { mounts: [show(root, false), show(at("out"), true)], placeholders: [] },
    });
  });

  test.each(["/", "/home", "/tmp", "/etc", "/proc", "/proc/self/root", "/dev/shm", "/usr", "/run"])(
    "%s is refused",
    (path) => {
      expect(plan({ writable: [path] })).toMatchObject({ ok: false, failure: { code: "runtime_precondition_failed" } });
    },
  );

  test("that are only readable and missing, or the kernel's, are left out", () => {
    const readable = [root, at("missing"), "/proc/cpuinfo", "/dev/null"];
    expect(plan({ readable })).toMatchObject({ ok: true, value: { mounts: [show(root, false)] } });
  });

  test("that are writable and missing, or links, are refused", () => {
    symlinkSync("/usr", at("link"));
    expect(plan({ writable: [at("missing")] })).toMatchObject({ ok: false });
    expect(plan({ readable: [at("link")] })).toMatchObject({ ok: false, failure: { code: "effect_not_permitted" } });
    expect(plan({ writable: [at("link")] })).toMatchObject({ ok: false, failure: { code: "effect_not_permitted" } });
  });
});

describe("protected paths", () => {
  test("are closed, and every directory above them is pinned", () => {
    file(".git/hooks/pre-commit");
    file(".git/config");
    const result = plan({ writable: [root], protected: [at(".git/hooks"), at(".git/config")] });
    expect(result).toEqual({
      ok: true,
      value: {
        mounts: [
          show(root, true),
          show(at(".git"), true),
          show(at(".git/hooks"), false),
          show(at(".git/config"), false),
        ],
        placeholders: [],
      },
    });
  });

  test("that are a whole root close it, and nothing above it is shown", () => {
    mkdirSync(at("a/b"), { recursive: true });
    expect(plan({ writable: [root, at("a/b")], protected: [at("a/b")] })).toMatchObject({
      value: { mounts: [show(root, true), show(at("a/b"), false)] },
    });
    expect(plan({ writable: [root], protected: [root] })).toMatchObject({ value: { mounts: [show(root, false)] } });
  });

  test("that lie in read-only roots or nowhere need nothing", () => {
    file(".git/config");
    expect(plan({ readable: [root], protected: [at(".git/config"), "/elsewhere/x"] })).toEqual({
      ok: true,
      value: { mounts: [show(root, false)], placeholders: [] },
    });
  });

  test("that are missing get a placeholder at the first missing part", () => {
    expect(plan({ writable: [root], protected: [at(".mcp.json"), at(".claude/settings.json")] })).toEqual({
      ok: true,
      value: {
        mounts: [show(root, true), show(at(".mcp.json"), false), show(at(".claude"), false)],
        placeholders: [
          { path: at(".mcp.json"), kind: "file" },
          { path: at(".claude"), kind: "directory" },
        ],
      },
    });
  });

  test("that cannot be looked at refuse the whole sandbox", () => {
    const result = plan({ writable: [root], protected: [at("n".repeat(300))] });
    expect(result).toMatchObject({ ok: false, failure: { code: "runtime_precondition_failed" } });
  });

  test("that a runtime which died left as placeholders are placeholders again", () => {
    writeFileSync(at(".mcp.json"), "", { mode: 0o1444 });
    expect(plan({ writable: [root], protected: [at(".mcp.json")] })).toMatchObject({
      value: { placeholders: [{ path: at(".mcp.json"), kind: "file" }] },
    });
  });

  test("below a file close the file, and below something closed are closed with it", () => {
    file(".git", "gitdir: elsewhere");
    file("conf/a/b");
    expect(plan({ writable: [root], protected: [at(".git/hooks"), at("conf"), at("conf/a/b")] })).toMatchObject({
      value: { mounts: [show(root, true), show(at(".git"), false), show(at("conf"), false)] },
    });
  });

  test("behind a link close what it leads to", () => {
    file("real/config");
    symlinkSync("real", at("link"));
    expect(plan({ writable: [root], protected: [at("link/config")] })).toMatchObject({
      value: { mounts: [show(root, true), show(at("real"), true), show(at("real/config"), false)] },
    });
  });
});

test("a root that is only readable stays so inside a writable one, whatever is hidden in it", () => {
  file("a/b/c");
  expect(plan({ readable: [at("a")], writable: [root], masked: [masked(at("a/b/c"))] })).toMatchObject({
    value: {
      mounts: [
        show(root, true),
        show(at("a"), false),
        show(at("a/b"), false),
        { kind: "hide_file", path: at("a/b/c") },
      ],
    },
  });
});

test("what is opened stays writable inside what is protected, and is closed only where that is said", () => {
  for (const path of ["closed/a/x", "closed/open/x", "closed/open/kept"]) file(path);
  const profile = {
    writable: [root, at("closed/open")],
    protected: [at("closed"), at("closed/open/kept"), at("closed/a/x")],
  };
  const shown = [show(root, true), show(at("closed"), false)];
  expect(plan({ ...profile, opened: [at("closed/open")] })).toMatchObject({
    value: { mounts: [...shown, show(at("closed/open"), true), show(at("closed/open/kept"), false)] },
  });
  expect(plan(profile)).toMatchObject({ value: { mounts: [...shown, show(at("closed/open"), false)] } });
});

describe("whatever the profile", () => {
  test("nothing but roots and what lies inside them is ever shown, and nothing protected is writable", () => {
    for (const path of ["a/b/c", "a/x", "d/e", "f"]) file(path);
    symlinkSync("/usr", at("out"));
    symlinkSync("../a", at("d/up"));
    const parts = fc.constantFrom(
      "a",
      "a/b",
      "a/b/c",
      "a/x",
      "d",
      "d/e",
      "d/up/b",
      "f",
      "new",
      "new/deep",
      "out/bin",
      "..",
      ".",
    );
    const paths = fc.array(
      parts.map((part) => at(part)),
      { maxLength: 4 },
    );
    const roots = fc.array(fc.constantFrom(root, at("a"), at("a/b"), at("d")), { maxLength: 3 });
    fc.assert(
      fc.property(roots, roots, paths, paths, (readable, writable, closed, hidden) => {
        const profile = { readable, writable, protected: closed, masked: hidden.map((path) => masked(path)) };
        const planned = plan(profile);
        if (!planned.ok) throw new Error(planned.failure.message);
        const { mounts } = planned.value;
        for (const { path } of mounts)
          expect(
            [...readable, ...writable].some((shown) => path === shown || path.startsWith(`${shown}/`)) ||
              path.startsWith("/usr"),
          ).toBe(true);
        const last = (path: string) =>
          mounts.filter((mount) => path === mount.path || path.startsWith(`${mount.path}/`)).at(-1);
        for (const path of closed.filter((one) => !one.includes("/up/") && !one.includes("/out/")))
          expect(last(path)).not.toMatchObject({ kind: "show", writable: true });
      }),
    );
  });
});

describe("masked paths", () => {
  test("are hidden as what they are, and missing ones need nothing", () => {
    file(".env");
    file("private/key");
    const hidden = [masked(at(".env")), masked(at("private"), "tree"), masked(at("absent")), masked("/outside")];
    expect(plan({ readable: [root], masked: hidden })).toEqual({
      ok: true,
      value: {
        mounts: [
          show(root, false),
          { kind: "hide_file", path: at(".env") },
          { kind: "hide_tree", path: at("private") },
        ],
        placeholders: [],
      },
    });
  });

  test("are hidden under every name they have", () => {
    file("keys/id");
    linkSync(at("keys/id"), at("innocent.txt"));
    symlinkSync("keys/id", at("link"));
    expect(plan({ readable: [root], masked: [masked(at("link"))] })).toMatchObject({
      value: {
        mounts: [
          show(root, false),
          { kind: "hide_file", path: at("innocent.txt") },
          { kind: "hide_file", path: at("keys/id") },
        ],
      },
    });
  });

  test("swallow everything else below them", () => {
    file("private/open/x");
    const result = plan({
      readable: [root, at("private/open")],
      masked: [masked(at("private"), "tree"), masked(at("private/open/x"))],
    });
    expect(result).toMatchObject({
      value: { mounts: [show(root, false), { kind: "hide_tree", path: at("private") }] },
    });
  });

  test("whose names are not valid text hide the directory that holds them, and refuse where that is the root", () => {
    mkdirSync(at("odd"));
    writeFileSync(Buffer.concat([Buffer.from(at("odd/.env")), Buffer.from([0xff])]), "secret");
    const found = createScan().find(root, (name) => name.startsWith(".env"));
    expect(plan({ readable: [root], masked: found.map((path) => masked(path)) })).toMatchObject({
      value: { mounts: [show(root, false), { kind: "hide_tree", path: at("odd") }] },
    });
    expect(plan({ readable: [at("odd")], masked: found.map((path) => masked(path)) })).toMatchObject({
      ok: false,
      failure: { code: "runtime_precondition_failed", message: expect.stringContaining("not valid text") },
    });
  });

  test("that are very many are hidden by directory, the fullest first", () => {
    const many = Array.from({ length: 600 }, (_, index) => file(`certs/${index}.pem`));
    const few = Array.from({ length: 20 }, (_, index) => file(`few/${index}.pem`));
    const planned = plan({ writable: [root], masked: [...many, ...few, file("own.pem")].map((path) => masked(path)) });
    expect(planned).toMatchObject({ ok: true });
    const mounts = planned.ok ? planned.value.mounts : [];
    expect(mounts.filter(({ path }) => path.startsWith(at("certs")))).toEqual([
      { kind: "hide_tree", path: at("certs") },
    ]);
    expect(mounts.filter(({ kind }) => kind === "hide_file")).toHaveLength(21);
  });
});
