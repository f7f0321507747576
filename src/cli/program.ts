import { Command, CommanderError } from "commander";
import { type CommandModule, examples } from "./command.ts";
import { type ExitCode, exitCodes } from "./exit-code.ts";
import { OutputClosed, OutputFailed, type Surface } from "./surface.ts";

interface Entry {
  readonly name: string;
  readonly summary: string;
  /** A command's file is loaded when it is the one that was named. */
  load(): Promise<CommandModule>;
}

const entries: readonly Entry[] = [
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
  { name: "sessions", summary: "read and keep the log of past sessions", load: () => import("./commands/sessions.ts") },
  { name: "audit", summary: "check the log, and ask it why", load: () => import("./commands/audit.ts") },
  { name: "tools", summary: "the catalogue as a model would see it", load: () => import("./commands/tools.ts") },
  {
    name: "doctor",
    summary: "what this machine offers and what is missing",
    load: () => import("./commands/doctor.ts"),
  },
];

/** Runs one command line. Throws for bugs only. */
export async function runProgram(argv: readonly string[], surface: Surface): Promise<ExitCode> {
  let code: ExitCode = exitCodes.done;
  const spoken: { readonly to: "stdout" | "stderr"; readonly text: string }[] = [];
  const program = new Command("gauntlet")
    .description(
      "The runtime that gives language models hands: the model proposes, the system executes, every step leaves a fact.",
    )
    .version(surface.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .exitOverride()
    .showHelpAfterError("(add --help for help)")
    .configureOutput({
      writeOut: (text) => spoken.push({ to: "stdout", text }),
      writeErr: (text) => spoken.push({ to: "stderr", text }),
      getOutHasColors: () => surface.stdout.colour,
      getErrHasColors: () => surface.stderr.colour,
    })
    .addHelpText(
      "after",
      examples(
        [`gauntlet call read '{"path":"package.json"}'`, "Read a file under control:"],
        ["gauntlet explain --shell 'npm test'", "Would this run, and why?"],
        ["gauntlet audit why evt_…", "Why did it run?"],
      ) + exitCodeHelp,
    );
  const named = argv[0] === "help" ? argv[1] : argv[0];
  for (const entry of entries) {
    const command = program.command(entry.name).summary(entry.summary);
    if (entry.name !== named) continue;
    const module = await entry.load();
    module.declare(command, {
      surface,
      end: (ended) => {
        code = ended;
      },
    });
  }
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    if (error instanceof OutputClosed) return exitCodes.interrupted;
    if (!(error instanceof CommanderError)) throw error;
    code = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  }
  try {
    for (const { to, text } of spoken) await surface[to].write(text);
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error;
  }
  return code;
}

const exitCodeHelp = `
Exit codes: 0 done, 1 the task or tool failed, 2 usage or configuration, 3 denied,
4 an approval was needed and nobody could give it, 130 interrupted.
`;
