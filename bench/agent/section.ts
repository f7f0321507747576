import type { AgentFigures, Figures, SoakFigures } from "./figures.ts";

const start = "<!-- agent -->";
const end = "<!-- end of agent -->";

/** The section of `docs/benchmarks.md`, one line an entry. */
export function agentSection(figures: Figures | undefined): readonly string[] {
  if (figures === undefined) return [start, "## The agent", "", "Not measured yet: `npm run bench:agent`.", end];
  const { agents, machine, rounds, soak } = figures;
  const [ours] = agents;
  const peer = (name: string) => agents.find(({ label }) => label.startsWith(`${name} `));
  return [
    start,
    "## The agent",
    "",
    `Written by \`npm run bench:agent -- --peers pi,codex\`: a scripted model on loopback answers at once, so what lies between its answer and the next request is the agent's own work, tools included. Medians of ${rounds} rounds in turns on ${machine}. The others run without a log that is written before the act, and, but for codex-sandboxed, without a sandbox; ours with both. codex reads and searches through its shell, pi searches through it. The floor is a loop of a hundred lines without gate, sandbox or log.`,
    "",
    "| figure | measured | goal | |",
    "|---|---:|---:|---|",
    ...goalsOf(ours, { pi: peer("pi"), codex: peer("codex"), sandboxed: peer("codex-sandboxed") }),
    "",
    `| | ${agents.map(({ label }) => label).join(" | ")} |`,
    `|---|${agents.map(() => "---:").join("|")}|`,
    ...rows.map(([name, show]) => `| ${name} | ${agents.map(show).join(" | ")} |`),
    "",
    ...soakLines(soak),
    "",
    ...profileLines,
    end,
  ];
}

/** Measured once by hand, with a profiler and by counting processor time and system calls; not part of a run. */
const profileLines = [
  "### Where the time goes",
  "",
  "From profiles taken by hand, in processor time; a turn waits for some of it only.",
  "",
  "| turn | goes to |",
  "|---|---|",
  "| read | about 3.3 ms on the main thread, most of it code that runs for the first times: three transactions of the log (sealing, redaction, SQLite), the provider's stream, the menu and the input on record; 116 system calls, 24 of them writes |",
  "| shell | 6.1 ms main thread, 4.4 ms bubblewrap for the next shell, 3.2 ms bash, 1.7 ms threads of V8, on two cores that the scripted model shares |",
  "| search | ripgrep alone takes 15 to 17 ms of it; the rest is a shell turn |",
  "| start | the compiled program 8 ms, `node:crypto` 5 ms, the session's database 4 ms, connecting 3 ms; the rest is many small things |",
];

/** The page with the section in place of the one it has, or behind everything. */
export function withAgentSection(page: string, section: readonly string[]): string {
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  const text = section.join("\n");
  if (from < 0 || to < from) return `${page.trimEnd()}\n\n${text}\n`;
  return `${page.slice(0, from)}${text}${page.slice(to + end.length)}`;
}

const rows: readonly (readonly [string, (one: AgentFigures) => string])[] = [
  ["start to first request", ({ startMs }) => ms(startMs)],
  ["processor time until then", ({ startProcessorMs }) => ms(startProcessorMs)],
  ["turn with a read", ({ readMs }) => ms(readMs)],
  ["its processor time, over 200 turns", ({ readProcessorMs }) => ms(readProcessorMs)],
  ["turn with a shell command", ({ shellMs }) => ms(shellMs)],
  ["turn with a search in 2,000 files", ({ searchMs }) => ms(searchMs)],
  ["turn with ten reads", ({ tenReadsMs }) => ms(tenReadsMs)],
  ["first request, bytes", ({ firstBytes }) => firstBytes.toLocaleString("en-US")],
  ["first request, tokens (o200k)", ({ firstTokens }) => firstTokens?.toLocaleString("en-US") ?? ""],
  ["overhead around turn 190 : around turn 20", ({ growth }) => ratio(growth)],
  ["resident memory at turn 200, all processes", ({ longResidentMb }) => `${Math.round(longResidentMb)} MB`],
  ["left on disk by 200 reads", ({ longWrittenMb }) => `${longWrittenMb.toFixed(2)} MB`],
  ["shown of 5.1 MB of output", ({ bigBytesShown }) => `${bigBytesShown.toLocaleString("en-US")} bytes`],
  ["its true size said", ({ bigSizeTold }) => (bigSizeTold ? "yes" : "no")],
  ["the rest readable by a tool call", ({ bigReadable }) => (bigReadable ? "yes" : "no")],
];

