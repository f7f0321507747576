import path from "node:path";
import type { Command } from "commander";
import type { App } from "../../contract/app/app.ts";
import { proposedChanges } from "../../contract/app/archive.ts";
import type { KeptFacts } from "../../contract/changes.ts";
import type { Outcome } from "../../contract/codes.ts";
import type { Observation } from "../../contract/observation.ts";
import {
  type CommandContext,
  type CommonOptions,
  cwdOption,
  type DoorFlags,
  declareDoorFlags,
  examples,
  jsonOption,
} from "../flags.ts";
import { diffLine } from "../render/diff-view.ts";
import { lines, painter, say } from "../render/shown.ts";
import { type Column, dateText, oneLine, renderTable } from "../render/table.ts";
import { viewOn } from "../render/wrap.ts";
import { type ExitCode, exitCodes, printJson, printNotice, printShown, reportFailure } from "../report.ts";
import type { Surface } from "../surface.ts";
import { withApp } from "../with-app.ts";
import { sendCall } from "./call.ts";

const keptArgument = "id of the changes, the beginning of one, or latest: the latest of this directory";

interface TryFlags extends DoorFlags {
  readonly apply?: boolean;
  readonly yes?: boolean;
  readonly keep?: boolean;
}

export function declare(command: Command, context: CommandContext): void {
  const { surface, end } = context;
  declareDoorFlags(
    command
      // Options behind `apply` and the others are theirs.
      .enablePositionalOptions()
      .description("Run a command on a copy of the workspace and show what it changes. Nothing is kept.")
      .argument("<command>", "the shell command, as one quoted argument")
      .option("--apply", "ask afterwards whether to keep the changes")
      .option("--yes", "keep the changes that the mode allows, without a question")
      .option("--keep", "store the changes for `try diff`, `try apply` and `try discard`"),
  )
    .addHelpText(
      "after",
      examples(
        ["gauntlet try 'npm run format'", "See what a formatter would change:"],
        ["gauntlet try --apply 'npm run format'", "Decide after you have seen it:"],
        ["gauntlet try --keep 'npm run format'", "Decide later:"],
        ["gauntlet try apply txn_… src", "Apply a part of it:"],
      ),
    )
    .action(async (text: string, { apply, yes, keep, ...flags }: TryFlags) => {
      const changes = keep ? "keep" : yes ? "allowed" : apply ? "ask" : "discard";
      end(await sendCall(surface, { tool: "bash", input: { command: text } }, flags, { changes, jsonOf: withChanges }));
    });
  declareApply(command.command("apply"), context);
  declareDiff(command.command("diff"), context);
  declareDiscard(command.command("discard"), context);
  declareList(command.command("list"), context);
}

function withChanges(observation: Observation, app: App, session: string): unknown {
  const archive = app.archive();
  return { observation, changes: archive.ok ? proposedChanges(observation, archive.value, session) : [] };
}

function declareApply(command: Command, { surface, end }: CommandContext): void {
  declareDoorFlags(
    command
      .summary("apply kept changes, or a part of them")
      .description(
        "Apply kept changes, or only those at the named paths; the rest is then discarded. You are asked first. " +
          "Refused when the workspace has changed so that they are no longer what was shown.",
      )
      .argument("<id>", keptArgument)
      .argument("[paths...]", "files and directories; everything when absent")
      .option("--yes", "apply what the mode allows, without a question"),
  ).action(async (id: string, paths: readonly string[], { yes, ...flags }: TryFlags) => {
    const cwd = path.resolve(surface.cwd, flags.cwd ?? ".");
    const only = paths.length === 0 ? {} : { only: paths.map((one) => path.resolve(cwd, one)) };
    let facts: KeptFacts | undefined;
    const found = await withKept(surface, flags, id, async (one) => {
      facts = one;
      return exitCodes.done;
    });
    if (facts === undefined) return end(found);
    const intent = { tool: "bash", input: { command: facts.command } };
    const trial = { changes: yes ? "allowed" : "ask", kept: { id: facts.id, ...only }, jsonOf: withChanges } as const;
    end(await sendCall(surface, intent, flags, trial));
  });
}

function declareDiff(command: Command, context: CommandContext): void {
  const { surface } = context;
  command.summary("show kept changes").description("Show kept changes as a diff against the workspace as it is now.");
  declareOnKept(command, context, async ({ facts, kept, flags }) => {
    const diff = await kept.diff(facts.id);
    if (!diff.ok) return reportFailure(surface, diff.failure, { json: flags.json ?? false });
    const paint = painter(surface.stdout);
    if (flags.json) await printJson(surface, { ...facts, diff: diff.value });
    else await printShown(surface, lines(diff.value.split("\n").map((line) => diffLine(line, paint))));
    return exitCodes.done;
  });
}

function declareDiscard(command: Command, context: CommandContext): void {
  const { surface } = context;
  command.summary("delete kept changes").description("Delete kept changes. The workspace stays as it is.");
  declareOnKept(command, context, async ({ facts, kept, flags }) => {
    const discarded = await kept.discard(facts.id);
    if (!discarded.ok) return reportFailure(surface, discarded.failure, { json: flags.json ?? false });
    if (flags.json) await printJson(surface, { discarded: facts.id });
    else await printNotice(surface, viewOn(surface.stderr).wrap(say`discarded ${facts.id}: ${facts.command}`));
    return exitCodes.done;
  });
}

function declareOnKept(
  command: Command,
  { surface, end }: CommandContext,
  use: (one: { readonly facts: KeptFacts; readonly kept: Kept; readonly flags: CommonOptions }) => Promise<ExitCode>,
): void {
  command
    .argument("<id>", keptArgument)
    .option(...jsonOption)
    .option(...cwdOption)
    .action(async (id: string, flags: CommonOptions) =>
      end(await withKept(surface, flags, id, (facts, kept) => use({ facts, kept, flags }))),
    );
}

const columns: readonly Column<KeptFacts>[] = [
  { title: "ID", text: ({ id }) => id, tone: () => "strong" },
  { title: "KEPT", text: ({ keptAt }) => dateText(keptAt) },
  { title: "COMMAND", text: ({ command }) => oneLine(command, 60) },
  { title: "WORKSPACE", spare: true, text: ({ workspace }) => workspace },
];

function declareList(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("show which changes are kept")
    .description(
      "Show the changes that `try --keep` stored, of all workspaces. They stay until you apply or discard them.",
    )
    .option(...jsonOption)
    .option(...cwdOption)
    .action(async (flags: CommonOptions) =>
      end(
        await withStore(surface, flags, async (kept) => {
          const all = kept.list();
          if (flags.json) await printJson(surface, all);
          else if (all.length === 0) await printNotice(surface, say`No changes are kept.`);
          else await printShown(surface, renderTable(all, columns, surface.stdout));
          return exitCodes.done;
        }),
      ),
    );
}

type Kept = Awaited<ReturnType<App["kept"]>> extends Outcome<infer Value> ? Value : never;

function withStore(surface: Surface, flags: CommonOptions, use: (kept: Kept) => Promise<ExitCode>): Promise<ExitCode> {
  return withApp(surface, flags, async (app) => {
    const kept = await app.kept();
    return kept.ok ? use(kept.value) : reportFailure(surface, kept.failure, { json: flags.json ?? false });
  });
}

function withKept(
  surface: Surface,
  flags: CommonOptions,
  id: string,
  use: (facts: KeptFacts, kept: Kept) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withStore(surface, flags, async (kept) => {
    const found = kept.find(id);
    return found.ok ? use(found.value, kept) : reportFailure(surface, found.failure, { json: flags.json ?? false });
  });
}
