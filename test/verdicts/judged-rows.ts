import path from "node:path";
import fc from "fast-check";
import { commandIn, readCorpora } from "../../bench/gate/corpus.ts";
import { makeGateProject } from "../../bench/gate/gate-project.ts";
import type { Effect } from "../../src/contract/effect.ts";
import type { Explanation, Mode } from "../../src/index.ts";
import { harmful, harmless } from "../fuzz/shell-fragments.ts";
import { compositions } from "../fuzz/shell-grammar.ts";
import * as tables from "../tables/examples.ts";

export const recordDirectory = path.join(import.meta.dirname, "recorded");

const modes: readonly Mode[] = ["default", "acceptEdits", "auto", "bypass"];
const backends = ["bubblewrap", "external", "none"] as const;

/** One command with what the gate says about it. */
export interface JudgedRow {
  readonly command: string;
  /** A letter for each mode, a word for each sandbox. */
  readonly verdicts: string;
  readonly risk: string;
  /** For a reader of a difference; they are not compared. */
  readonly effects: readonly string[];
}

/** `v`: it runs on a view, and its changes are judged afterwards. */
const letters = "avqd";

function letterOf({ decision, apply }: Explanation): string {
  if (decision === "allow") return apply === undefined ? "a" : "v";
  return decision === "ask" ? "q" : "d";
}

export async function judgeAll(commands: readonly string[]): Promise<readonly JudgedRow[]> {
  const project = makeGateProject();
  const top = path.resolve(project.root, "../../../..");
  try {
    const columns: (readonly Explanation[])[] = [];
    for (const backend of backends) {
      for (const mode of modes) {
        const gauntlet = await project.open({ mode, backend });
        const column: Explanation[] = [];
        for (const command of commands) {
          const written = commandIn(project.root, { command });
          column.push(await gauntlet.explain({ tool: "bash", input: { command: written } }));
        }
        columns.push(column);
        await gauntlet.close();
      }
    }
    return commands.map((command, row) => {
      const found = columns.map((column) => column[row]).filter((one) => one !== undefined);
      const [first] = found;
      const verdicts = found
        .map(letterOf)
        .join("")
        .replace(/(.{4})(?=.)/g, "$1 ");
      const effects = (first?.effects ?? []).map((effect) =>
        describe(effect).replaceAll(project.root, "{root}").replaceAll(top, "{top}"),
      );
      return { command, verdicts, risk: first?.risk ?? "", effects: [...new Set(effects)] };
    });
  } finally {
    project.remove();
  }
}

function describe(effect: Effect): string {
  if ("path" in effect) return `${effect.op} ${effect.path.resolved}${effect.scope === "tree" ? "/**" : ""}`;
  if (effect.op === "exec") return `exec ${effect.program}`;
  return effect.op === "connect" ? `connect ${effect.host}` : effect.op;
}

export interface Moved {
  readonly command: string;
  readonly before: string;
  readonly after: string;
}

/** A row that is looser in one place and stricter in another counts as looser. */
export function compareVerdicts(
  recorded: readonly JudgedRow[],
  now: readonly JudgedRow[],
): { readonly looser: readonly Moved[]; readonly stricter: readonly Moved[] } {
  const moved = recorded.flatMap(({ command, verdicts: before }, row) => {
    const after = now[row]?.verdicts ?? "";
    return after === before ? [] : [{ command, before, after }];
  });
  const isLooser = ({ before, after }: Moved) =>
    [...before].some((letter, at) => letters.indexOf(after[at] ?? "") < letters.indexOf(letter));
  return { looser: moved.filter(isLooser), stricter: moved.filter((one) => !isLooser(one)) };
}

const composed = 1_500;

/** Whose commands are recorded: the corpora, the examples of the tables, and compositions of a fixed seed. */
export function commandsOf(): Readonly<Record<string, readonly string[]>> {
  const corpora = readCorpora();
  const texts = (entries: readonly { readonly command: string }[]) => entries.map(({ command }) => command);
  const fuzz = fc.sample(compositions([...harmless, ...harmful], harmless), { seed: 1, numRuns: composed });
  return {
    harmful: texts(corpora.harmful),
    harmless: texts(corpora.harmless),
    tables: [...new Set(examplesIn(tables))],
    fuzz: [...new Set(fuzz)],
  };
}

/** Every string below an `examples`. */
function examplesIn(value: unknown, inExamples = false): readonly string[] {
  if (typeof value === "string") return inExamples ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => examplesIn(inner, inExamples || key === "examples"));
}
