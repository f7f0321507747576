import type { Command } from "commander";
import type { App } from "../../contract/app/app.ts";
import type { Archive } from "../../contract/app/archive.ts";
import type { UndoOptions, UndoReport } from "../../contract/app/undo.ts";
import { findRecorded, sessionArgument } from "../find-session.ts";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../flags.ts";
import { renderUndo } from "../render/undo.ts";
import { viewOn } from "../render/wrap.ts";
import { type ExitCode, exitCodes, printJson, printShown, reportFailure, reportUsage } from "../report.ts";
import type { Surface } from "../surface.ts";
import { withArchive } from "../with-app.ts";
import { wholeNumber } from "./sessions/amount.ts";

interface UndoFlags extends CommonOptions {
  readonly call?: string;
  readonly turn?: string;
  readonly last?: number;
  readonly session?: string;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

export function declare(command: Command, { surface, end }: CommandContext): void {
  command
    .description(
      "Undo what calls changed in the workspace, commands included. It lists what happens to each path. It refuses " +
        "if somebody else or a later call changed the same files since. A command that wrote to the workspace " +
        "directly (in the background, or without a copy-on-write view) cannot be undone: its paths are only listed.",
    )
    .option("--call <id>", "this call, by its intent, invocation or audit id; an earlier undo by its own id")
    .option("--turn <id>", "all calls of this turn")
    .option("--last <n>", "the last calls that changed something (one when nothing is named)", wholeNumber)
    .option("--session <id>", `${sessionArgument}; when absent the latest one here with something to take back`)
    .option("--dry-run", "only say what would happen")
    .option("--force", "also over later changes; what is replaced is kept")
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet undo --dry-run", "What would be taken back?"],
        ["gauntlet undo", "Take back the last call that changed something:"],
        ["gauntlet undo --last 3", "Take back the last three:"],
        ["gauntlet undo --call und_…", "Take back an undo:"],
      ),
    )
    .action(async (flags: UndoFlags) =>
      end(await withArchive(surface, flags, (archive, app) => undo(surface, app, archive, flags))),
    );
}

async function undo(surface: Surface, app: App, archive: Archive, flags: UndoFlags): Promise<ExitCode> {
  const json = flags.json ?? false;
  const { call, turn, last, session } = flags;
  if (last === 0) {
    const hint = "Give a number from 1 on: --last 2.";
    return reportUsage(surface, { message: "--last 0 takes nothing back.", hint }, { json });
  }
  const found = session === undefined ? undefined : findRecorded(archive, session, app);
  if (found !== undefined && !found.ok) return reportFailure(surface, found.failure, { json });
  const options: UndoOptions = {
    ...(found === undefined ? {} : { session: found.value }),
    call,
    turn,
    last,
    dryRun: flags.dryRun ?? false,
    force: flags.force ?? false,
  };
  const report = await app.undo(options);
  if (!report.ok) return reportFailure(surface, { ...elsewhere, ...report.failure }, { json });
  if (json) await printJson(surface, report.value);
  else {
    const of = archive.list().find(({ id }) => id === report.value.session);
    await printShown(surface, renderUndo(report.value, { workspace: app.workspace, of }, viewOn(surface.stdout)));
  }
  return exitCodeOf(report.value);
}

const elsewhere = {
  recovery:
    "`gauntlet sessions list` shows which sessions changed files; --session takes something back in one of them.",
};

function exitCodeOf({ outcome }: UndoReport): ExitCode {
  return outcome === "planned" || outcome === "done" ? exitCodes.done : exitCodes.failed;
}
