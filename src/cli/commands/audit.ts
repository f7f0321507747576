import type { Command } from "commander";
import type { Archive, AuditAnswer } from "../../contract/app/archive.ts";
import { ok } from "../../contract/codes.ts";
import { findRecorded, sessionArgument } from "../find-session.ts";
import { type CommandContext, examples, jsonOption } from "../flags.ts";
import { renderAuditAnswer, renderVerifyReports } from "../render/session.ts";
import { checkChain, exitCodes } from "../report.ts";
import { onArchive } from "../with-app.ts";

export function declare(command: Command, context: CommandContext): void {
  command.description("Verify the log, and explain recorded calls.");
  declareVerify(command.command("verify"), context);
  declareWhy(command.command("why"), context);
}

function declareVerify(command: Command, context: CommandContext): void {
  command
    .summary("verify the hash chain")
    .description("Verify the hash chain of one session or of all sessions. Exits 1 if a session is damaged.")
    .argument("[session]", `${sessionArgument}; all sessions by default`)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(["gauntlet audit verify", "All sessions:"], ["gauntlet audit verify ses_…", "One session:"]),
    )
    .action(
      onArchive(context, async ({ app, archive, show }, session: string | undefined) => {
        const named = session === undefined ? ok(undefined) : findRecorded(archive, session, app);
        if (!named.ok) return named;
        const reports = archive.verify(named.value);
        if (!reports.ok) return reports;
        await show(reports, renderVerifyReports);
        return reports.value.every((report) => report.ok) ? exitCodes.done : exitCodes.failed;
      }),
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

function declareWhy(command: Command, context: CommandContext): void {
  command
    .summary("explain one recorded call")
    .description(
      "Explain one recorded call: who proposed it, which tools were offered, why it was allowed, who approved it, " +
        "what ran and where, under which isolation, what changed, and what the model saw.",
    )
    .argument(
      "<observation>",
      "audit id (evt_…), invocation id (inv_…), intent id (int_…), or session/intent (latest/a)",
    )
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(["gauntlet audit why evt_…", "By audit id:"], ["gauntlet audit why ses_…/a", "By intent:"]),
    )
    .action(
      onArchive(context, async ({ app, surface, archive, show }, reference: string) => {
        const [, session, intent] = /^([^/]+)\/(.+)$/s.exec(reference) ?? [];
        const named = session === undefined ? ok(undefined) : findRecorded(archive, session, app);
        if (!named.ok) return named;
        const answer = archive.why(named.value === undefined ? reference : `${named.value}/${intent}`);
        if (!answer.ok) return answer;
        await show(answer, (value, view) => renderAuditAnswer(value, proposedInput(archive, value), view));
        return checkChain(surface, archive, answer.value.session);
      }),
    );
}
