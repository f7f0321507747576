import type { Command } from "commander";
import type { Archive, AuditAnswer } from "../../../contract/app/archive.ts";
import { ok } from "../../../contract/codes.ts";
import { checkChain } from "../../broken-chain.ts";
import { type CommandContext, type CommonOptions, examples, jsonOption } from "../../command.ts";
import { findRecorded } from "../../find-session.ts";
import { renderAuditAnswer } from "../../render/audit.ts";
import { viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import { withArchive } from "../../with-app.ts";

function proposedInput(archive: Archive, { session, intentId }: AuditAnswer): unknown {
  const proposed = archive.events(session, { types: ["tool_intent.proposed"] });
  if (!proposed.ok) return undefined;
  for (const event of proposed.value) {
    if (event.type === "tool_intent.proposed" && event.data.intentId === intentId) return event.data.input;
  }
  return undefined;
}

export function declareAuditWhy(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("how one observation came about")
    .description(
      "How one observation came about: who proposed it, what was on the menu, why it was allowed, who agreed to what, " +
        "what ran, where, under which isolation, what changed, and what the model saw.",
    )
    .argument(
      "<observation>",
      "its audit id (evt_…), its invocation id (inv_…), its intent id (int_…), or session/intent (latest/a)",
    )
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(["gauntlet audit why evt_…", "By audit id:"], ["gauntlet audit why ses_…/a", "By intent:"]),
    )
    .action(async (reference: string, flags: CommonOptions) =>
      end(
        await withArchive(surface, flags, async (archive, app) => {
          const [, session, intent] = /^([^/]+)\/(.+)$/s.exec(reference) ?? [];
          const named = session === undefined ? ok(undefined) : findRecorded(archive, session, app);
          if (!named.ok) return reportFailure(surface, named.failure, { json: flags.json ?? false });
          const answer = archive.why(named.value === undefined ? reference : `${named.value}/${intent}`);
          if (!answer.ok) return reportFailure(surface, answer.failure, { json: flags.json ?? false });
          if (flags.json === true) await printJson(surface, answer.value);
          else
            await printShown(
              surface,
              renderAuditAnswer(answer.value, proposedInput(archive, answer.value), viewOn(surface.stdout)),
            );
          return checkChain(surface, archive, answer.value.session);
        }),
      ),
    );
}
