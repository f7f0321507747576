import type { Command } from "commander";
import { type CommandContext, type CommonOptions, examples, jsonOption } from "../../command.ts";
import { exitCodes } from "../../exit-code.ts";
import { sessionArgument } from "../../find-session.ts";
import { renderMessage, renderState } from "../../render/session.ts";
import { viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import { withSession } from "../../with-app.ts";

export function declareSessionsReplay(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("rebuild a session from its log alone")
    .description("Rebuild state and conversation from the log alone. Runs nothing and touches nothing.")
    .argument("<session>", sessionArgument)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet sessions replay ses_…", "What a model would have seen:"]))
    .action(async (session: string, flags: CommonOptions) =>
      end(
        await withSession(surface, { ...flags, session }, async (id, archive) => {
          const replay = archive.replay(id);
          if (!replay.ok) return reportFailure(surface, replay.failure, { json: flags.json ?? false });
          if (flags.json === true) {
            await printJson(surface, replay.value);
            return exitCodes.done;
          }
          const view = viewOn(surface.stdout);
          for (const message of replay.value.messages) await printShown(surface, renderMessage(message, view.paint));
          await printShown(surface, renderState(replay.value.state, view));
          return exitCodes.done;
        }),
      ),
    );
}
