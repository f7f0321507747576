import { runProgram } from "../../src/cli/program.ts";
import type { Surface } from "../../src/cli/surface.ts";

/** The help of every command, as the program prints it. */
export async function commandLinePage(): Promise<string> {
  const sections = await sectionsOf([]);
  return `${[
    "# Command line",
    "<!-- Made by `npm run docs` from the program's own help. Do not edit. -->",
    ...sections,
  ].join("\n\n")}\n`;
}

async function sectionsOf(command: readonly string[]): Promise<readonly string[]> {
  const help = await helpOf(command);
  const [, listed = ""] = /\nCommands:\n((?: .*\n)+)/.exec(help) ?? [];
  const names = [...listed.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = ""]) => name);
  const below: string[] = [];
  for (const name of names) if (name !== "help") below.push(...(await sectionsOf([...command, name])));
  return [`## gauntlet${command.map((word) => ` ${word}`).join("")}`, `\`\`\`\n${help.trim()}\n\`\`\``, ...below];
}

async function helpOf(command: readonly string[]): Promise<string> {
  let text = "";
  const output = {
    terminal: false,
    colour: false,
    write: async (more: string) => {
      text += more;
    },
  };
  const absent = (): never => {
    throw new Error("Help needs nothing but the output.");
  };
  const surface: Surface = {
    version: "",
    cwd: "/",
    stdout: output,
    stderr: output,
    stdin: (async function* () {})(),
    isDirectory: absent,
    exists: absent,
    inputKind: absent,
    lines: absent,
    makeSample: absent,
    createApp: absent,
    serve: absent,
    edit: absent,
    onInterrupt: () => () => {},
  };
  await runProgram([...command, "--help"], surface);
  return text;
}
