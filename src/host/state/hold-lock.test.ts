import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { holdLock } from "./hold-lock.ts";

function makePlace(): string {
  const place = mkdtempSync(path.join(os.tmpdir(), "gauntlet-lock-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  return place;
}

test("gives what was done, and lets go also when that failed", () => {
  const place = makePlace();
  const lock = path.join(place, "lock");
  expect(holdLock(lock, () => 7)).toEqual({ result: 7 });
  expect(() =>
    holdLock(lock, () => {
      throw new Error("no");
    }),
  ).toThrow("no");
  expect(holdLock(lock, () => 8)).toEqual({ result: 8 });
  expect(readdirSync(place)).toEqual([]);
});

test("no two processes hold it at the same time", async () => {
  const place = makePlace();
  const module = pathToFileURL(path.join(import.meta.dirname, "hold-lock.ts")).href;
  const [lock, inside] = [path.join(place, "lock"), path.join(place, "inside")];
  // A directory that is there already cannot be made.
  const program = `
    import { mkdirSync, rmdirSync } from "node:fs";
    import { holdLock } from ${JSON.stringify(module)};
    let held = 0;
    for (let times = 0; times < 500; times++) {
      const done = holdLock(${JSON.stringify(lock)}, () => {
        mkdirSync(${JSON.stringify(inside)});
        rmdirSync(${JSON.stringify(inside)});
        return true;
      });
      if (done?.result) held += 1;
    }
    console.log(held);`;
  const run = () =>
    new Promise<string>((resolve, reject) => {
      const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "--eval", program]);
      let said = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text) => {
          said += text;
        });
      }
      child.on("error", reject).on("close", () => resolve(said.trim()));
    });
  expect(await Promise.all([run(), run(), run()])).toEqual(["500", "500", "500"]);
  expect(readdirSync(place)).toEqual([]);
});
