import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { runProgram } from "../../src/cli/program.ts";
import type { Surface } from "../../src/cli/surface.ts";
import { createApp } from "../../src/compose/app.ts";
import { drawTerminal } from "./draw-terminal.ts";

const columns = 96;
const files = {
  "package.json": '{\n  "name": "app",\n  "scripts": { "test": "node --test", "clean": "rm -rf dist" }\n}\n',
  "src/sum.js": "export const sum = (a, b) => a - b;\n",
  "src/old.js": "export const unused = 1;\n",
  "dist/app.js": "// built\n",
};

/** What the program prints on a terminal, in a project of its own, as pictures. */
export async function pictures(): Promise<Readonly<Record<string, string>>> {
  const explained = "npm test && cat package.json | head -3 && rm -rf dist";
  const changes = "sed -i 's/a - b/a + b/' src/sum.js && rm src/old.js";
  return {
    "docs/pictures/explain.svg": await draw(
      ["explain", "--shell", explained],
      `gauntlet explain --shell '${explained}'`,
    ),
    "docs/pictures/question.svg": await draw(
      ["call", "bash", JSON.stringify({ command: changes })],
      `gauntlet call bash '{"command": "${changes}"}'`,
    ),
    "docs/pictures/try.svg": await draw(["try", changes], `gauntlet try "${changes}"`),
    "docs/pictures/demo.svg": await draw(["demo"], "gauntlet demo", endOfDemo),
  };
}

/** From the edit to the report, without times: paths and ids before and after it differ from run to run. */
function endOfDemo(printed: string): string {
  const lines = printed.split("\n");
  const start = lines.findIndex((line) => line.includes("✓") && line.includes("Edit"));
  const end = lines.findIndex((line, at) => at > start && line.includes(" tokens "));
  if (start < 0 || end < 0) throw new Error(`The demo no longer ends as its picture shows it:\n${printed}`);
  return ["…", ...lines.slice(start, end)].join("\n").replace(/ \S*\(\d[\d.]* m?s\)/g, "");
}

async function draw(argv: readonly string[], typed: string, part = (printed: string) => printed): Promise<string> {
  const top = realpathSync(mkdtempSync(path.join(os.tmpdir(), "gauntlet-picture-")));
  // Below /tmp a session has a directory of its own, so the project is a few directories further down.
  const cwd = path.join(top, "home/ada/app");
  try {
    write(cwd, files);
    const printed = await run(argv, cwd, path.join(top, "state"));
    return drawTerminal(`$ ${typed}\n${part(printed.replaceAll(top, ""))}`, columns);
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

function write(directory: string, contents: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(contents)) {
    mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
    writeFileSync(path.join(directory, name), text);
  }
}

/** Up to the first question, whose answer is no: the text after it has ids and times in it. */
async function run(argv: readonly string[], cwd: string, gauntletHome: string): Promise<string> {
  let text = "";
  let asked: string | undefined;
  const output = {
    terminal: true,
    colour: true,
    columns,
    write: async (more: string) => {
      text += more;
    },
  };
  const isCall = argv[0] === "call";
  const surface: Surface = {
    version: "",
    cwd,
    stdout: isCall ? { ...output, write: async () => {} } : { ...output, terminal: argv[0] !== "demo" },
    stderr: isCall ? output : { ...output, write: async () => {} },
    stdin: (async function* () {})(),
    question: async (choices) => {
      // Before it is the time that the command has been running.
      asked ??= text.slice(text.indexOf("\u001b[33m?")) + choices;
      return "n";
    },
    isDirectory: () => true,
    exists: () => false,
    inputKind: () => "none",
    lines: () => ({ ok: true, value: [] }),
    makeSample: (contents, script) => {
      const project = path.join(path.dirname(cwd), "corner-shop");
      write(project, contents);
      write(path.dirname(cwd), { "model.json": script });
      const model = path.join(path.dirname(cwd), "model.json");
      return { ok: true, value: { project, state: gauntletHome, script: model, remove: () => {} } };
    },
    createApp: async (options) =>
      createApp({ gauntletHome, ...options, environment: { PATH: process.env.PATH, HOME: path.dirname(cwd) } }),
    serve: async () => ({ ok: true, value: undefined }),
    edit: async () => ({ ok: true, value: undefined }),
    onInterrupt: () => () => {},
  };
  await runProgram(argv, surface);
  return asked ?? text;
}
