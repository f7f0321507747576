import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isInside, isInsideAny } from "../contract/effect.ts";
import type { SandboxProfile } from "../contract/verdict.ts";
import type { HiddenPath } from "./hidden-paths.ts";

/** Beside what a user agreed to everything is covered: the answer was about one path, and this may be a home. */
export function coverBeside({ beside, readable, writable }: SandboxProfile): readonly HiddenPath[] {
  if (beside === undefined) return [];
  const open = [...beside.paths, ...readable, ...writable.filter((path) => !beside.directories.includes(path))];
  const covered: HiddenPath[] = [];
  const descend = (directory: string) => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (isInsideAny(path, open)) continue;
      if (open.some((one) => isInside(one, path))) descend(path);
      else if (entry.isDirectory()) covered.push({ kind: "hide_tree", path });
      else if (entry.isFile()) covered.push({ kind: "hide_file", path });
    }
  };
  for (const directory of beside.directories) descend(directory);
  return covered;
}
