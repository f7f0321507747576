import type { Command } from "commander";
import type { Archive, AuditAnswer } from "../../contract/app/archive.ts";
import { ok } from "../../contract/codes.ts";
import { findRecorded, sessionArgument } from "../find-session.ts";
import { type CommandContext, type CommonOptions, examples, jsonOption } from "../flags.ts";
import { renderAuditAnswer, renderNotices, renderVerifyReport } from "../render/session.ts";
import { lines, painter, say } from "../render/shown.ts";
import { counted } from "../render/table.ts";
import { viewOn } from "../render/wrap.ts";
import { checkChain, exitCodes, printJson, printShown, reportFailure } from "../report.ts";
import { withArchive } from "../with-app.ts";

export function declare(command: Command, context: CommandContext): void {
  command.description("Check the log, and ask it why.");
  declareAuditVerify(command.command("verify"), context);
  declareAuditWhy(command.command("why"), context);
}

export function declareAuditVerify(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("recompute the hash chain")
    .description("Recompute the hash chain of one session, or of the whole store. Exits 1 when anything is wrong.")
    .argument("[session]", `${sessionArgument}; the whole store when absent`)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(["gauntlet audit verify", "Everything:"], ["gauntlet audit verify ses_…", "One session:"]),
    )
    .action(async (session: string | undefined, flags: CommonOptions) =>
      end(
        await withArchive(surface, flags, async (archive, app) => {
          const named = session === undefined ? ok(undefined) : findRecorded(archive, session, app);
          if (!named.ok) return reportFailure(surface, named.failure, { json: flags.json ?? false });
          const reports = archive.verify(named.value);
          if (!reports.ok) return reportFailure(surface, reports.failure, { json: flags.json ?? false });
          const broken = reports.value.filter((report) => !report.ok);
          if (flags.json === true) await printJson(surface, reports.value);
          else {
            const paint = painter(surface.stdout);
            for (const report of reports.value) await printShown(surface, renderVerifyReport(report, paint));
            await printShown(
              surface,
              lines([
                say`${counted(reports.value.length, "session")} checked, ${broken.length} broken`,
                ...renderNotices(reports.value, paint),
              ]),
            );
          }
          return broken.length === 0 ? exitCodes.done : exitCodes.failed;
        }),
      ),
    );
}

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
