import { type Command, InvalidArgumentError } from "commander";
import { type CommandContext, type CommonOptions, examples, jsonOption } from "../../command.ts";
import { exitCodes } from "../../exit-code.ts";
import { sessionArgument } from "../../find-session.ts";
import { renderFork } from "../../render/undo.ts";
import { viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import { withSession } from "../../with-app.ts";

interface ForkFlags extends CommonOptions {
  readonly at?: number | string;
}

export function declareSessionsFork(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("a new session that goes on from a point of this one")
    .description(
      "A new session that goes on from a point of this one, which is not touched. Files are not rewound, and what a " +
        "person agreed to for the other session is not agreed to here.",
    )
    .argument("<session>", sessionArgument)
    .option("--at <event>", "the last event that comes along, by number or id; the latest when absent", eventName)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet sessions fork latest", "Try something else from here:"],
        ["gauntlet sessions fork ses_… --at 120", "Go on from an earlier point:"],
      ),
    )
    .action(async (session: string, flags: ForkFlags) =>
      end(
        await withSession(surface, { ...flags, session }, async (id, archive) => {
          const forked = archive.fork(id, flags.at);
          if (!forked.ok) return reportFailure(surface, forked.failure, { json: flags.json ?? false });
          if (flags.json === true) await printJson(surface, forked.value);
          else await printShown(surface, renderFork(forked.value, viewOn(surface.stdout)));
          return exitCodes.done;
        }),
      ),
    );
}

function eventName(text: string): number | string {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  if (/^evt_\S+$/.test(text)) return text;
  throw new InvalidArgumentError("Expected the number of an event, or its id.");
}
