import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { SaidPart, WireFormat } from "../test/support/model-server/server-turn.ts";
import { startModelServer } from "../test/support/model-server/start-model-server.ts";

/* Runs the program's usual work on a temporary project and home, so that the functions that V8 compiles on the way are * cached for every later start. Node's own cache contains only functions that are compiled while a file is loaded.
 */
const [program = ""] = process.argv.slice(2);
const place = mkdtempSync(path.join(os.tmpdir(), "gauntlet-compile-"));
const project = path.join(place, "project");
const home = path.join(place, "home");
const longestMs = 60_000;

const files = Array.from({ length: 10 }, (_, index) => `module-${index}.ts`);
const read = (file: string): SaidPart => ({ call: "read", input: { path: file } });
const bash = (command: string): SaidPart => ({ call: "bash", input: { command } });

/** One list of calls a turn. */
const work: readonly (readonly SaidPart[])[] = [
  [read("module-0.ts")],
  files.map(read),
  [{ call: "grep", input: { pattern: "value_3" } }],
  [{ call: "glob", input: { pattern: "*.ts" } }],
  [bash("grep -c value module-1.ts | head -1 && true")],
  [{ call: "edit", input: { path: "module-0.ts", old_string: "value_0 = 0", new_string: "value_0 = 1" } }],
  [bash("true")],
];

const models: readonly { readonly format: WireFormat; readonly name: string }[] = [
  { format: "anthropic", name: "anthropic/claude-sonnet-4-5" },
  { format: "openai-responses", name: "openai/gpt-5" },
  { format: "google", name: "google/gemini-2.5-flash" },
  { format: "openai-chat", name: "openai-compatible/any" },
];

try {
  mkdirSync(project);
  mkdirSync(path.join(home, ".gauntlet"), { recursive: true, mode: 0o700 });
  for (const [index, file] of files.entries()) {
    writeFileSync(path.join(project, file), `export const value_${index} = ${index};\n`);
  }
  for (const { format, name } of models) {
    const script = [...work, [{ text: "Done." }]].map((say) => ({ say }));
    const server = await startModelServer({ format, script });
    await run(["run", "Work.", "--model", name, "--base-url", server.url, "--mode", "acceptEdits", "--allow", "Bash"]);
    await server.close();
  }
  // Once with an unknown server, and once with its cached definitions.
  writeFileSync(path.join(home, ".gauntlet", "settings.json"), JSON.stringify({ mcpServers: { odd: server() } }));
  for (const words of ["Meet it.", "Use it."]) {
    const script = [[{ call: "mcp__odd__fine", input: {} }], [{ text: "Done." }]].map((say) => ({ say }));
    const model = await startModelServer({ format: "anthropic", script });
    const name = "anthropic/claude-sonnet-4-5";
    await run(["run", words, "--model", name, "--base-url", model.url, "--allow", "mcp__odd"]);
    await model.close();
  }
  if ((await run(["--version"])) !== 0) throw new Error("The program does not start.");
} finally {
  rmSync(place, { recursive: true, force: true });
}

function server(): object {
  const programs = path.join(import.meta.dirname, "../test/support/servers");
  const read = [programs, path.dirname(process.execPath)];
  return { command: process.execPath, args: [path.join(programs, "failing.ts")], sandbox: { read } };
}

/** The exit code does not matter (for example without a sandbox): the code that ran is compiled. */
async function run(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "keep-compiled.cjs"), program, ...args], {
    cwd: project,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      ANTHROPIC_API_KEY: "none",
      OPENAI_API_KEY: "none",
      GEMINI_API_KEY: "none",
    },
    stdio: "ignore",
    timeout: longestMs,
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  if (code === null) throw new Error(`gauntlet ${args.join(" ")} did not exit.`);
  return code;
}
