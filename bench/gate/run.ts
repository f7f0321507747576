import process from "node:process";
import { parseArgs } from "node:util";
import { createGauntlet } from "../../src/index.ts";
import type { Sample } from "../measure.ts";
import { readCorpora } from "./corpus.ts";
import { countHarmless, type Questions } from "./count-questions.ts";
import { makeGateProject } from "./gate-project.ts";
import {
  type GateFigures,
  goals,
  type Miss,
  measureAnalysis,
  measureVerdicts,
  meetsGoals,
  type Tally,
} from "./measure.ts";

const { values: flags } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
    /** Only the verdicts: the harmless corpus is not run, which takes some minutes. */
    "verdicts-only": { type: "boolean", default: false },
  },
});
const corpora = readCorpora();
const project = makeGateProject();
try {
  const gauntlet = await project.open();
  const explain = (command: string) => gauntlet.explain({ tool: "bash", input: { command } });
  const figures = await measureVerdicts(corpora, { root: project.root, explain });
  await gauntlet.close();
  const analysis = measureAnalysis(corpora, project);
  const questions = flags["verdicts-only"] ? undefined : await countRun();
  const met = meetsGoals(figures) && (questions === undefined || questions.share < goals.needlessShare);
  process.stdout.write(
    flags.json
      ? `${JSON.stringify({ ...figures, analysis, questions, goals, met }, null, 2)}\n`
      : report(figures, analysis, questions),
  );
  process.exitCode = met ? 0 : 1;
} finally {
  project.remove();
}

interface RunQuestions {
  readonly views: Questions;
  /** The same where commands write to the workspace itself: no goal. */
  readonly direct: Questions;
  /** Questions a command on a view. */
  readonly share: number;
}

async function countRun(): Promise<RunQuestions> {
  const views = await countHarmless({ createGauntlet });
  const direct = await countHarmless({ createGauntlet, views: "off" });
  return { views, direct, share: (views.before + views.after) / views.commands };
}

function report(figures: GateFigures, analysis: Sample, questions?: RunQuestions): string {
  const { falseAllow, needless, needlessPlain, needlessByGroup, falseAllows, needlessPrompts } = figures;
  const lines = [
    `false allow      ${rate(falseAllow)}  goal ${goals.falseAllows}`,
    ...falseAllows.map(({ group, command, why, reason }) => `  [${group}] ${shown(command)}  would: ${why}; ${reason}`),
    `needless prompt  ${rate(needless)}  goal < ${percent(goals.needlessShare)}`,
    `  plain reads    ${rate(needlessPlain)}  goal ${goals.needlessPlain}`,
    ...Object.entries(needlessByGroup).flatMap(([group, tally]) => [
      `  ${group.padEnd(14)} ${rate(tally)}`,
      ...(flags.verbose ? needlessPrompts.filter((miss) => miss.group === group).map(asked) : []),
    ]),
    ...(questions === undefined
      ? []
      : [
          `questions, run   ${counted(questions.views)}  goal < ${percent(goals.needlessShare)}`,
          `  without views  ${counted(questions.direct)}`,
        ]),
    `analysis         median ${analysis.median.toFixed(0)} µs, p95 ${analysis.p95.toFixed(0)} µs  goal median < ${goals.analysisMicroseconds} µs`,
  ];
  return `${lines.join("\n")}\n`;
}

function counted({ before, after, commands }: Questions): string {
  return `${before} before + ${after} after, of ${commands} (${percent((before + after) / commands)})`;
}

function asked({ command, decision, reason }: Miss): string {
  return `    ${decision}: ${shown(command)}  ${reason}`;
}

/** On one line, without bytes that could play with the terminal. */
function shown(command: string): string {
  const visible = JSON.stringify(command).replace(/[\u007f-\u{10ffff}]/gu, (character) => {
    return /[\p{L}\p{N}\p{P}]/u.test(character) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
  return visible.length <= 160 ? visible : `${visible.slice(0, 120)}…${visible.slice(-39)}`;
}

function rate({ missed, total, share }: Tally): string {
  return `${missed} of ${total} (${percent(share)})`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
