import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { describe, expect, onTestFinished, test } from "vitest";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { examineMachine } from "./examine-machine.ts";

function place(): string {
  const made = mkdtempSync(path.join(os.tmpdir(), "gauntlet-doctor-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function stateOf(gauntletHome: string, { fix = false, opened = ok(undefined) as Outcome<unknown> } = {}) {
  const policy = { ok: false, failure: { code: "bad_request", message: "no settings here" } } as const;
  const checks = examineMachine({ fix, gauntletHome, openState: () => opened, ripgrepPath: rgPath, policy });
  return checks.find(({ name }) => name === "state");
}

const unusable = (detail: string) => ({
  name: "state",
  state: "missing",
  detail: `nothing can be recorded, so no call can run: ${detail}`,
  fix: "set GAUNTLET_HOME to a writable directory, or make your user the owner of this one",
});

describe("what the doctor tells about the state directory", () => {
  test("one that can be written is fine, and nothing is left in it", () => {
    const home = place();
    mkdirSync(path.join(home, "sessions"));
    expect(stateOf(home)).toEqual({ name: "state", state: "ok", detail: home });
    expect([readdirSync(home), readdirSync(path.join(home, "sessions"))]).toEqual([["sessions"], []]);
  });

  test("one that is not there yet is made when it is needed, or when something is to be mended", () => {
    const home = path.join(place(), "deep", "state");
    expect(stateOf(home)).toEqual({ name: "state", state: "ok", detail: `${home} will be created on first use` });
    expect(existsSync(home)).toBe(false);
    expect(stateOf(home, { fix: true })).toEqual({ name: "state", state: "ok", detail: home });
    expect(existsSync(home)).toBe(true);
  });

  test("a file in its place is none", () => {
    const file = path.join(place(), "file");
    writeFileSync(file, "");
    expect(stateOf(file)).toEqual(unusable(`${file} is not a directory`));
    expect(stateOf(file, { fix: true })).toEqual(unusable(`${file} is not a directory`));
  });

  test("one that cannot be made, or a part of it that cannot be written, is none", () => {
    // Nobody makes a directory there, not even root.
    expect(stateOf("/proc/gauntlet")?.detail).toMatch(/^nothing can be recorded.*\/proc\/gauntlet cannot be written/);
    const home = place();
    writeFileSync(path.join(home, "sessions"), "");
    expect(stateOf(home)?.state).toBe("missing");
  });

  test("one that the log cannot use is none", () => {
    const opened = fail("log_unavailable", "The redaction key is damaged.");
    expect(stateOf(place(), { opened })).toEqual(unusable("The redaction key is damaged."));
  });
});
