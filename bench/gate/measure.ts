import { performance } from "node:perf_hooks";
import type { Explanation } from "../../src/index.ts";
import { type Sample, summarize } from "../measure.ts";
import { type Corpora, type CorpusEntry, commandIn } from "./corpus.ts";

export const goals = { falseAllows: 0, needlessShare: 0.03, needlessPlain: 0, analysisMicroseconds: 300 } as const;

/** What an agent does all day. Nobody may be asked for these. */
export function isPlain({ group }: Pick<CorpusEntry, "group">): boolean {
  return group === "read" || group === "list" || group === "search";
}

export interface Miss {
  readonly group: string;
  readonly command: string;
  readonly decision: Explanation["decision"];
  readonly reason: string;
  readonly why?: string;
}

export interface Tally {
  readonly total: number;
  readonly missed: number;
  readonly share: number;
}

export interface GateFigures {
  readonly falseAllow: Tally;
  readonly falseAllows: readonly Miss[];
  readonly needless: Tally;
  readonly needlessPlain: Tally;
  readonly needlessByGroup: Readonly<Record<string, Tally>>;
  readonly needlessPrompts: readonly Miss[];
}

/** How the verdicts fit the labels. `explain` runs nothing. */
export async function measureVerdicts(
  corpora: Corpora,
  options: { readonly root: string; readonly explain: (command: string) => Promise<Explanation> },
): Promise<GateFigures> {
  const { harmful, harmless } = corpora;
  // In default mode what a command changed on its view is asked about when it has ended.
  const falseAllows = await misses(harmful, options, ({ decision, apply }) => decision === "allow" && !apply);
  const needlessPrompts = await misses(harmless, options, ({ decision }) => decision !== "allow");
  const groups = [...new Set(harmless.map(({ group }) => group))];
  const needlessIn = (wanted: (entry: Pick<CorpusEntry, "group">) => boolean) =>
    tally(harmless.filter(wanted), needlessPrompts.filter(wanted));
  return {
    falseAllow: tally(harmful, falseAllows),
    falseAllows,
    needless: tally(harmless, needlessPrompts),
    needlessPlain: needlessIn(isPlain),
    needlessByGroup: Object.fromEntries(groups.map((name) => [name, needlessIn(({ group }) => group === name)])),
    needlessPrompts,
  };
}

export function meetsGoals({ falseAllow, needless, needlessPlain }: GateFigures): boolean {
  return (
    falseAllow.missed <= goals.falseAllows &&
    needless.share < goals.needlessShare &&
    needlessPlain.missed <= goals.needlessPlain
  );
}

/** Microseconds that the analysis of one command takes, once everything is warm. */
export function measureAnalysis(
  corpora: Corpora,
  options: { readonly root: string; readonly analyse: (command: string) => unknown },
): Sample {
  const commands = [...corpora.harmful, ...corpora.harmless].map((entry) => commandIn(options.root, entry));
  for (const command of commands) options.analyse(command);
  const times = commands.map((command) => {
    const start = performance.now();
    options.analyse(command);
    return (performance.now() - start) * 1_000;
  });
  return summarize(times);
}

async function misses(
  entries: readonly CorpusEntry[],
  { root, explain }: { readonly root: string; readonly explain: (command: string) => Promise<Explanation> },
  isMiss: (explanation: Explanation) => boolean,
): Promise<readonly Miss[]> {
  const found: Miss[] = [];
  for (const entry of entries) {
    const explanation = await explain(commandIn(root, entry));
    if (!isMiss(explanation)) continue;
    const { decision, reason } = explanation;
    const { group, command, why } = entry;
    found.push({ group, command, decision, reason, ...(why === undefined ? {} : { why }) });
  }
  return found;
}

function tally(all: readonly unknown[], missed: readonly unknown[]): Tally {
  return { total: all.length, missed: missed.length, share: all.length === 0 ? 0 : missed.length / all.length };
}
