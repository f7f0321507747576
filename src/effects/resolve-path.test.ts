import { linkSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";
import type { FileStat } from "../contract/changes.ts";
import type { Metadata } from "../contract/ports.ts";
import { createMetadata } from "../host/files/metadata.ts";
import { resolvePath } from "./resolve-path.ts";

describe("resolvePath follows as the kernel does", () => {
  test("ordinary paths", () => {
    const { root, home, view, mkdir } = makeFixture({ "src/a.ts": "x", "b.txt": "x" });
    mkdir("empty");
    const table: readonly [string, string, string][] = [
      ["src/a.ts", `${root}/src/a.ts`, "file"],
      ["./src//a.ts", `${root}/src/a.ts`, "file"],
      ["src/../b.txt", `${root}/b.txt`, "file"],
      ["src/", `${root}/src`, "directory"],
      [".", root, "directory"],
      ["empty/new/deep.ts", `${root}/empty/new/deep.ts`, "missing"],
      ["src/a.ts/below", `${root}/src/a.ts/below`, "missing"],
      [`${root}/b.txt`, `${root}/b.txt`, "file"],
      ["../home", home, "directory"],
      ["~", home, "directory"],
      ["~/x", `${home}/x`, "missing"],
      ["/", "/", "directory"],
      ["/..", "/", "directory"],
      ["/proc/self/root/etc/passwd", "/proc/self/root/etc/passwd", "special"],
      ["/dev/fd/0", "/dev/fd/0", "special"],
      ["/dev/null", "/dev/null", "special"],
      ["a b*c", `${root}/a b*c`, "missing"],
    ];
    for (const [written, resolved, kind] of table) {
      expect(view.resolve(written)).toEqual({ ok: true, value: { written, resolved, kind } });
    }
  });

  test("links: leaf, directory, chain, dangling, absolute, and the parent of a target", () => {
    const { root, home, view, link, mkdir } = makeFixture({ "src/a.ts": "x", "other/deep/z": "x" });
    mkdir("out");
    link("leaf", "src/a.ts");
    link("dir", "other/deep");
    link("chain", "dir");
    link("dangling", "out/none");
    link("away", home);
    link("proc", "/proc/self/environ");
    const table: readonly [string, string, string][] = [
      ["leaf", `${root}/src/a.ts`, "file"],
      ["dir/z", `${root}/other/deep/z`, "file"],
      ["chain/z", `${root}/other/deep/z`, "file"],
      ["chain/../x", `${root}/other/x`, "missing"],
      ["dir/..", `${root}/other`, "directory"],
      ["dangling", `${root}/out/none`, "missing"],
      ["dangling/deep", `${root}/out/none/deep`, "missing"],
      ["away/.ssh", `${home}/.ssh`, "missing"],
      ["away/../x", path.join(home, "../x"), "missing"],
      ["proc", "/proc/self/environ", "special"],
    ];
    for (const [written, resolved, kind] of table) {
      expect(view.resolve(written)).toEqual({ ok: true, value: { written, resolved, kind } });
    }
  });

  test("a file with two names says so", () => {
    const { root, view, path: at } = makeFixture({ "a.txt": "x" });
    linkSync(at("a.txt"), at("b.txt"));
    expect(view.resolve("b.txt")).toEqual({
      ok: true,
      value: { written: "b.txt", resolved: `${root}/b.txt`, kind: "file", hardLinked: true },
    });
  });

  test.each([
    ["", "it is empty"],
    ["a\0b", "it contains a NUL byte"],
    ["\ud800", "it is not valid Unicode"],
    ["~root/x", "only ~/ is expanded"],
    ["\\\\server\\share", "it is not a path of this machine"],
    ["file:///etc/passwd", "it is not a path of this machine"],
    ["loop", "too many symbolic links"],
    ["self/x", "too many symbolic links"],
    ["none/../b", "is not a directory"],
    ["b.txt/../c", "is not a directory"],
    ["x".repeat(5000), "it is longer than 4096 bytes"],
  ])("%j fails: %s", (written, why) => {
    const { view, link } = makeFixture({ "b.txt": "x" });
    link("loop", "loop2");
    link("loop2", "loop");
    link("self", "self");
    const found = view.resolve(written);
    expect(found.ok ? found.value : found.failure.message).toContain(why);
  });

  test("an error of the disk is a failure, never the path as written", () => {
    const broken: Metadata = {
      lstat: () => {
        throw new Error("EIO");
      },
      readlink: () => undefined,
    };
    const found = resolvePath("a", { metadata: broken, base: "/w", home: "/h" });
    expect(found.ok).toBe(false);
    const vanishing: Metadata = { lstat: () => ({ ...file, kind: "symlink" }), readlink: () => undefined };
    expect(resolvePath("a", { metadata: vanishing, base: "/w", home: "/h" }).ok).toBe(false);
  });

  test("agrees with the kernel on random trees of links", () => {
    const { root, home, view, mkdir, write, path: at } = makeFixture({});
    const { lstat, readlink } = createMetadata();
    const stepwise: Metadata = { lstat, readlink };
    mkdir("d/e");
    write("d/f", "x");
    const names = ["l1", "l2", "l3", "d/l4", "d/e/l5"];
    const targets = ["d", "..", ".", "d/e", "../d", "l1", "l2", "d/l4", "/", root, `${root}/d/f`, "e", "nope", "../.."];
    const component = fc.constantFrom("d", "e", "f", "..", ".", "l1", "l2", "l3", "l4", "l5", "x");
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...targets), { minLength: 5, maxLength: 5 }),
        fc.array(component, { minLength: 1, maxLength: 6 }),
        (chosen, components) => {
          for (const [index, name] of names.entries()) {
            rmSync(at(name), { force: true });
            symlinkSync(chosen[index] ?? ".", at(name));
          }
          const written = components.join("/");
          const real = kernelPath(`${root}/${written}`);
          const ours = view.resolve(written);
          expect(ours).toEqual(resolvePath(written, { metadata: stepwise, base: root, home }));
          if (real !== undefined) expect(ours.ok && ours.value.resolved).toBe(real);
          // A slash or dot behind a file is an error to the kernel; for us it still names the file.
          else if (ours.ok && !written.endsWith(".")) expect(ours.value.kind).toBe("missing");
        },
      ),
      { numRuns: 400 },
    );
  });
});

const file: FileStat = { kind: "file", size: 0, mtimeMs: 0, mode: 0, links: 1, inode: 1 };

function kernelPath(absolute: string): string | undefined {
  try {
    return realpathSync.native(absolute);
  } catch {
    return undefined;
  }
}
