import path from "node:path";
import { sha256 } from "../contract/digest.ts";
import { isInside } from "../contract/path-scope.ts";
import type { HookHandler } from "../contract/settings.ts";

export interface NamedFiles {
  readonly workspace: string;
  readonly readText: (file: string) => string | undefined;
}

const mostFiles = 20;

/**
 * The files of the project that a hook's command names, each with the hash of its content: trust in
 * `./check.sh` is trust in what it says today. What such a file loads in turn is not followed.
 */
export function namedFiles(
  { command, args = [] }: Pick<HookHandler, "command" | "args">,
  { workspace, readText }: NamedFiles,
): readonly (readonly [file: string, hash: string])[] {
  const words = [command, ...args]
    .flatMap((text) => text.replace(projectDirectory, workspace).split(/[\s"'`;|&()<>=]+/))
    .filter((word) => word !== "");
  const files = [...new Set(words.map((word) => path.resolve(workspace, word)))]
    .filter((file) => file !== workspace && isInside(file, workspace))
    .slice(0, mostFiles);
  return files.flatMap((file) => {
    const hash = hashOf(file, readText);
    return hash === undefined ? [] : [[path.relative(workspace, file), hash] as const];
  });
}

const projectDirectory = /"?\$(?:\{(?:CLAUDE|GAUNTLET)_PROJECT_DIR\}|(?:CLAUDE|GAUNTLET)_PROJECT_DIR\b)"?/g;

function hashOf(file: string, readText: NamedFiles["readText"]): string | undefined {
  try {
    const text = readText(file);
    return text === undefined ? undefined : sha256(text);
  } catch {
    return "not readable";
  }
}
