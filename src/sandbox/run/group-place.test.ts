import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Controller, findGroupPlaces } from "./limits.ts";

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

const both = ["pids", "memory"] as const;
const pids = { controller: "pids", file: "pids.max" };

test("the place for a group is below our own where the controller has a tree of its own", () => {
  group("pids/user/me");
  const kernel = {
    groups: "8:pids:/user/me\n4:memory:/elsewhere\n0::/\n",
    mounts: `cgroup ${at("pids")} cgroup rw,relatime,pids 0 0\ncgroup2 ${at("unified")} cgroup2 rw 0 0\n`,
  };
  expect(findGroupPlaces(both, kernel)).toEqual([{ parent: at("pids/user/me"), name: "/user/me", limits: [pids] }]);
});

test("the place for a group is one for controllers that share a tree", () => {
  group("both/me");
  const kernel = { groups: "3:pids,memory:/me\n", mounts: `cgroup ${at("both")} cgroup rw,memory,pids 0 0\n` };
  expect(findGroupPlaces(both, kernel)).toEqual([
    {
      parent: at("both/me"),
      name: "/me",
      limits: [pids, { controller: "memory", file: "memory.limit_in_bytes" }],
    },
  ]);
});

test("the place for a group is the nearest group above us that hands all of them on, in the unified tree", () => {
  group("", "memory pids");
  group("user.slice", "memory pids");
  group("user.slice/app.slice", "memory");
  group("user.slice/app.slice/me.scope");
  const kernel = { groups: "0::/user.slice/app.slice/me.scope\n", mounts: `cgroup2 ${root} cgroup2 rw 0 0\n` };
  const memory = { controller: "memory", file: "memory.max" };
  const questions: readonly (readonly Controller[])[] = [["memory"], ["pids"], both];
  expect(questions.map((wanted) => findGroupPlaces(wanted, kernel))).toEqual([
    [{ parent: at("user.slice/app.slice"), name: "/user.slice/app.slice", limits: [memory] }],
    [{ parent: at("user.slice"), name: "/user.slice", limits: [pids] }],
    [{ parent: at("user.slice"), name: "/user.slice", limits: [pids, memory] }],
  ]);
});

test("the place for a group is in the unified tree for what has no tree of its own, and without what nobody hands on", () => {
  group("pids/me");
  group("unified", "memory");
  group("unified/me");
  const kernel = {
    groups: "8:pids:/me\n0::/me\n",
    mounts: `cgroup ${at("pids")} cgroup rw,pids 0 0\ncgroup2 ${at("unified")} cgroup2 rw 0 0\n`,
  };
  const unified = { parent: `${at("unified")}/`, name: "/", limits: [{ controller: "memory", file: "memory.max" }] };
  expect(findGroupPlaces(both, kernel)).toEqual([{ parent: at("pids/me"), name: "/me", limits: [pids] }, unified]);
  expect(findGroupPlaces(both, { ...kernel, groups: "0::/me\n" })).toEqual([unified]);
});

test("the place for a group is nowhere when we are the only group, or there are none", () => {
  group("", "memory pids");
  expect(findGroupPlaces(both, { groups: "0::/\n", mounts: `cgroup2 ${root} cgroup2 rw 0 0\n` })).toEqual([]);
  expect(findGroupPlaces(both, { groups: "", mounts: "" })).toEqual([]);
});
