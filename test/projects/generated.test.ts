import { spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { it, type TestContext } from "vitest";
import { isSame, type Result } from "../../bench/projects/report.ts";

const program = path.resolve(import.meta.dirname, "../../bench/projects/run.ts");
const nobody = 65534;
const users =
  process.getuid?.() === 0
    ? [{ who: "root" }, { who: "an unprivileged user", uid: nobody }]
    : [{ who: "the current user" }];

/** Denied before it runs: a whole tree outside the workspace. */
const denied = ["cp -r ~/go/pkg/mod/"];

it.concurrent.for(users)(
  "everyday commands in generated projects end as in bare bash, as $who",
  { timeout: 900_000 },
  async ({ uid }, { expect, onTestFinished }) => {
    const rows = await measureRows(uid, onTestFinished);
    const [expected, unlike] = [rows.filter(isDenied), rows.filter((row) => !isDenied(row) && !isSame(row))];
    const projects = new Set(rows.map(({ project }) => project));
    const asked = rows.filter(({ questions }) => questions.before + questions.after > 3);
    const refusals = rows.filter(({ command }) => command.includes("Refused by the hook"));

    // Python and C run where python3, make and cc are installed.
    expect([...projects]).toEqual(expect.arrayContaining(["go", "npm", "pnpm", "yarn"]));
    expect(unlike.map(described)).toEqual([]);
    // One that is no longer denied belongs to the rest.
    expect(expected.map(({ exit }) => exit.split(":")[0])).toEqual(expected.map(() => "policy_denied"));
    expect(asked.map(described)).toEqual([]);
    expect(refusals.map(({ bareExit, exit }) => [bareExit, exit])).toEqual([...projects].map(() => ["1", "1"]));
  },
);

function isDenied({ command }: Result): boolean {
  return denied.some((start) => command.startsWith(start));
}

function described({ project, command, differences, outputs, reasons }: Result) {
  return { project, command, differences: differences.slice(0, 5), outputs, reasons };
}

/** The benchmark as a program of its own: it replaces the environment, and may run as another user. */
async function measureRows(
  uid: number | undefined,
  onTestFinished: TestContext["onTestFinished"],
): Promise<readonly Result[]> {
  const directory = mkdtempSync(path.join(os.tmpdir(), "gauntlet-projects-test-"));
  const file = path.join(directory, "rows.json");
  if (uid !== undefined) chownSync(directory, uid, uid);
  const flags = [
    "--generated",
    "--listed",
    "--untimed",
    "--json",
    file,
    ...(uid === undefined ? [] : ["--user", String(uid)]),
  ];
  const env = { PATH: [placeOfNpm(), "/usr/local/bin", "/usr/bin", "/bin"].join(":"), HOME: process.env.HOME };
  const child = spawn(process.execPath, [program, ...flags], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env,
  });
  onTestFinished(() => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`The benchmark ended with exit code ${code}:\n${output}`);
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Of the machine's own, which runs with the machine's Node; `npm test` puts others before it. */
function placeOfNpm(): string | undefined {
  const directories = (process.env.PATH ?? "").split(":").filter((one) => !one.includes("node_modules"));
  return directories.find((one) => existsSync(path.join(one, "npm")));
}
