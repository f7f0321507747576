import type { Command } from "commander";
import { findRecorded, sessionArgument } from "../find-session.ts";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../flags.ts";
import { renderUndo } from "../render/undo.ts";
import { type Ended, exitCodes, mistake } from "../report.ts";
import { type ArchiveRun, onArchive } from "../with-app.ts";
import { wholeNumber } from "./sessions/amount.ts";

interface UndoFlags extends CommonOptions {
  readonly call?: string;
  readonly turn?: string;
  readonly last?: number;
  readonly session?: string;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

export function declare(command: Command, context: CommandContext): void {
  command
    .description(
      "Undo what calls changed in the workspace, commands included. It lists what happens to each path. It refuses " +
        "if another program or a later call changed the same files since. A command that wrote to the workspace " +
        "directly (in the background, or without a copy-on-write view) cannot be undone: its paths are only listed.",
    )
    .option("--call <id>", "undo this call (intent, invocation or audit id); an earlier undo by its own id")
    .option("--turn <id>", "undo all calls of this turn")
    .option("--last <n>", "undo the last calls of one session that changed something (default: one)", wholeNumber)
    .option("--session <id>", `${sessionArgument}; by default the latest one here that can be undone`)
    .option("--dry-run", "only show what would happen")
    .option("--force", "also overwrite later changes; replaced content is kept")
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet undo --dry-run", "Show what would be undone:"],
        ["gauntlet undo", "Undo the last call that changed something:"],
        ["gauntlet undo --last 3", "Undo the last three:"],
        ["gauntlet undo --call und_…", "Revert an undo:"],
      ),
    )
    .action(onArchive(context, (run, flags: UndoFlags) => undo(run, flags)));
}

async function undo({ app, archive, show }: ArchiveRun, flags: UndoFlags): Promise<Ended> {
  const { call, turn, last, session, dryRun = false, force = false } = flags;
  if (last === 0) return mistake("--last 0 undoes nothing.", "Pass a number above 0, for example --last 2.");
  const found = session === undefined ? undefined : findRecorded(archive, session, app);
  if (found?.ok === false) return found;
  const report = await app.undo({ session: found?.value, call, turn, last, dryRun, force });
  if (!report.ok) return { ok: false, failure: { ...elsewhere, ...report.failure } };
  const { outcome, session: changed } = report.value;
  const of = archive.list().find(({ id }) => id === changed);
  await show(report, (value, view) => renderUndo(value, { workspace: app.workspace, of, wanted: last }, view));
  return outcome === "planned" || outcome === "done" ? exitCodes.done : exitCodes.failed;
}

const elsewhere = {
  recovery: "`gauntlet sessions list` shows sessions that changed files. Undo calls of one of them with --session.",
};
