import type { Command } from "commander";
import type { App } from "../../../contract/app/app.ts";
import type { Archive, PruneReport } from "../../../contract/app/archive.ts";
import type { SessionSummary } from "../../../contract/store.ts";
import { type CommandContext, type CommonOptions, examples, jsonOption } from "../../command.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { byAge } from "../../find-session.ts";
import { taskText } from "../../render/session.ts";
import { lines, type Shown, say } from "../../render/shown.ts";
import { bytesText, type Column, counted, dateText, oneLine, renderTable } from "../../render/table.ts";
import { viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { withArchive } from "../../with-app.ts";
import { byteAmount, duration } from "./amount.ts";

interface PruneFlags extends CommonOptions {
  readonly olderThan?: number;
  readonly maxSize?: number;
  readonly dryRun?: boolean;
}

export function declareSessionsPrune(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("remove old sessions of all directories")
    .description(
      "Remove old sessions of all directories, and what only they needed: output of tools, and for a directory without a session the kept contents of its files and its menu. Without a limit of its own it keeps sessions and output below limits.storeBytes of the settings.",
    )
    .option("--older-than <age>", "sessions whose last event is older, for example 30d, 12h", duration)
    .option(
      "--max-size <size>",
      "the oldest ones until sessions and their output are smaller, for example 500MiB",
      byteAmount,
    )
    .option("--dry-run", "say what would go and remove nothing")
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet sessions prune --older-than 30d --dry-run", "What would go:"]))
    .action(async (flags: PruneFlags) =>
      end(await withArchive(surface, flags, (archive, app) => prune(surface, flags, { archive, app }))),
    );
}

async function prune(
  surface: Surface,
  flags: PruneFlags,
  { archive, app }: { readonly archive: Archive; readonly app: App },
): Promise<ExitCode> {
  const json = flags.json ?? false;
  const settings = app.settings({});
  if (!settings.ok) return reportFailure(surface, settings.failure, { json });
  const limits = limitsOf(flags, settings.value.limits.storeBytes);
  const known = archive.list();
  const pruned = archive.prune({ ...limits, dryRun: flags.dryRun ?? false });
  if (!pruned.ok) return reportFailure(surface, pruned.failure, { json });
  if (json) {
    await printJson(surface, pruned.value);
    return exitCodes.done;
  }
  const removed = known.filter(({ id }) => pruned.value.removed.includes(id)).toSorted(byAge);
  if (removed.length > 0) await printShown(surface, renderTable(removed, columns, surface.stdout));
  const { wrap } = viewOn(surface.stdout);
  const verb = flags.dryRun === true ? "would be removed" : "removed";
  await printShown(
    surface,
    lines([summaryLine(removed, pruned.value, verb), ...whyMore(pruned.value, limits)].map(wrap)),
  );
  return exitCodes.done;
}

interface Limits {
  readonly olderThanMs?: number;
  readonly maxBytes?: number;
}

function limitsOf({ olderThan, maxSize }: PruneFlags, storeBytes: number): Limits {
  if (olderThan === undefined && maxSize === undefined) return { maxBytes: storeBytes };
  return {
    ...(olderThan === undefined ? {} : { olderThanMs: olderThan }),
    ...(maxSize === undefined ? {} : { maxBytes: maxSize }),
  };
}

const longestTask = 48;

const columns: readonly Column<SessionSummary>[] = [
  { title: "SESSION", text: ({ id }) => id, tone: () => "strong" },
  { title: "LAST", text: ({ updatedAt }) => dateText(updatedAt) },
  { title: "SIZE", align: "right", spare: true, text: ({ bytes }) => bytesText(bytes) },
  { title: "TASK", text: (session) => oneLine(taskText(session), longestTask) },
  { title: "WORKSPACE", text: ({ workspace }) => workspace },
];

function summaryLine(removed: readonly SessionSummary[], { freedBytes, keptBytes }: PruneReport, verb: string): Shown {
  const directories = new Set(removed.map(({ workspace }) => workspace)).size;
  const of = directories > 1 ? ` of ${directories} directories` : "";
  return say`${counted(removed.length, "session")}${of} ${verb}, ${bytesText(freedBytes)} freed, ${bytesText(keptBytes)} kept`;
}

/** What is left although a limit is below it. */
function whyMore({ keptBytes, spared }: PruneReport, { maxBytes }: Limits): readonly Shown[] {
  if (maxBytes === undefined || keptBytes <= maxBytes) return [];
  const { live, unreadable, belongingBytes, recentBytes } = spared;
  const reasons = [
    ...(belongingBytes > 0
      ? [`${bytesText(belongingBytes)} are kept contents of files and menus of directories that still have a session`]
      : []),
    ...(recentBytes > 0 ? [`${bytesText(recentBytes)} are output that a session may still refer to`] : []),
    ...(live > 0 ? [`${counted(live, "session")} in use`] : []),
    ...(unreadable > 0 ? [`${counted(unreadable, "session")} that cannot be read`] : []),
  ];
  if (reasons.length === 0) return [];
  return [say`More than ${bytesText(maxBytes)} are kept, which the limit does not reach: ${reasons.join("; ")}.`];
}
