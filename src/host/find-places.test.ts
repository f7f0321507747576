import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findPlaces } from "./find-places.ts";

test("a home directory behind a link is known by where it lies, like all the others", () => {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "places-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  for (const name of ["real", "work"]) mkdirSync(path.join(base, name));
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
