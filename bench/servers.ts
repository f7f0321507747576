/** `npm run bench:servers`: what five configured servers cost until the first request is out. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { gauntlet } from "./agent/contestants.ts";
import { describeMachine } from "./agent/page.ts";
import { runAgent } from "./agent/run-agent.ts";
import { makeProject } from "./agent/sample-project.ts";
import { scenarios } from "./agent/scenarios.ts";
import { median } from "./measure.ts";
import { writeSection } from "./section.ts";

const blocks = 10;
const rounds = 20;
const modules = path.join(import.meta.dirname, "..", "node_modules");
const program = path.join(modules, "@modelcontextprotocol/server-everything/dist/index.js");
const entry = { command: process.execPath, args: [program, "stdio"], sandbox: { read: [modules] } };
const five = Object.fromEntries(["one", "two", "three", "four", "five"].map((name) => [name, entry]));

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "gauntlet-servers-")));
try {
  const project = path.join(base, "project");
  mkdirSync(project);
  makeProject(project);
  const homeWith = (name: string, settings: object) => {
    const home = path.join(base, name);
    mkdirSync(path.join(home, ".gauntlet"), { recursive: true, mode: 0o700 });
    writeFileSync(path.join(home, ".gauntlet", "settings.json"), JSON.stringify(settings));
    return home;
  };
  const kinds = {
    none: homeWith("none", {}),
    /** As they are from the second session on: what they offer is known. */
    known: homeWith("known", { mcpServers: five }),
  };
  const starts: Record<keyof typeof kinds, number[]> = { none: [], known: [] };
  const start = async (kind: keyof typeof kinds) =>
    (await runAgent(gauntlet, scenarios.text, { project, home: kinds[kind] })).startMs;
  // The first sessions meet their servers; nothing of that is counted.
  for (const kind of ["none", "known", "none", "known"] as const) {
    await runAgent(gauntlet, scenarios.shell, { project, home: kinds[kind] });
  }
  for (let round = 0; round < blocks * rounds; round++) {
    for (const kind of round % 2 === 0 ? (["none", "known"] as const) : (["known", "none"] as const)) {
      starts[kind].push(await start(kind));
    }
  }
  // Of two starts that follow each other: the machine's speed changes more from minute to minute than servers cost.
  const ratios = starts.known.map((ms, at) => ms / (starts.none[at] ?? Number.NaN));
  const ratio = median(ratios);
  const ofBlocks = Array.from({ length: blocks }, (_, at) => median(ratios.slice(at * rounds, (at + 1) * rounds)));
  const met = ratio <= 1.05;
  writeSection("servers", [
    "## Servers",
    "",
    `Written by \`npm run bench:servers\`: ${ratios.length} pairs of starts, in turns, with five configured MCP servers (80 tools) and with none, on ${describeMachine()}. The ratio is the median of those of the pairs; by ${rounds} pairs it was ${ofBlocks.map((one) => one.toFixed(2)).join(", ")}.`,
    "",
    "| figure | without | with five | ratio | goal | |",
    "|---|---:|---:|---:|---:|---|",
    `| start to first request | ${median(starts.none).toFixed(0)} ms | ${median(starts.known).toFixed(0)} ms | ${ratio.toFixed(3)}× | ≤ 1.05× | ${met ? "met" : "**missed**"} |`,
  ]);
  process.exitCode = met ? 0 : 1;
} finally {
  rmSync(base, { recursive: true, force: true });
}
