import { writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { readFigures } from "./agent/figures.ts";
import { agentSection } from "./agent/section.ts";
import { benchWorkspace } from "./bench-workspace.ts";
import { measureCommands, measureSearch, measureStart, measureWide, measureWriting } from "./commands.ts";
import { measureGrowth } from "./growth.ts";
import type { Sample } from "./measure.ts";
import { mutationSection, readScore } from "./mutation/score.ts";
import { measureParts } from "./parts.ts";
import { keptSection } from "./section.ts";
import { measureStages } from "./stages.ts";

const target = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../docs/benchmarks.md");
const small = benchWorkspace(20);
const large = benchWorkspace(2_000);
const wide = benchWorkspace(20_000, { directories: 2_000 });
const vast = benchWorkspace(100_000, { directories: 1_000 });
try {
  say("start-up");
  const start = await measureStart();
  say("stages");
  const stages = await measureStages(small);
  const parts = await measureParts(small);
  say("commands");
  const commands = await measureCommands(small);
  say("commands in 2,000 directories");
  const widely = await measureWide(wide);
  say("writing in 100,000 files");
  const writing = await measureWriting(vast);
  say("search over 2,000 files");
  const search = await measureSearch(large);
  say("100,000 events");
  const growth = await measureGrowth(small);

  const ratio = (a: Sample | undefined, b: Sample | undefined) => (a?.median ?? Number.NaN) / (b?.median ?? Number.NaN);
  const noop = stages["runs a tool that does nothing"];
  const goals: Goal[] = [
    ["pipeline without the tool's own work", `${ms(noop?.median)} a call`, "< 0.5 ms", (noop?.median ?? 1) < 0.5],
    goal("a call at event 100,000 : at event 100", ratio(growth.late, growth.early), 1.1),
    goal("`--version` : bare `node -e 0`", ratio(start["gauntlet --version"], start["node -e 0"]), 1.5),
    goal(
      "`bash true` sandboxed, whole pipeline : bare `bash -c true`",
      ratio(commands["bash true, sandboxed"], commands["bare bash -c true"]),
      1.5,
    ),
    goal(
      "`bash true` started cold, whole pipeline : bare bubblewrap with the same mounts",
      ratio(commands["bash true, sandboxed, cold"], commands["bare bubblewrap, same mounts"]),
      2,
    ),
    goal(
      "`bash true` in 2,000 directories, whole pipeline : one `lstat` of each and bare `bash -c true`",
      widely["bash true, 2,000 directories"].median /
        (widely["bare lstat of 2,000 directories"].median + widely["bare bash -c true beside it"].median),
      1.5,
    ),
    goal(
      "`touch x` in 100,000 files, whole call : bare bubblewrap",
      ratio(writing["bash touch, 100,000 files"], writing["bare bubblewrap touch beside it"]),
      2.5,
    ),
  ];
  const report = [
    "# Benchmarks",
    "",
    "Written by `npm run bench`. Absolute times move from machine to machine; the ratios are of things measured in turns within one run.",
    "",
    `Machine: ${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, ${os.type()} ${os.release()}, Node ${process.version}.`,
    "",
    "## Goals",
    "",
    "| figure | measured | goal | |",
    "|---|---:|---:|---|",
    ...goals.map(
      ([name, measured, wanted, met]) => `| ${name} | ${measured} | ${wanted} | ${met ? "met" : "**missed**"} |`,
    ),
    "",
    "## Stages",
    "",
    "Each stage by itself:",
    "",
    ...table(parts),
    "",
    "Whole calls through the door that end in different stages, durable log on. An unknown tool also pays for the search for names like it.",
    "",
    ...table(stages),
    "",
    "## Commands and search",
    "",
    ...table({ ...commands, ...widely, ...writing, ...search, ...start }),
    "",
    "## Length of the session",
    "",
    ...table({
      "a call at event 100": growth.early,
      [`a call at event ${growth.lateEvents.toLocaleString("en")}`]: growth.late,
    }),
    "",
    `${Math.round(growth.eventsPerSecond).toLocaleString("en")} events a second through the whole pipeline; resident memory of the benchmark process after all of it: ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MB.`,
    "",
    ...agentSection(readFigures()),
    "",
    ...mutationSection(readScore()),
    ...["menu", "servers", "gateway", "questions"].flatMap((name) => ["", ...keptSection(name)]),
    ...["projects as root", "projects as a user"].flatMap((name) => ["", ...keptSection(name, "projects")]),
    "",
  ].join("\n");
  writeFileSync(target, report);
  process.stdout.write(report);
  process.exitCode = goals.every(([, , , met]) => met) ? 0 : 1;
} finally {
  small.remove();
  large.remove();
  wide.remove();
  vast.remove();
}

type Goal = readonly [name: string, measured: string, wanted: string, met: boolean];

function goal(name: string, measured: number, most: number): Goal {
  return [name, `${measured.toFixed(2)}×`, `≤ ${most}×`, measured <= most];
}

function table(samples: Readonly<Record<string, Sample>>): string[] {
  return [
    "| | median | p95 |",
    "|---|---:|---:|",
    ...Object.entries(samples).map(([name, sample]) => `| ${name} | ${ms(sample.median)} | ${ms(sample.p95)} |`),
  ];
}

function ms(value: number | undefined): string {
  return value === undefined ? "" : `${value < 1 ? value.toFixed(3) : value.toFixed(1)} ms`;
}

function say(what: string): void {
  process.stderr.write(`bench: ${what}\n`);
}
