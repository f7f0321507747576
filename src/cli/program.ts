import { Command, CommanderError, Help, type Option } from "commander";
import { type CommandModule, examples } from "./flags.ts";
import { type ExitCode, exitCodes } from "./report.ts";
import { OutputClosed, OutputFailed, type Surface } from "./surface.ts";

interface Entry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<CommandModule>;
}

const entries: readonly Entry[] = [
  {
    name: "chat",
    summary: "work with a model at this terminal (default)",
    load: () => import("./commands/chat.ts"),
  },
  { name: "run", summary: "give a model a task, without prompts", load: () => import("./commands/run.ts") },
  { name: "demo", summary: "run a demo without a key or a network", load: () => import("./commands/demo.ts") },
  { name: "call", summary: "run one tool call", load: () => import("./commands/call.ts") },
  { name: "pipe", summary: "run tool calls from JSON lines", load: () => import("./commands/pipe.ts") },
  {
    name: "explain",
    summary: "explain the verdict on a call without running it",
    load: () => import("./commands/explain.ts"),
  },
  {
    name: "policy",
    summary: "check a policy, and try it on recorded calls",
    load: () => import("./commands/policy.ts"),
  },
  { name: "trust", summary: "review and trust this repository's settings", load: () => import("./commands/trust.ts") },
  { name: "try", summary: "run a command on a copy of the workspace", load: () => import("./commands/try.ts") },
  { name: "undo", summary: "undo changes of calls, commands included", load: () => import("./commands/undo.ts") },
  { name: "acp", summary: "serve an editor over the Agent Client Protocol", load: () => import("./commands/acp.ts") },
  {
    name: "sessions",
    summary: "read and manage the log of past sessions",
    load: () => import("./commands/sessions.ts"),
  },
  { name: "audit", summary: "verify the log, and explain recorded calls", load: () => import("./commands/audit.ts") },
  { name: "tools", summary: "list tools as a model sees them", load: () => import("./commands/tools.ts") },
  { name: "skills", summary: "list the skills that a model can read", load: () => import("./commands/skills.ts") },
  { name: "mcp", summary: "manage MCP servers, and serve MCP clients", load: () => import("./commands/mcp.ts") },
  { name: "doctor", summary: "check this machine and fix problems", load: () => import("./commands/doctor.ts") },
];

/**
 * Commands that only show something: they exit 0 if the reader closes the output early. Not commands that change
 * something, whose partial output is useless (an export), or whose exit code is a verdict.
 */
const readings: ReadonlySet<string> = new Set([
  "explain",
  "policy try",
  "sessions list",
  "sessions show",
  "sessions events",
  "sessions replay",
  "audit why",
  "tools list",
  "tools show",
  "skills list",
  "skills show",
  "skills search",
  "mcp list",
  "mcp get",
]);

export async function runProgram(argv: readonly string[], surface: Surface): Promise<ExitCode> {
  let code: ExitCode = exitCodes.done;
  let running = "";
  const spoken: { readonly to: "stdout" | "stderr"; readonly text: string }[] = [];
  const words = asChat(asFlag(argv));
  const program = new Command("gauntlet")
    .description(
      "A runtime for the tool calls of language models: calls are checked, confined to a sandbox and recorded.",
    )
    .version(surface.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command...]", "print help for a command")
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError("(add --help for help)")
    .hook("preAction", (_program, action) => {
      running = pathOf(action);
    })
    .configureHelp({ optionDescription: describeOption })
    .configureOutput({
      writeOut: (text) => spoken.push({ to: "stdout", text }),
      writeErr: (text) => spoken.push({ to: "stderr", text }),
      outputError: (text, write) => write(text.replace(/^error: /, "gauntlet: ")),
      getOutHasColors: () => surface.stdout.colour,
      getErrHasColors: () => surface.stderr.colour,
      getOutHelpWidth: () => surface.stdout.columns ?? 80,
      getErrHelpWidth: () => surface.stderr.columns ?? 80,
    })
    .addHelpText(
      "after",
      (words.length > 0 && words.every(isHelp) ? await chatOptions(surface) : "") +
        examples(
          ["gauntlet --continue", "Continue the last session:"],
          [`gauntlet call read '{"path":"package.json"}'`, "Read a file through the gate:"],
          ["gauntlet explain --shell 'npm test'", "Explain whether a command would run:"],
          ["gauntlet audit why evt_…", "Explain why a call ran:"],
        ) +
        exitCodeHelp,
    );
  for (const entry of entries) {
    const command = program.command(entry.name).summary(entry.summary);
    if (entry.name !== words[0]) continue;
    const module = await entry.load();
    module.declare(command, {
      surface,
      end: (ended) => {
        code = ended;
      },
    });
  }
  try {
    await program.parseAsync(namesNothing(program, words) ? words.filter((word) => !isHelp(word)) : words, {
      from: "user",
    });
  } catch (error) {
    if (error instanceof OutputClosed) return readings.has(running) ? exitCodes.done : exitCodes.interrupted;
    if (error instanceof OutputFailed) return reportLoss(surface, error);
    if (!(error instanceof CommanderError)) throw error;
    code = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  }
  try {
    for (const { to, text } of spoken) await surface[to].write(text);
  } catch (error) {
    if (error instanceof OutputFailed) return reportLoss(surface, error);
    if (!(error instanceof OutputClosed)) throw error;
  }
  return code;
}

async function reportLoss(surface: Surface, loss: OutputFailed): Promise<ExitCode> {
  await surface.stderr.write(`gauntlet: ${loss.message}\n`);
  return exitCodes.failed;
}

function asChat(words: readonly string[]): readonly string[] {
  const [first] = words;
  if (words.some(isHelp)) return words;
  if (first === undefined) return ["chat"];
  const isOption = first.startsWith("-") && first !== "-V" && first !== "--version";
  // No command name contains a space, so this is a task.
  return isOption || /\s/.test(first.trim()) ? ["chat", ...words] : words;
}

function asFlag(argv: readonly string[]): readonly string[] {
  const [first, ...others] = argv;
  if (first === "version" && others.length === 0) return ["--version"];
  return first === "help" ? [...others.filter((word) => !isHelp(word)), "--help"] : argv;
}

function namesNothing(program: Command, words: readonly string[]): boolean {
  let command = program;
  for (const word of words) {
    if (word.startsWith("-") || command.commands.length === 0) return false;
    const next = command.commands.find((known) => known.name() === word);
    if (next === undefined) return command.registeredArguments.length === 0;
    command = next;
  }
  return false;
}

function isHelp(word: string): boolean {
  return word === "--help" || word === "-h";
}

function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null || parent.parent === null ? command.name() : `${pathOf(parent)} ${command.name()}`;
}

async function chatOptions({ stdout }: Surface): Promise<string> {
  const { declareModelFlags } = await import("./flags.ts");
  const { options } = declareModelFlags(new Command());
  const help = new Help();
  help.prepareContext({ helpWidth: stdout.columns ?? 80 });
  const width = Math.max(...options.map(({ flags }) => flags.length));
  const rows = options.map((option) => help.formatItem(option.flags, width, describeOption(option), help));
  return `\nOptions without a command are options of chat:\n${rows.join("\n")}\n`;
}

function describeOption(option: Option): string {
  return new Help().optionDescription(option).replace(/ \(default: \[\]\)$/, "");
}

const exitCodeHelp = `
Exit codes: 0 success, 1 the task or tool failed, 2 usage or configuration error,
3 denied, 4 approval needed and no user could answer, 5 the model or its provider failed,
130 interrupted.
If the reader closes the output early (\`| head -1\`), a command that only shows
something exits 0, every other command 130.
`;
