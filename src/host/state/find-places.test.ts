import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { findPlaces } from "./find-places.ts";

/** Directories that are there until the test is over. */
function makeDirectories(...names: string[]): string {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "places-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  for (const name of names) mkdirSync(path.join(base, name));
  return base;
}

test("a home directory behind a link is known by where it lies, like all the others", () => {
  const base = makeDirectories("real", "work");
  symlinkSync("real", path.join(base, "home"));
  const home = path.join(base, "home");
  expect(findPlaces({ cwd: path.join(base, "work"), environment: {}, home })).toEqual({
    ok: true,
    value: {
      workspace: path.join(base, "work"),
      home: path.join(base, "real"),
      gauntletHome: path.join(base, "real", ".gauntlet"),
    },
  });
});

describe("a project is never at home", () => {
  test.each(["", ".", "work"])("whatever HOME is: %j", (home) => {
    const work = makeDirectories();
    vi.stubEnv("HOME", home);
    onTestFinished(() => void vi.unstubAllEnvs());
    const own = realpathSync(os.userInfo().homedir);
    expect(findPlaces({ cwd: work, environment: {} })).toEqual({
      ok: true,
      value: { workspace: work, home: own, gauntletHome: path.join(own, ".gauntlet") },
    });
  });

  test("nor is its own directory our state", () => {
    const base = makeDirectories("home", "work");
    const work = path.join(base, "work");
    const environment = { GAUNTLET_HOME: ".gauntlet" };
    expect(findPlaces({ cwd: work, environment, home: path.join(base, "home") })).toMatchObject({
      ok: false,
      failure: { code: "bad_request", message: expect.stringContaining("GAUNTLET_HOME is the workspace's own") },
    });
    expect(findPlaces({ cwd: work, environment, home: work })).toMatchObject({ ok: true });
  });
});
