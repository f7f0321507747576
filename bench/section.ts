import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const page = path.join(import.meta.dirname, "..", "docs", "benchmarks.md");

/** A section that another run wrote, as it stands. */
export function keptSection(name: string, script = name): readonly string[] {
  const marks = marksOf(name);
  const before = readFileSync(page, "utf8");
  const [from, to] = [before.indexOf(marks.from), before.indexOf(marks.to)];
  if (from < 0 || to < from) return [marks.from, `Not measured yet: \`npm run bench:${script}\`.`, marks.to];
  return before.slice(from, to + marks.to.length).split("\n");
}

function marksOf(name: string): { readonly from: string; readonly to: string } {
  return { from: `<!-- ${name} -->`, to: `<!-- end of ${name} -->` };
}

/** Puts a section into `docs/benchmarks.md`, in the place of the one that is there or behind everything, and prints it. */
export function writeSection(name: string, lines: readonly string[]): void {
  const marks = marksOf(name);
  const section = [marks.from, ...lines, marks.to].join("\n");
  const before = readFileSync(page, "utf8");
  const [from, to] = [before.indexOf(marks.from), before.indexOf(marks.to)];
  const after =
    from < 0 || to < from
      ? `${before.trimEnd()}\n\n${section}\n`
      : `${before.slice(0, from)}${section}${before.slice(to + marks.to.length)}`;
  writeFileSync(page, after);
  process.stdout.write(`${lines.join("\n")}\n`);
}
