import { lstatSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * A repository's configuration can name programs. These variables win over it and name none. Filters and text
 * conversions carry names of the repository's own choosing and cannot be listed; they stay inside the sandbox.
 */
export function neutralGit(roots: readonly string[], excludesFile?: string): Readonly<Record<string, string>> {
  const entries: (readonly [string, string])[] = [
    ["core.fsmonitor", "false"],
    ["core.hooksPath", "/dev/null"],
    ["core.pager", "cat"],
    ["core.sshCommand", "ssh"],
    ["core.askPass", ""],
    ["credential.helper", ""],
    ["gpg.program", "gpg"],
    ["protocol.ext.allow", "never"],
    ["safe.bareRepository", "explicit"],
    ...roots.map((root) => ["safe.directory", root] as const),
  ];
  if (excludesFile !== undefined) entries.push(["core.excludesFile", excludesFile]);
  // Git takes an empty program name for a program and fails, so this is set only where there is one to disarm.
  if (roots.some(namesDiffProgram)) entries.push(["diff.external", ""]);
  const variables: Record<string, string> = {
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_PAGER: "cat",
    GIT_EDITOR: "true",
    GIT_SEQUENCE_EDITOR: "true",
    GIT_CONFIG_COUNT: String(entries.length),
  };
  for (const [index, [key, value]] of entries.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}

/** Errs on the side of yes: an included file is not followed. */
function namesDiffProgram(root: string): boolean {
  const directory = commonDirectory(root);
  return ["config", "config.worktree"].some((name) =>
    /^\s*external\b|^\s*\[\s*diff\s*\]\s*external\b|^\s*\[\s*include/im.test(readText(join(directory, name))),
  );
}

/** Where the configuration lies: `.git`, or for a linked worktree the repository that it belongs to. */
function commonDirectory(root: string): string {
  const git = join(root, ".git");
  const linked = /^gitdir: (.+)$/m.exec(readText(git))?.[1];
  if (linked === undefined) return git;
  const own = resolve(root, linked);
  return resolve(own, readText(join(own, "commondir")).trim() || ".");
}

function readText(path: string): string {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return "";
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
