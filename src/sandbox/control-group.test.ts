import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ControlGroup, findGroupPlace } from "./control-group.ts";

let root: string;
const at = (...parts: string[]) => join(root, ...parts);

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "groups-")));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

/** A group as the kernel shows it, with the controllers that it hands on. */
function group(path: string, handsOn = ""): void {
  mkdirSync(at(path), { recursive: true });
  writeFileSync(at(path, "cgroup.procs"), "");
  writeFileSync(at(path, "cgroup.subtree_control"), handsOn);
}

describe("the place for a group", () => {
  test("is below our own where the controller has a tree of its own", () => {
    group("pids/user/me");
    const kernel = {
      groups: "8:pids:/user/me\n4:memory:/elsewhere\n0::/\n",
      mounts: `cgroup ${at("pids")} cgroup rw,relatime,pids 0 0\ncgroup2 ${at("unified")} cgroup2 rw 0 0\n`,
    };
    expect(findGroupPlace("pids", kernel)).toEqual({
      controller: "pids",
      parent: at("pids/user/me"),
      limitFile: "pids.max",
    });
    expect(findGroupPlace("memory", kernel)).toBeUndefined();
  });

  test("is the nearest group above us that hands the controller on, in the unified tree", () => {
    group("", "memory pids");
    group("user.slice", "memory pids");
    group("user.slice/app.slice", "memory");
    group("user.slice/app.slice/me.scope");
    const kernel = { groups: "0::/user.slice/app.slice/me.scope\n", mounts: `cgroup2 ${root} cgroup2 rw 0 0\n` };
    expect([findGroupPlace("memory", kernel), findGroupPlace("pids", kernel)]).toEqual([
      { controller: "memory", parent: at("user.slice/app.slice"), limitFile: "memory.max" },
      { controller: "pids", parent: at("user.slice"), limitFile: "pids.max" },
    ]);
  });

  test("is nowhere when we are the only group, or there are none", () => {
    group("", "memory pids");
    expect(findGroupPlace("pids", { groups: "0::/\n", mounts: `cgroup2 ${root} cgroup2 rw 0 0\n` })).toBeUndefined();
    expect(findGroupPlace("pids", { groups: "", mounts: "" })).toBeUndefined();
  });
});

test("two sandboxes of one process have a group each", async () => {
  const place = { controller: "pids", parent: root, limitFile: "pids.max" } as const;
  await Promise.all([new ControlGroup(place, 64), new ControlGroup(place, 64)].map((held) => held.hold(process.pid)));
  expect(readdirSync(root)).toHaveLength(2);
});

test("a group that goes while a process is on its way in is made again, but not for ever", async () => {
  const held = new ControlGroup({ controller: "pids", parent: root, limitFile: "pids.max" }, 64);
  await held.hold(process.pid);
  rmSync(at(...readdirSync(root)), { recursive: true });
  await held.hold(process.pid);
  expect(readdirSync(root)).toHaveLength(1);
  rmSync(root, { recursive: true });
  // Nothing can be made here, whoever tries.
  writeFileSync(root, "");
  await expect(held.hold(process.pid)).rejects.toThrow("ENOTDIR");
});

test("a group is made with its limit when the first process comes, and those of dead runtimes go", async () => {
  mkdirSync(at("gauntlet-999999999-64"));
  mkdirSync(at("unrelated"));
  const held = new ControlGroup({ controller: "pids", parent: root, limitFile: "pids.max" }, 64);
  await held.hold(process.pid);
  const [name = "", ...others] = readdirSync(root);
  const path = at(name);
  expect([name, others]).toEqual([expect.stringMatching(`^gauntlet-${process.pid}-64-\\w{8}$`), ["unrelated"]]);
  expect(readFileSync(join(path, "pids.max"), "utf8")).toBe("64");
  expect(readFileSync(join(path, "cgroup.procs"), "utf8")).toBe(String(process.pid));
});
