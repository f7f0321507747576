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
  };
}

async function draw(argv: readonly string[], typed: string): Promise<string> {
  const top = realpathSync(mkdtempSync(path.join(os.tmpdir(), "gauntlet-picture-")));
  // Below /tmp a session has a directory of its own, so the project lies a few directories further down.
  const cwd = path.join(top, "home/ada/app");
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
      writeFileSync(path.join(cwd, name), text);
    }
    const printed = await run(argv, cwd, path.join(top, "state"));
    return drawTerminal(`$ ${typed}\n${printed.replaceAll(top, "")}`, columns);
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

/** Up to the first question, whose answer is no: what follows has ids and times in it. */
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
  const surface: Surface = {
    version: "",
    cwd,
    stdout: { ...output, write: async () => {} },
    stderr: output,
    stdin: (async function* () {})(),
    question: async (choices) => {
      // Before it stands how long the command has been running.
      asked ??= text.slice(text.indexOf("\u001b[33m?")) + choices;
      return "n";
    },
    isDirectory: () => true,
    exists: () => false,
    inputKind: () => "none",
    lines: () => ({ ok: true, value: [] }),
    makeSample: () => {
      throw new Error("A picture needs no sample project.");
    },
    createApp: async (options) =>
      createApp({ ...options, gauntletHome, environment: { PATH: process.env.PATH, HOME: path.dirname(cwd) } }),
    serve: async () => ({ ok: true, value: undefined }),
    edit: async () => ({ ok: true, value: undefined }),
    onInterrupt: () => () => {},
  };
  await runProgram(argv, argv[0] === "explain" ? { ...surface, stdout: output } : surface);
  return asked ?? text;
}
