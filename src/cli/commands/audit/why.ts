import type { Command } from "commander";
import { type CommandContext, type CommonOptions, examples, jsonOption } from "../../command.ts";
import { exitCodes } from "../../exit-code.ts";
import { renderAuditAnswer } from "../../render/audit.ts";
import { painter } from "../../render/shown.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import { withArchive } from "../../with-app.ts";

export function declareAuditWhy(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("how one observation came about")
    .description(
      "How one observation came about: who proposed it, what was on the menu, why it was allowed, who agreed to what,\n" +
        "what ran, where, under which isolation, what changed, and what the model saw.",
    )
    .argument("<observation>", "its audit id, its invocation id, or session/intent")
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(["gauntlet audit why evt_…", "By audit id:"], ["gauntlet audit why ses_…/a", "By intent:"]),
    )
    .action(async (reference: string, flags: CommonOptions) =>
      end(
        await withArchive(surface, flags, async (archive) => {
          const answer = archive.why(reference);
          if (!answer.ok) return reportFailure(surface, answer.failure, { json: flags.json ?? false });
          if (flags.json === true) await printJson(surface, answer.value);
          else await printShown(surface, renderAuditAnswer(answer.value, painter(surface.stdout)));
          return exitCodes.done;
        }),
      ),
    );
}
