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
    summary: "work with a model at this terminal; what `gauntlet` alone does",
    load: () => import("./commands/chat.ts"),
  },
  {
    name: "run",
    summary: "give a model a task, without a person at hand",
    load: () => import("./commands/run.ts"),
  },
  {
    name: "demo",
    summary: "the whole story, without a key and without a network",
    load: () => import("./commands/demo.ts"),
  },
  { name: "call", summary: "one intent through the whole pipeline", load: () => import("./commands/call.ts") },
  {
    name: "pipe",
    summary: "intents as JSON lines in, observations as JSON lines out",
    load: () => import("./commands/pipe.ts"),
  },
  {
    name: "explain",
    summary: "the verdict and its reasons, without execution",
    load: () => import("./commands/explain.ts"),
  },
  {
    name: "policy",
    summary: "check a policy, and try it on what has happened",
    load: () => import("./commands/policy.ts"),
  },
  {
    name: "trust",
    summary: "what this repository asks for, and what of it you trust",
    load: () => import("./commands/trust.ts"),
  },
  {
    name: "try",
    summary: "run a command on a copy of the workspace and show what it changes",
    load: () => import("./commands/try.ts"),
  },
  {
    name: "undo",
    summary: "take back what calls changed, commands included",
    load: () => import("./commands/undo.ts"),
  },
  { name: "acp", summary: "serve an editor over the Agent Client Protocol", load: () => import("./commands/acp.ts") },
  { name: "sessions", summary: "read and keep the log of past sessions", load: () => import("./commands/sessions.ts") },
  { name: "audit", summary: "check the log, and ask it why", load: () => import("./commands/audit.ts") },
  { name: "tools", summary: "the catalogue as a model would see it", load: () => import("./commands/tools.ts") },
  { name: "skills", summary: "the skills that a model can read here", load: () => import("./commands/skills.ts") },
  {
    name: "mcp",
    summary: "MCP servers: use them, and serve our tools to MCP clients",
    load: () => import("./commands/mcp.ts"),
  },
  {
    name: "doctor",
    summary: "what this machine offers and what is missing",
    load: () => import("./commands/doctor.ts"),
  },
];

/**
 * Commands that only show something: a reader that has seen enough ends them well. Not among them is what does
 * something, what is worthless in part (an export) and what gives a verdict as its exit code.
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
      "The runtime that gives language models hands: the model proposes, the system executes, every step leaves a fact.",
    )
    .version(surface.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command...]", "print help for a command")
    // Options belong to the command in front of them.
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
      // One name in front of whatever goes wrong.
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
          ["gauntlet --continue", "Go on where you left:"],
          [`gauntlet call read '{"path":"package.json"}'`, "Read a file under control:"],
          ["gauntlet explain --shell 'npm test'", "Would this run, and why?"],
          ["gauntlet audit why evt_…", "Why did it run?"],
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
  // No command has a blank in its name: it is what is to be done.
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
  return `\nOptions without a command are those of chat:\n${rows.join("\n")}\n`;
}

function describeOption(option: Option): string {
  return new Help().optionDescription(option).replace(/ \(default: \[\]\)$/, "");
}

const exitCodeHelp = `
Exit codes: 0 done, 1 the task or tool failed, 2 usage or configuration, 3 denied,
4 an approval was needed and nobody could give it, 5 the model or its provider failed,
130 interrupted.
When its reader leaves early (\`| head -1\`), a command that only shows something
ends with 0, every other one with 130.
`;
