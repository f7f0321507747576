import { expect, test } from "vitest";
import type { Effect, EffectPart, EffectReport, FileEffect, PathRef } from "../contract/effect.ts";
import { assessRisk } from "./assess-risk.ts";

const places = { roots: ["/w", "/v"], home: "/home/ann", stateDirectory: "/home/ann/.state" };

function file(op: FileEffect["op"], resolved: string, extra: Partial<PathRef> = {}): Effect {
  return { op, scope: "file", path: { written: resolved, resolved, kind: "file", ...extra } };
}

function tree(op: FileEffect["op"], resolved: string): Effect {
  return { op, scope: "tree", path: { written: resolved, resolved, kind: "directory" } };
}

function said(report: EffectReport): string {
  const { risk, reasons } = assessRisk(report, places);
  return `${risk}: ${reasons.join("; ")}`;
}

test.each<[Effect, string]>([
  [{ op: "session", what: "menu" }, "R0: touches only the session: menu"],
  [{ op: "exec", program: "npm", argv: [] }, "R3: runs npm"],
  [{ op: "delegate", profile: "explorer" }, "R3: delegates to explorer"],
  [{ op: "connect", host: "example.com" }, "R4: connects to example.com"],
  [{ op: "call", server: "docs", tool: "search" }, "R4: calls search of the server docs"],
  [{ op: "unknown", why: "frob is new" }, "R4: frob is new"],
  [file("read", "/w/a"), "R1: reads /w/a"],
  [tree("list", "/w"), "R1: lists /w and all below it"],
  [file("write", "/w/a"), "R2: writes /w/a"],
  [tree("write", "/w/a"), "R2: writes /w/a and all below it"],
  [file("delete", "/w/a"), "R4: deletes /w/a"],
  [tree("delete", "/v"), "R5: deletes /v and all below it, a whole workspace"],
  [file("read", "/etc/hosts"), "R4: reads /etc/hosts, outside the workspace"],
  [tree("read", "/etc"), "R5: reads /etc and all below it, outside the workspace"],
  [file("write", "/etc/hosts"), "R5: writes /etc/hosts, outside the workspace"],
  // Only to be read, and only the file itself.
  [file("read", "/etc/os-release"), "R1: reads /etc/os-release"],
  [file("read", "/proc/meminfo", { kind: "special" }), "R1: reads /proc/meminfo"],
  [file("list", "/proc/meminfo"), "R4: lists /proc/meminfo, outside the workspace"],
  [file("read", "/etc/gauntlet/managed-tools.json"), "R1: reads /etc/gauntlet/managed-tools.json"],
  [file("write", "/etc/os-release"), "R5: writes /etc/os-release, outside the workspace"],
  [tree("read", "/etc/os-release"), "R5: reads /etc/os-release and all below it, outside the workspace"],
  [file("read", "/proc/kcore", { kind: "special" }), "R5: reads /proc/kcore, which is not a regular file"],
  [file("read", "/w/pipe", { kind: "special" }), "R5: reads /w/pipe, which is not a regular file"],
  [file("read", "/w/a", { hardLinked: true }), "R4: reads /w/a, a file with more than one name"],
  [
    file("read", "/w/.git/objects/ab/cd"),
    "R4: reads /w/.git/objects/ab/cd: the object store holds every version of every file",
  ],
  [file("list", "/w/.git/objects/ab"), "R1: lists /w/.git/objects/ab"],
  [file("read", "/home/ann/.state/x"), "R5: reads /home/ann/.state/x, which belongs to the runtime"],
  [file("read", "/w/.env"), "R5: reads /w/.env, a secret (environment file)"],
  [file("write", "/w/package-lock.json"), "R4: writes /w/package-lock.json (a lockfile)"],
  [file("write", "/w/.vscode/settings.json"), "R4: writes /w/.vscode/settings.json (protected configuration)"],
  [file("write", "/w/.storybook/a"), "R4: writes /w/.storybook/a (in a hidden directory)"],
  // What a path says counts as well as what it leads to.
  [file("read", "/w/a", { written: ".env" }), "R5: reads /w/a, a secret (environment file)"],
  [file("read", "/w/a", { written: "/w/x/../.env" }), "R5: reads /w/a, a secret (environment file)"],
  [file("read", "/w/a", { written: "~/.state/x" }), "R5: reads /w/a, which belongs to the runtime"],
  [file("read", "/w/a", { written: "x~/.state" }), "R1: reads /w/a"],
  [
    file("write", "/w/package-lock.json", { written: ".env" }),
    "R5: writes /w/package-lock.json, a secret (environment file)",
  ],
])("%j is %s", (effect, expected) => {
  expect(said({ effects: [effect] })).toBe(expected);
});

test("the worst decides, and each of its reasons is said once", () => {
  const effects = [file("read", "/w/a"), file("write", "/w/b"), file("write", "/w/c"), file("write", "/w/b")];
  expect(said({ effects })).toBe("R2: writes /w/b; writes /w/c");
  expect(said({ effects: [] })).toBe("R0: ");
});

test("what is moved lives on", () => {
  expect(said({ effects: [tree("delete", "/w/a")], moves: true })).toBe("R3: moves /w/a and all below it");
  expect(said({ effects: [tree("delete", "/w")], moves: true })).toBe("R3: moves /w and all below it");
});

test("a tool can raise the risk, and a directory outside is the worst", () => {
  const effects = [file("read", "/w/a")];
  expect(said({ effects, raiseTo: "R4", raisedBecause: "it is odd" })).toBe("R4: it is odd");
  expect(said({ effects, raiseTo: "R3" })).toBe("R3: the tool asks for more care");
  expect(said({ effects, raiseTo: "R0" })).toBe("R1: reads /w/a");
  const cwd: PathRef = { written: "/x", resolved: "/x", kind: "directory" };
  expect(said({ effects, command: { text: "ls", cwd } })).toBe("R5: would run outside the workspace, in /x");
});

test("a part that needs a saved rule is never below R4, and keeps what is worse", () => {
  const part = (effects: readonly Effect[]): EffectPart => ({
    text: "x",
    effects,
    reason: "it is lost",
    needsSavedRule: true,
  });
  expect(said({ effects: [], parts: [part([{ op: "exec", program: "git", argv: [] }])] })).toBe("R4: it is lost");
  expect(said({ effects: [], parts: [part([{ op: "connect", host: "a.b" }])] })).toBe("R4: connects to a.b");
  expect(said({ effects: [], parts: [part([file("read", "/w/.env")])] })).toBe(
    "R5: reads /w/.env, a secret (environment file)",
  );
});
