import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** A temporary project with a state directory of its own; both are removed when the test has finished. */
export interface Workspace {
  readonly root: string;
  readonly state: string;
  readonly home: string;
  write(file: string, content: string | Uint8Array): string;
  read(file: string): string;
  path(file: string): string;
}

export function makeWorkspace(files: Readonly<Record<string, string>> = {}): Workspace {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "gauntlet-test-")));
  const workspace = workspaceAt(base);
  for (const [name, content] of Object.entries(files)) workspace.write(name, content);
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  return workspace;
}

/** In a directory that somebody else removes. */
export function workspaceAt(base: string): Workspace {
  const root = path.join(base, "project");
  const state = path.join(base, "state");
  const home = path.join(base, "home");
  for (const directory of [root, state, home]) mkdirSync(directory, { recursive: true });
  return {
    root,
    state,
    home,
    path: (file) => path.join(root, file),
    read: (file) => readFileSync(path.join(root, file), "utf8"),
    write(file, content) {
      const target = path.join(root, file);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, content);
      return target;
    },
  };
}
