import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ControlGroup } from "./limits.ts";

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
  const held = new ControlGroup({ ...place(), limits: [{ controller: "pids", file: "." }] }, { pids: 64 });
  await expect(held.hold(process.pid)).rejects.toThrow("EISDIR");
  expect(readdirSync(root)).toEqual([]);
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
