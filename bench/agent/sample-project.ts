import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const files = 2_000;
const directories = 40;
/** Each needle lies in as many files. */
const filesPerNeedle = 20;

export function fileName(index: number): string {
  const number = index % files;
  return `src/part-${number % directories}/module-${number}.ts`;
}

export function needle(index: number): string {
  return `needle_${index}_end`;
}

/** A git repository of 2,000 small files, the same every time. */
export function makeProject(root: string): void {
  for (let index = 0; index < files; index++) {
    const file = path.join(root, fileName(index));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, moduleText(index));
  }
  writeFileSync(path.join(root, "package.json"), '{\n  "name": "sample",\n  "type": "module"\n}\n');
  const git = (...args: string[]) => execFileSync("git", ["-C", root, "-c", "commit.gpgsign=false", ...args]);
  git("init", "--quiet");
  git("add", "--all");
  git("-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "--quiet", "--message=sample");
}

function moduleText(index: number): string {
  const count = 9 + ((index * 7) % 8);
  const lines = Array.from(
    { length: count },
    (_, line) => `export const value_${index}_${line} = compute(${(index * 31 + line * 17) % 9_973}, "part ${line}");`,
  );
  const found = index % (files / filesPerNeedle);
  return `${[`import { compute } from "../compute.ts";`, ...lines, `// ${needle(found)}`].join("\n")}\n`;
}
