import path from "node:path";
import type { Command } from "commander";
import { type CommandContext, declarePolicyFlags, examples, modelNeedOf, type PolicyFlags } from "../flags.ts";
import { type ExitCode, exitCodes, reportFailure } from "../report.ts";
import { OutputClosed, type Surface } from "../surface.ts";

interface AcpFlags extends PolicyFlags {
  readonly model?: string;
  readonly baseUrl?: string;
}

export function declare(command: Command, { surface, end }: CommandContext): void {
  declarePolicyFlags(
    command
      .description(
        "Serve an editor that speaks the Agent Client Protocol on standard input and output.\n" +
          "The editor starts this command, names the directory of each session and is asked wherever a person " +
          "would be asked. Nothing but the protocol goes to standard output.",
      )
      .option("--model <provider/id>", "the model; the settings name the usual one")
      .option("--base-url <url>", "where the provider is, instead of its usual place"),
  )
    .addHelpText(
      "after",
      examples(
        ['"agent_servers": { "Gauntlet": { "command": "gauntlet", "args": ["acp"] } }', "In the settings of Zed:"],
        ["acpx --agent 'gauntlet acp' exec 'Why do the tests fail?'", "From another terminal:"],
      ),
    )
    .action(async (flags: AcpFlags) => end(await serveEditor(surface, flags)));
}

async function serveEditor(surface: Surface, flags: AcpFlags): Promise<ExitCode> {
  const stop = new AbortController();
  const stopListening = surface.onInterrupt((signal) => stop.abort(signal));
  const { mode } = flags;
  try {
    const edited = await surface.edit({
      directory: path.resolve(surface.cwd, flags.cwd ?? "."),
      model: modelNeedOf(flags),
      mode,
      allow: flags.allow,
      deny: flags.deny,
      stop: stop.signal,
    });
    if (!edited.ok) return await reportFailure(surface, edited.failure, { json: false });
    return stop.signal.aborted ? exitCodes.interrupted : exitCodes.done;
  } catch (error) {
    // An editor that reads no more has gone away, as editors do.
    if (error instanceof OutputClosed) return exitCodes.done;
    throw error;
  } finally {
    stopListening();
  }
}
