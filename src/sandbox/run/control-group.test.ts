import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ControlGroup } from "./control-group.ts";

let root: string;
const at = (...parts: string[]) => join(root, ...parts);

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "groups-")));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

/** Where anything can be made, and nobody is ever held. */
const place = () => ({ parent: root, name: "/", limits: [{ controller: "pids", file: "pids.max" }] }) as const;

test("two sandboxes of one process have a group each", async () => {
  await Promise.all(
    [new ControlGroup(place(), { pids: 64 }), new ControlGroup(place(), { pids: 64 })].map((held) =>
      held.hold(process.pid),
    ),
  );
  expect(readdirSync(root)).toHaveLength(2);
});

test("a group that goes while a process is on its way in is made again, but not for ever", async () => {
  const held = new ControlGroup(place(), { pids: 64 });
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
  const held = new ControlGroup(place(), { pids: 64 });
  await held.hold(process.pid);
  const [name = "", ...others] = readdirSync(root);
  const path = at(name);
  expect([name, others]).toEqual([expect.stringMatching(`^gauntlet-${process.pid}-64-\\w{8}$`), ["unrelated"]]);
  expect(readFileSync(join(path, "pids.max"), "utf8")).toBe("64");
  expect(readFileSync(join(path, "cgroup.procs"), "utf8")).toBe(String(process.pid));
});

test("a group that could not be given its limit does not stay", async () => {
  const held = new ControlGroup(
    { ...place(), limits: [{ controller: "pids", file: "." }], door: "tasks" },
    { pids: 64 },
  );
  await expect(held.hold(process.pid)).rejects.toThrow("EISDIR");
  expect([held.openDoor(), readdirSync(root)]).toEqual([undefined, []]);
});

test("a door leads into a group that has its limit; that somebody used it is not taken for granted", () => {
  const held = new ControlGroup({ ...place(), door: "tasks" }, { pids: 64 });
  // A directory of our own has no such file by itself.
  expect(held.openDoor()).toBeUndefined();
  const [name = ""] = readdirSync(root);
  expect(readFileSync(at(name, "pids.max"), "utf8")).toBe("64");
  writeFileSync(at(name, "tasks"), "");
  const door = held.openDoor();
  if (door === undefined) throw new Error("There is a door now");
  writeSync(door, "0");
  closeSync(door);
  expect([readFileSync(at(name, "tasks"), "utf8"), held.holds(process.pid)]).toEqual(["0", false]);
});

test("without a door, whoever starts the process is moved before it", async () => {
  const held = new ControlGroup(place(), { pids: 64 });
  held.approach(process.pid);
  await expect
    .poll(() => readdirSync(root).map((name) => readFileSync(at(name, "cgroup.procs"), "utf8")))
    .toEqual([String(process.pid)]);
  new ControlGroup({ ...place(), door: "tasks" }, { pids: 65 }).approach(process.pid);
  await held.hold(process.pid);
  expect(readdirSync(root)).toHaveLength(1);
});

test("one group holds all limits of its tree", async () => {
  const limits = [
    { controller: "pids", file: "pids.max" },
    { controller: "memory", file: "memory.max" },
  ] as const;
  await new ControlGroup({ ...place(), limits }, { pids: 64, memory: 1_000 }).hold(process.pid);
  const [name = ""] = readdirSync(root);
  expect(["pids.max", "memory.max"].map((file) => readFileSync(at(name, file), "utf8"))).toEqual(["64", "1000"]);
});
