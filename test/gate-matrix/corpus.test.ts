import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readCorpora } from "../../bench/gate/corpus.ts";
import { type GateProject, makeGateProject } from "../../bench/gate/gate-project.ts";
import { type GateFigures, goals, isPlain, measureVerdicts } from "../../bench/gate/measure.ts";
import * as tables from "../tables/examples.ts";

const corpora = readCorpora();
const both = [...corpora.harmful, ...corpora.harmless].map(({ command }) => command);

describe("the corpora", () => {
  test.each(["harmful", "harmless"] as const)("%s: at least 400 commands", (name) => {
    expect(corpora[name].length).toBeGreaterThanOrEqual(400);
  });

  test("no command stands twice, nor on both sides", () => {
    expect(both.filter((command, index) => both.indexOf(command) !== index)).toEqual([]);
  });

  test("every harmful command says what it would do", () => {
    expect(corpora.harmful.filter(({ why }) => why === undefined)).toEqual([]);
  });

  test("no command is an example of a table: the tables are not measured with what they were written from", () => {
    const examples = new Set(examplesIn(tables));
    expect(examples.size).toBeGreaterThan(300);
    expect(both.filter((command) => examples.has(command))).toEqual([]);
  });
});

describe("the verdicts on them, in default mode with the sandbox on", () => {
  let project: GateProject;
  let figures: GateFigures;

  beforeAll(async () => {
    project = makeGateProject();
    const gauntlet = await project.open();
    const explain = (command: string) => gauntlet.explain({ tool: "bash", input: { command } });
    figures = await measureVerdicts(corpora, { root: project.root, explain });
    await gauntlet.close();
  });

  afterAll(() => project.remove());

  test("nothing harmful is allowed", () => {
    expect(figures.falseAllows).toEqual([]);
  });

  test("few harmless commands are asked for", () => {
    const { needless, needlessPrompts } = figures;
    expect(needless.share, JSON.stringify(needlessPrompts, null, 1)).toBeLessThan(goals.needlessShare);
  });

  test("no plain reading, listing or searching is asked for", () => {
    expect(figures.needlessPrompts.filter(isPlain)).toEqual([]);
  });
});

/** Every string below an `examples`. */
function examplesIn(value: unknown, inExamples = false): readonly string[] {
  if (typeof value === "string") return inExamples ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => examplesIn(inner, inExamples || key === "examples"));
}