interface Peers {
  readonly pi?: AgentFigures;
  readonly codex?: AgentFigures;
  /** Absent where its sandbox does not start. */
  readonly sandboxed?: AgentFigures;
}

function goalsOf(ours: AgentFigures | undefined, { pi, codex, sandboxed }: Peers): readonly string[] {
  if (ours === undefined) return [];
  const against = (name: string, measured: number, other: number | undefined, most: number) =>
    other === undefined ? [] : [goalLine(name, ratio(measured / other), `≤ ${most}×`, measured / other <= most)];
  const { firstTokens } = ours;
  return [
    ...against("start to first request : codex", ours.startMs, codex?.startMs, 0.75),
    ...against("turn with a read : pi", ours.readMs, pi?.readMs, 1.3),
    ...against("turn with a sandboxed shell command : pi, not sandboxed", ours.shellMs, pi?.shellMs, 1.9),
    ...against("turn with a sandboxed shell command : codex with its sandbox", ours.shellMs, sandboxed?.shellMs, 0.25),
    ...against("turn with ten reads : pi", ours.tenReadsMs, pi?.tenReadsMs, 0.5),
    ...(firstTokens === undefined
      ? []
      : [goalLine("first request", `${firstTokens} tokens`, "≤ 2200 tokens", firstTokens <= 2_200)]),
    goalLine("overhead around turn 190 : around turn 20", ratio(ours.growth), "≤ 1.05×", ours.growth <= 1.05),
    ...against("resident memory at turn 200 : codex", ours.longResidentMb, codex?.longResidentMb, 0.65),
    goalLine("left on disk by 200 reads", `${ours.longWrittenMb.toFixed(2)} MB`, "≤ 1.5 MB", ours.longWrittenMb <= 1.5),
    goalLine(
      "5.1 MB of output: shown, size said, all of it readable",
      `${ours.bigBytesShown} bytes`,
      "≤ 8000 bytes",
      ours.bigBytesShown <= 8_000 && ours.bigSizeTold && ours.bigReadable,
    ),
  ];
}

function soakLines(soak: SoakFigures | undefined): readonly string[] {
  if (soak === undefined) return ["The long run is not measured yet: `npm run bench:soak`."];
  const resident = soak.residentMbLate / soak.residentMbEarly;
  const cost = soak.processorMsLate / soak.processorMsEarly;
  return [
    `### ${soak.turns.toLocaleString("en-US")} turns in one session`,
    "",
    `Written by \`npm run bench:soak\`. The cost of a turn is processor time over 100 turns; on the clock it was ${ms(soak.overheadMsEarly)} and ${ms(soak.overheadMsLate)}.`,
    "",
    "| figure | at turn 200 | at the end | ratio | goal | |",
    "|---|---:|---:|---:|---:|---|",
    `| resident memory | ${Math.round(soak.residentMbEarly)} MB | ${Math.round(soak.residentMbLate)} MB | ${ratio(resident)} | ≤ 1.15× | ${verdict(resident <= 1.15)} |`,
    `| cost of a turn | ${ms(soak.processorMsEarly)} | ${ms(soak.processorMsLate)} | ${ratio(cost)} | ≤ 1.1× | ${verdict(cost <= 1.1)} |`,
  ];
}

function goalLine(name: string, measured: string, wanted: string, met: boolean): string {
  return `| ${name} | ${measured} | ${wanted} | ${verdict(met)} |`;
}

function verdict(met: boolean): string {
  return met ? "met" : "**missed**";
}

function ratio(value: number): string {
  return `${value.toFixed(2)}×`;
}

function ms(value: number): string {
  return `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
}
