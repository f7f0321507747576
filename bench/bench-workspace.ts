import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { z } from "zod";
import { createGauntlet, defineTool, type Gauntlet, type SettingsFile } from "../src/index.ts";

/** Does nothing: what is left is the pipeline. */
export const noop = defineTool({
  name: "noop",
  version: "1",
  description: "Does nothing.",
  family: "other",
  risks: ["read"],
  input: z.strictObject({}),
  readOnly: () => true,
  concurrency: () => "safe",
  effects: () => ({ effects: [{ op: "session", what: "nothing" }] }),
  run: async () => ({ ok: true, data: {} }),
});

export interface BenchWorkspace {
  readonly root: string;
  open(settings?: SettingsFile): Promise<Gauntlet>;
  remove(): void;
}

/** A project of `files` small files, with a state directory of its own. */
export function benchWorkspace(files: number, { directories = 50 } = {}): BenchWorkspace {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "gauntlet-bench-")));
  const root = path.join(base, "project");
  mkdirSync(root);
  for (let index = 0; index < files; index++) {
    const directory = path.join(root, `dir-${index % directories}`);
    mkdirSync(directory, { recursive: true });
    const lines = Array.from({ length: 40 }, (_, line) => `export const value_${index}_${line} = ${line};`);
    if (index % 100 === 0) lines.push("// needle");
    writeFileSync(path.join(directory, `file-${index}.ts`), `${lines.join("\n")}\n`);
  }
  writeFileSync(path.join(root, "package.json"), '{\n  "name": "bench"\n}\n');
  return {
    root,
    open: (settings = {}) =>
      createGauntlet({
        workspace: root,
        store: path.join(base, "state"),
        home: path.join(base, "home"),
        settings,
        mode: "bypass",
        tools: [{ name: "bench", tools: [noop] }],
      }),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}
