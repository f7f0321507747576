import type { Command } from "commander";
import { ok } from "../../../contract/codes.ts";
import { type CommandContext, type CommonOptions, examples, jsonOption } from "../../command.ts";
import { exitCodes } from "../../exit-code.ts";
import { findRecorded, sessionArgument } from "../../find-session.ts";
import { renderNotices, renderVerifyReport } from "../../render/audit.ts";
import { lines, painter, say } from "../../render/shown.ts";
import { counted } from "../../render/table.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import { withArchive } from "../../with-app.ts";

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
