import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { compareVerdicts, type JudgedRow, judgeAll, type Moved, recordDirectory } from "./judged-rows.ts";

/** Rows that a reviewed decision made looser, each with the verdicts before and after. */
const reviewed = readRows<Moved>(path.join(import.meta.dirname, "../../docs/decisions/0031-looser-verdicts.jsonl"));

test.each(readdirSync(recordDirectory))(
  "%s: every verdict is as recorded, stricter, or reviewed",
  async (file) => {
    const recorded = readRows<JudgedRow>(path.join(recordDirectory, file));
    const { looser } = compareVerdicts(recorded, await judgeAll(recorded.map(({ command }) => command)));
    expect(looser.filter((row) => !reviewed.some((known) => isSame(known, row)))).toEqual([]);
  },
  600_000,
);

function isSame(one: Moved, other: Moved): boolean {
  return one.command === other.command && one.before === other.before && one.after === other.after;
}

function readRows<Row>(file: string): readonly Row[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line): Row => JSON.parse(line));
}
