import path from "node:path";
import type { Command } from "commander";
import type { App } from "../../contract/app/app.ts";
import { proposedChanges } from "../../contract/app/archive.ts";
import type { KeptFacts } from "../../contract/changes.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { Observation } from "../../contract/observation.ts";
import { type CommandContext, cwdOption, type DoorFlags, declareDoorFlags, examples, jsonOption } from "../flags.ts";
import { diffLine } from "../render/diff-view.ts";
import { lines, say } from "../render/shown.ts";
import { type Column, dateText, oneLine, renderTable } from "../render/table.ts";
import { viewOn } from "../render/wrap.ts";
import { type Ended, exitCodes, printNotice } from "../report.ts";
import { type CommandRun, onApp, withApp } from "../with-app.ts";
import { sendCall } from "./call.ts";

const keptArgument = "id of the changes, the start of an id, or latest: the latest of this directory";

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
        "Apply kept changes, or only those at the given paths; the rest is discarded. You are asked first. " +
          "Refused if the workspace has changed so that the result would differ from what was shown.",
      )
      .argument("<id>", keptArgument)
      .argument("[paths...]", "files and directories; everything when absent")
      .option("--yes", "apply what the mode allows, without a question"),
  ).action(async (id: string, paths: readonly string[], { yes, ...flags }: TryFlags) => {
    const cwd = path.resolve(surface.cwd, flags.cwd ?? ".");
    const only = paths.length === 0 ? undefined : paths.map((one) => path.resolve(cwd, one));
    let facts: KeptFacts | undefined;
    const code = await withApp(surface, flags, async (app) => {
      const found = await findKept(app, id);
      if (!found.ok) return found;
      facts = found.value.facts;
      return exitCodes.done;
    });
    if (facts === undefined) return end(code);
    const intent = { tool: "bash", input: { command: facts.command } };
    const trial = { changes: yes ? "allowed" : "ask", kept: { id: facts.id, only }, jsonOf: withChanges } as const;
    end(await sendCall(surface, intent, flags, trial));
  });
}

function declareDiff(command: Command, context: CommandContext): void {
  declareOnKept(
    command.summary("show kept changes").description("Show kept changes as a diff against the current workspace."),
    context,
    async ({ show }, { facts, kept }) =>
      show(
        await kept.diff(facts.id),
        (diff, { paint }) => lines(diff.split("\n").map((line) => diffLine(line, paint))),
        (diff) => ({ ...facts, diff }),
      ),
  );
}

function declareDiscard(command: Command, context: CommandContext): void {
  declareOnKept(
    command.summary("delete kept changes").description("Delete kept changes. The workspace is not changed."),
    context,
    async ({ surface, json, show }, { facts, kept }) => {
      const discarded = await kept.discard(facts.id);
      if (!discarded.ok || json)
        return show(
          discarded,
          () => lines([]),
          () => ({ discarded: facts.id }),
        );
      await printNotice(surface, viewOn(surface.stderr).line`discarded ${facts.id}: ${facts.command}`);
      return exitCodes.done;
    },
  );
}

function declareOnKept(
  command: Command,
  context: CommandContext,
  use: (run: CommandRun, found: { readonly facts: KeptFacts; readonly kept: Kept }) => Promise<Ended>,
): void {
  command
    .argument("<id>", keptArgument)
    .option(...jsonOption)
    .option(...cwdOption)
    .action(
      onApp(context, async (run, id: string) => {
        const found = await findKept(run.app, id);
        return found.ok ? use(run, found.value) : found;
      }),
    );
}

type Kept = Awaited<ReturnType<App["kept"]>> extends Outcome<infer Value> ? Value : never;

async function findKept(app: App, id: string): Promise<Outcome<{ readonly facts: KeptFacts; readonly kept: Kept }>> {
  const kept = await app.kept();
  if (!kept.ok) return kept;
  const found = kept.value.find(id);
  return found.ok ? ok({ facts: found.value, kept: kept.value }) : found;
}

const columns: readonly Column<KeptFacts>[] = [
  { title: "ID", text: ({ id }) => id, tone: () => "strong" },
  { title: "KEPT", text: ({ keptAt }) => dateText(keptAt) },
  { title: "COMMAND", text: ({ command }) => oneLine(command, 60) },
  { title: "WORKSPACE", spare: true, text: ({ workspace }) => workspace },
];

function declareList(command: Command, context: CommandContext): void {
  command
    .summary("list kept changes")
    .description(
      "List the changes that `try --keep` stored, of all workspaces. They stay until you apply or discard them.",
    )
    .option(...jsonOption)
    .option(...cwdOption)
    .action(
      onApp(context, async ({ app, surface, json, show }) => {
        const kept = await app.kept();
        if (!kept.ok) return kept;
        const all = kept.value.list();
        if (json || all.length > 0) return show(ok(all), () => renderTable(all, columns, surface.stdout));
        await printNotice(surface, say`No changes are kept.`);
        return exitCodes.done;
      }),
    );
}
