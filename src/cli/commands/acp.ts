import path from "node:path";
import type { Command } from "commander";
import { type CommandContext, declarePolicyFlags, examples, modelNeedOf, type PolicyFlags } from "../flags.ts";
import { type ExitCode, exitCodeOfEnded, exitCodes } from "../report.ts";
import { OutputClosed, type Surface } from "../surface.ts";
import { untilInterrupted } from "../with-app.ts";

interface AcpFlags extends PolicyFlags {
  readonly model?: string;
  readonly baseUrl?: string;
}

export function declare(command: Command, { surface, end }: CommandContext): void {
  declarePolicyFlags(
    command
      .description(
        "Serve an editor over the Agent Client Protocol on standard input and output.\n" +
          "The editor starts this command, chooses the directory of each session and shows permission requests to " +
          "you. Standard output carries only the protocol.",
      )
      .option("--model <provider/id>", "the model; by default that of the settings")
      .option("--base-url <url>", "base URL of the provider, instead of its default"),
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
  const { mode, allow, deny, cwd = "." } = flags;
  const directory = path.resolve(surface.cwd, cwd);
  return untilInterrupted(surface, async (stop) => {
    try {
      const edited = await surface.edit({ directory, model: modelNeedOf(flags), mode, allow, deny, stop });
      const ended = stop.aborted ? exitCodes.interrupted : exitCodes.done;
      return await exitCodeOfEnded(surface, edited.ok ? ended : edited, {});
    } catch (error) {
      // Editors close the connection without a goodbye.
      if (error instanceof OutputClosed) return exitCodes.done;
      throw error;
    }
  });
}
