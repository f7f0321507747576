import type { Command } from "commander";
import { type CommandContext, type CommonOptions, examples, jsonOption } from "../../command.ts";
import { exitCodes } from "../../exit-code.ts";
import { lines, say } from "../../render/shown.ts";
import { bytesText, counted } from "../../render/table.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import { withArchive } from "../../with-app.ts";
import { byteAmount, duration } from "./amount.ts";

interface PruneFlags extends CommonOptions {
  readonly olderThan?: number;
  readonly maxSize?: number;
  readonly dryRun?: boolean;
}

export function declareSessionsPrune(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("remove old sessions")
    .description(
      "Remove old sessions, and what only they needed: artifacts, and for a directory without a session the kept contents of its files and its menu. Without a limit of its own it keeps sessions and artifacts below limits.storeBytes of the settings.",
    )
    .option("--older-than <age>", "sessions whose last event is older, for example 30d, 12h", duration)
    .option("--max-size <size>", "the oldest ones until the store is smaller, for example 500MiB", byteAmount)
    .option("--dry-run", "say what would go and remove nothing")
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet sessions prune --older-than 30d --dry-run", "What would go:"]))
    .action(async (flags: PruneFlags) =>
      end(
        await withArchive(surface, flags, async (archive, app) => {
          const json = flags.json ?? false;
          const settings = app.settings({});
          if (!settings.ok) return reportFailure(surface, settings.failure, { json });
          const limits =
            flags.olderThan === undefined && flags.maxSize === undefined
              ? { maxBytes: settings.value.limits.storeBytes }
              : {
                  ...(flags.olderThan === undefined ? {} : { olderThanMs: flags.olderThan }),
                  ...(flags.maxSize === undefined ? {} : { maxBytes: flags.maxSize }),
                };
          const pruned = archive.prune({ ...limits, dryRun: flags.dryRun ?? false });
          if (!pruned.ok) return reportFailure(surface, pruned.failure, { json });
          if (json) await printJson(surface, pruned.value);
          else {
            const { removed, freedBytes, keptBytes } = pruned.value;
            const verb = flags.dryRun === true ? "would be removed" : "removed";
            await printShown(
              surface,
              lines([
                ...removed.map((session) => say`${session}`),
                say`${counted(removed.length, "session")} ${verb}, ${bytesText(freedBytes)} freed, ${bytesText(keptBytes)} kept`,
              ]),
            );
          }
          return exitCodes.done;
        }),
      ),
    );
}
