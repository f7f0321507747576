/**
 * `npm run verdicts -- --write` records how the gate judges many commands, in every mode and with every sandbox;
 * `--compare` lists the verdicts that changed since. `test/verdicts` holds the record.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import {
  commandsOf,
  compareVerdicts,
  type JudgedRow,
  judgeAll,
  recordDirectory,
} from "../test/verdicts/judged-rows.ts";

const { values: flags } = parseArgs({ options: { write: { type: "boolean" }, compare: { type: "boolean" } } });
if (flags.write === flags.compare) throw new Error("Pass --write or --compare.");

if (flags.write) {
  rmSync(recordDirectory, { recursive: true, force: true });
  mkdirSync(recordDirectory, { recursive: true });
  for (const [source, commands] of Object.entries(commandsOf())) {
    const rows = await judgeAll(commands);
    writeFileSync(
      path.join(recordDirectory, `${source}.jsonl`),
      rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
    );
    process.stdout.write(`${source}: ${rows.length} commands\n`);
  }
} else {
  for (const file of readdirSync(recordDirectory)) {
    const recorded: JudgedRow[] = readFileSync(path.join(recordDirectory, file), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const now = await judgeAll(recorded.map(({ command }) => command));
    const { looser, stricter } = compareVerdicts(recorded, now);
    process.stdout.write(
      `${file}: ${recorded.length} commands, ${looser.length} looser, ${stricter.length} stricter\n`,
    );
    for (const { command, before, after } of [...looser, ...stricter]) {
      process.stdout.write(`  ${before} → ${after}  ${command.replaceAll("\n", "⏎").slice(0, 120)}\n`);
    }
    if (looser.length > 0) process.exitCode = 1;
  }
}
