import type { Command } from "commander";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../../command.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { personAt } from "../../person-at.ts";
import { lines, say } from "../../render/shown.ts";
import { counted } from "../../render/table.ts";
import { viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { withApp } from "../../with-app.ts";
import { changedRows } from "./changed-rows.ts";
import { type ConfigFlag, configOption, namedFile } from "./config-option.ts";

type AcceptFlags = CommonOptions & ConfigFlag;

export function declareMcpAccept(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("agree to what a server says of its tools by now")
    .description(
      "A tool that you agreed to, and that its server describes in other words since, asks again before it is " +
        "called, whatever your rules say. This starts the server, shows what changed and agrees to it, for this " +
        "project. No other rights come with it: rules and questions are as they were. `gauntlet mcp test` shows " +
        "the same and agrees to nothing.",
    )
    .argument("<name>", "as `gauntlet mcp list` shows it")
    .argument("[tool]", "only this one, as the server spells it; all that changed when absent")
    .option(...configOption)
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet mcp test docs", "What changed?"],
        ["gauntlet mcp accept docs search", "Agree to one of them:"],
        ["gauntlet mcp accept docs", "Agree to all of it, after an update that you made:"],
      ),
    )
    .action(async (name: string, tool: string | undefined, flags: AcceptFlags) =>
      end(await acceptChanges(surface, { name, tool }, flags)),
    );
}

async function acceptChanges(
  surface: Surface,
  { name, tool }: { readonly name: string; readonly tool: string | undefined },
  flags: AcceptFlags,
): Promise<ExitCode> {
  const stop = new AbortController();
  const stopListening = surface.onInterrupt(() => stop.abort());
  const { elicit } = personAt(surface.stderr, surface.question, () => {});
  try {
    return await withApp(surface, flags, async (app) => {
      const accepted = await app.servers.accept(name, {
        ...namedFile(flags, surface),
        ...(tool === undefined ? {} : { tool }),
        ...(elicit === undefined ? {} : { elicit }),
        signal: stop.signal,
      });
      if (!accepted.ok) return reportFailure(surface, accepted.failure, { json: flags.json ?? false });
      const view = viewOn(surface.stdout);
      const { length } = accepted.value;
      const words =
        length === 0
          ? say`Nothing to agree to: ${name} says of ${tool ?? "its tools"} what it said before.`
          : say`${view.paint("good", "agreed")} to ${counted(length, "definition")} of ${name}`;
      if (flags.json === true) await printJson(surface, { name, accepted: accepted.value });
      else await printShown(surface, lines([...accepted.value.flatMap(changedRows(view)), view.wrap(words)]));
      return exitCodes.done;
    });
  } finally {
    stopListening();
  }
}
