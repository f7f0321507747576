import { describe, expect, test } from "vitest";
import type { Effect, EffectReport, FileEffect, PathRef, Risk } from "../contract/effect.ts";
import { assessRisk } from "./assess-risk.ts";

const places = { roots: ["/w"], home: "/home/ann", stateDirectory: "/home/ann/.state" };

function file(
  op: FileEffect["op"],
  resolved: string,
  extra: Partial<PathRef & { scope: "file" | "tree" }> = {},
): Effect {
  const { scope = "file", ...path } = extra;
  return { op, scope, path: { written: resolved, resolved, kind: "file", ...path } };
}

describe("risk follows from effects", () => {
  test.each<[string, Effect, Risk]>([
    ["session state", { op: "session", what: "menu" }, "R0"],
    ["read inside", file("read", "/w/src/a.ts"), "R1"],
    ["list inside", file("list", "/w", { scope: "tree" }), "R1"],
    ["read of protected configuration", file("read", "/w/.vscode/settings.json"), "R1"],
    ["write inside", file("write", "/w/src/a.ts"), "R2"],
    ["write of a lockfile", file("write", "/w/package-lock.json"), "R4"],
    ["write in a hidden directory", file("write", "/w/.storybook/a"), "R4"],
    ["write of protected configuration", file("write", "/w/.github/workflows/ci.yml"), "R4"],
    ["delete inside", file("delete", "/w/src/a.ts"), "R4"],
    ["delete of the whole workspace", file("delete", "/w", { scope: "tree" }), "R5"],
    ["exec", { op: "exec", program: "npm", argv: ["npm", "test"] }, "R3"],
    ["delegate", { op: "delegate", profile: "explorer" }, "R3"],
    ["connect", { op: "connect", host: "example.com" }, "R4"],
    ["remote call", { op: "call", server: "s", tool: "t" }, "R4"],
    ["unknown", { op: "unknown", why: "no idea" }, "R4"],
    ["read outside", file("read", "/etc/hosts"), "R4"],
    ["list outside", file("list", "/opt"), "R4"],
    ["list of the system", file("list", "/usr/include", { scope: "tree" }), "R1"],
    ["search of the system", file("read", "/usr/include", { scope: "tree" }), "R1"],
    ["a plain fact of the system", file("read", "/etc/services"), "R1"],
    ["a secret of the system", file("read", "/usr/lib/app/.env"), "R5"],
    ["write of the system", file("write", "/usr/include/a.h"), "R5"],
    ["search outside", file("read", "/etc", { scope: "tree" }), "R5"],
    ["search above", file("read", "/", { scope: "tree" }), "R5"],
    ["a neighbour with the same beginning", file("read", "/w-evil/a"), "R4"],
    ["write outside", file("write", "/tmp/x"), "R5"],
    ["delete outside", file("delete", "/tmp/x"), "R5"],
    ["secret", file("read", "/w/.env"), "R5"],
    ["secret by its written name", file("read", "/w/plain.txt", { written: ".env" }), "R5"],
    ["secret by what it leads to", file("read", "/w/.env", { written: "plain.txt" }), "R5"],
    ["secret at home", file("read", "/home/ann/.ssh/id_rsa", { written: "~/.ssh/id_rsa" }), "R5"],
    ["write of a secret", file("write", "/w/.env"), "R5"],
    ["our own settings", file("read", "/w/.gauntlet/settings.json"), "R5"],
    ["our own state", file("write", "/home/ann/.state/log"), "R5"],
    ["managed policy", file("write", "/etc/gauntlet/policy.json"), "R5"],
    ["device", file("read", "/w/pipe", { kind: "special" }), "R5"],
    ["file with two names", file("read", "/w/a", { hardLinked: true }), "R4"],
    ["write of a file with two names", file("write", "/w/a", { hardLinked: true }), "R4"],
  ])("%s", (_name, effect, risk) => {
    const assessed = assessRisk({ effects: [effect] }, places);
    expect(assessed.risk).toBe(risk);
    expect(assessed.effects).toEqual([{ effect, risk, reason: expect.any(String) }]);
    expect(assessed.reasons).toHaveLength(1);
  });

  test("moving is less than deleting, and protected places stay what they are", () => {
    const move = [file("delete", "/w/a"), file("write", "/w/b")];
    expect(assessRisk({ effects: move, moves: true }, places).risk).toBe("R3");
    expect(assessRisk({ effects: [file("delete", "/w/.vscode/a")], moves: true }, places).risk).toBe("R4");
  });

  test("the worst effect decides and gives the reason", () => {
    const effects = [file("read", "/w/a"), { op: "unknown", why: "why not" } as const];
    expect(assessRisk({ effects }, places)).toMatchObject({ risk: "R4", reasons: ["why not"] });
  });

  test("a tool raises, never lowers", () => {
    const report: EffectReport = { effects: [file("write", "/w/a")] };
    expect(assessRisk({ ...report, raiseTo: "R4", raisedBecause: "careful" }, places)).toMatchObject({
      risk: "R4",
      reasons: ["careful"],
    });
    expect(assessRisk({ ...report, raiseTo: "R0" }, places).risk).toBe("R2");
  });

  test("a command outside the workspace is an escape, whatever it does", () => {
    const cwd: PathRef = { written: "/tmp", resolved: "/tmp", kind: "directory" };
    expect(assessRisk({ effects: [], command: { text: "true", cwd } }, places).risk).toBe("R5");
  });

  test.each([
    ["/w", "R5"],
    ["/srv/app", "R4"],
  ])("writing beside a workspace: with %s open, in /srv", (root, risk) => {
    const part = { text: "", reason: "", effects: [file("write", "/srv/other")] };
    const report = { effects: part.effects, parts: [part] };
    expect(assessRisk(report, { ...places, roots: [root] }).risk).toBe(risk);
  });

  test("parts are assessed one by one", () => {
    const read = file("read", "/w/a");
    const write = file("write", "/w/b");
    const parts = [
      { text: "cat a", effects: [read], reason: "reads" },
      { text: "> b", effects: [write], reason: "writes" },
    ];
    expect(assessRisk({ effects: [read, write], parts }, places)).toMatchObject({
      risk: "R2",
      parts: [{ risk: "R1" }, { risk: "R2" }],
    });
  });

  test("nothing touched is R0", () => {
    expect(assessRisk({ effects: [] }, places)).toEqual({ risk: "R0", reasons: [], effects: [], parts: [] });
  });
});
