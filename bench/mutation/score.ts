import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const target = fileURLToPath(new URL("score.json", import.meta.url));

/** What became of the mutants of one file. */
const outcome = z.strictObject({
  /** Of the source that was mutated: a result for another source says nothing. */
  hash: z.string(),
  /** One mutant in so many was tried. */
  every: z.int(),
  killed: z.int(),
  timedOut: z.int(),
  survived: z.int(),
  uncovered: z.int(),
  /** They act only while the module loads, and are not tried. */
  atLoad: z.int(),
  /** Stryker could not run them. */
  unjudged: z.int(),
});
export type FileOutcome = z.infer<typeof outcome>;

const score = z.strictObject({
  /** Files that there are to mutate, whether they were reached yet or not. */
  files: z.int(),
  outcomes: z.record(z.string(), outcome),
});
export type MutationScore = z.infer<typeof score>;

const goal = 0.8;

export function readScore(): MutationScore {
  try {
    return score.parse(JSON.parse(readFileSync(target, "utf8")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { files: 0, outcomes: {} };
    throw error;
  }
}

export function writeScore(given: MutationScore): void {
  const outcomes = Object.fromEntries(Object.entries(given.outcomes).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(target, `${JSON.stringify({ files: given.files, outcomes }, null, 2)}\n`);
}

/** The section of `docs/benchmarks.md`, one line an entry. */
export function mutationSection({ files, outcomes }: MutationScore): readonly string[] {
  const entries = Object.entries(outcomes);
  if (entries.length === 0) return [start, "## Mutation testing", "", "Not measured yet: `npm run mutation`.", end];
  const folders = [...new Set(entries.map(([file]) => path.dirname(file)))].sort();
  const rows = folders.map((folder) =>
    row(
      `\`${folder}\``,
      entries.filter(([file]) => path.dirname(file) === folder).map(([, one]) => one),
    ),
  );
  const all = entries.map(([, one]) => one);
  const sum = (pick: (one: FileOutcome) => number) => all.reduce((total, one) => total + pick(one), 0);
  const [atLoad, unjudged] = [sum((one) => one.atLoad), sum((one) => one.unjudged)];
  const sampled = all.some((one) => one.every > 1) ? ` ${sampleText(all)}` : "";
  return [
    start,
    "## Mutation testing",
    "",
    `Written by \`npm run mutation\`: single changes to \`src/effects\`, \`src/gate\`, \`src/programs\` and \`src/shell\`, and whether a test of the same folder notices. Measured so far: ${entries.length} of ${files} files.${sampled} Not tried are ${atLoad} changes that act only while a module loads, most of them in lists of names${unjudged === 0 ? "" : `, and ${unjudged} that could not be run`}.`,
    "",
    "| | changes | noticed | not noticed | never run by a test | score | goal |",
    "|---|---:|---:|---:|---:|---:|---:|",
    ...rows,
    row("**all**", all),
    end,
  ];
}

function sampleText(all: readonly FileOutcome[]): string {
  const most = Math.max(...all.map((one) => one.every));
  const whole = all.filter((one) => one.every === 1).length;
  const rest = whole === 0 ? "every file" : `${all.length - whole} files`;
  return `In ${rest} one change in ${most} was tried, picked by chance.`;
}

const start = "<!-- mutation testing -->";
const end = "<!-- end of mutation testing -->";

/** The page with the section in place of the one it has, or behind everything. */
export function withSection(page: string, section: readonly string[]): string {
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  const text = section.join("\n");
  if (from < 0 || to < from) return `${page.trimEnd()}\n\n${text}\n`;
  return `${page.slice(0, from)}${text}${page.slice(to + end.length)}`;
}

/** The share of mutants that made a test fail or never end. Each one that was tried stands for as many as there are to it. */
export function scoreOf(outcomes: readonly FileOutcome[]): number {
  const each = outcomes.map((one) => ({ every: one.every, ...sums([one]) }));
  const noticed = each.reduce((total, one) => total + one.noticed * one.every, 0);
  const all = each.reduce((total, one) => total + one.total * one.every, 0);
  return all === 0 ? 0 : noticed / all;
}

function row(name: string, outcomes: readonly FileOutcome[]): string {
  const { noticed, survived, uncovered, total } = sums(outcomes);
  const share = `${(scoreOf(outcomes) * 100).toFixed(1)} %`;
  return `| ${name} | ${total} | ${noticed} | ${survived} | ${uncovered} | ${share} | ≥ ${goal * 100} % |`;
}

function sums(outcomes: readonly FileOutcome[]) {
  const sum = (pick: (one: FileOutcome) => number) => outcomes.reduce((total, one) => total + pick(one), 0);
  const noticed = sum(({ killed, timedOut }) => killed + timedOut);
  const [survived, uncovered] = [sum((one) => one.survived), sum((one) => one.uncovered)];
  return { noticed, survived, uncovered, total: noticed + survived + uncovered };
}
