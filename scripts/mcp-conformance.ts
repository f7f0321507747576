import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { z } from "zod";

/**
 * The official suite against our client host and our server layer, for both revisions, without a network. Says one line
 * for each of the four and ends with 1 when one of them is not complete. `--only server` or `--only client` halves it.
 */
const root = path.resolve(import.meta.dirname, "..");
const suite = path.join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const client = path.join(root, "test/mcp/conformance-client.ts");
const server = path.join(root, "test/mcp/conformance-server.ts");

const revisions = ["2025-11-25", "2026-07-28"] as const;
type Side = "client" | "server";

/** Required scenarios that prove something without a check of their own, each with the reason. */
const withoutChecks: Readonly<Record<string, string>> = {};

const check = z.object({ status: z.enum(["SUCCESS", "FAILURE", "WARNING", "SKIPPED", "INFO"]), id: z.string() });

interface Tally {
  readonly passed: number;
  readonly required: number;
  readonly checks: number;
  readonly problems: readonly string[];
}

const only = process.argv.includes("--only") ? process.argv[process.argv.indexOf("--only") + 1] : undefined;
const sides = (["client", "server"] as const).filter((side) => only === undefined || only === side);
const lines: string[] = [];
let complete = true;
for (const side of sides) {
  for (const revision of revisions) {
    const tally = await run(side, revision);
    for (const problem of tally.problems) process.stdout.write(`${side} ${revision}: ${problem}\n`);
    lines.push(`${side} ${revision}: ${tally.passed}/${tally.required} scenarios, ${tally.checks} checks`);
    complete &&= tally.passed === tally.required && tally.required > 0;
  }
}
process.stdout.write(`${lines.join("\n")}\n`);
process.exitCode = complete ? 0 : 1;

async function run(side: Side, revision: string): Promise<Tally> {
  const out = mkdtempSync(path.join(tmpdir(), "mcp-conformance-"));
  try {
    const required = requiredScenarios(side, revision);
    const options = ["--requirements", revision, "-o", out];
    const printed =
      side === "client"
        ? await runSuite(["client", "--command", `${process.execPath} ${client}`, ...options])
        : await withServer((url) => runSuite(["server", "--url", url, ...options]));
    return tallyOf(required, resultsIn(out, side), printed);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** The suite's own list of what the revision demands. */
function requiredScenarios(side: Side, revision: string): readonly string[] {
  const { stdout } = spawnSync(process.execPath, [suite, "list", "--requirements", revision], { encoding: "utf8" });
  const heading = side === "client" ? "Client scenarios" : "Server scenarios";
  const section = stdout.slice(stdout.indexOf(heading)).split("\n\n")[0] ?? "";
  return [...section.matchAll(/^ {2}- (\S+)$/gm)].map(([, name = ""]) => name);
}

function runSuite(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [suite, ...args], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let printed = "";
    const keep = (chunk: Buffer) => {
      printed = (printed + chunk.toString()).slice(-4_000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.once("error", reject);
    child.once("close", () => resolve(printed));
  });
}

async function withServer<Result>(use: (url: string) => Promise<Result>): Promise<Result> {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(process.execPath, [server], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  try {
    const port = await new Promise<string>((resolve, reject) => {
      child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()));
      child.once("close", (code) => reject(new Error(`The fixture server ended with ${code}.`)));
    });
    return await use(`http://localhost:${port}/mcp`);
  } finally {
    child.stdin.end();
    await ended;
  }
}

type Results = ReadonlyMap<string, readonly z.infer<typeof check>[]>;

/** By scenario. A name may have a slash in it, and each run's time is behind it. */
function resultsIn(out: string, side: Side): Results {
  const results = new Map<string, readonly z.infer<typeof check>[]>();
  for (const entry of readdirSync(out, { recursive: true, encoding: "utf8" })) {
    if (path.basename(entry) !== "checks.json") continue;
    const scenario = path
      .dirname(entry)
      .replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, "")
      .replace(side === "server" ? /^server-/ : /^client-/, "");
    results.set(scenario, z.array(check).parse(JSON.parse(readFileSync(path.join(out, entry), "utf8"))));
  }
  return results;
}

function tallyOf(required: readonly string[], results: Results, printed: string): Tally {
  const problems: string[] = [];
  let checks = 0;
  let passed = 0;
  for (const scenario of required) {
    const found = results.get(scenario) ?? [];
    const done = found.filter(({ status }) => status === "SUCCESS").length;
    const failed = found.filter(({ status }) => status === "FAILURE");
    checks += done + failed.length;
    if (failed.length > 0) problems.push(`${scenario} failed: ${failed.map(({ id }) => id).join(", ")}`);
    else if (done === 0 && withoutChecks[scenario] === undefined) problems.push(`${scenario} checked nothing`);
    else passed += 1;
  }
  if (results.size === 0) problems.push(`the suite gave no results:\n${printed}`);
  return { passed, required: required.length, checks, problems };
}
