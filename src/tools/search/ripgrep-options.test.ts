import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { expect, onTestFinished, test } from "vitest";
import { closedToReading } from "../../effects/classify-path.ts";
import { ripgrepOptions } from "./ripgrep-options.ts";

test("ripgrep leaves out every kind of file that is closed to reading", () => {
  const place = mkdtempSync(path.join(os.tmpdir(), "closed-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const closed = closedToReading.flatMap(({ examples }) => examples.match).filter((name) => !name.startsWith("/"));
  // A name can be a file in one example and a directory in the next.
  for (const [index, name] of [...closed, "src/open.ts"].entries()) {
    const file = path.join(place, String(index), name.replace(/\/$/, "/inside"));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, "x");
  }
  const listed = (options: readonly string[]) =>
    execFileSync(rgPath, ["--files", ...options, place], { encoding: "utf8" })
      .trim()
      .split("\n");

  expect(listed(["--no-config", "--hidden", "--no-ignore"])).toHaveLength(closed.length + 1);
  expect(listed(ripgrepOptions({ hidden: true, named: [], ignoreGlobs: [] }))).toEqual([
    path.join(place, String(closed.length), "src/open.ts"),
  ]);
});
