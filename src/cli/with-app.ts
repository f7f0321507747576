import path from "node:path";
import type { App } from "../contract/app/app.ts";
import type { Archive } from "../contract/app/archive.ts";
import type { Door, DoorOptions } from "../contract/app/door.ts";
import type { Outcome } from "../contract/codes.ts";
import type { SessionId } from "../contract/ids.ts";
import { findRecorded } from "./find-session.ts";
import { type CommandContext, type CommonOptions, type DoorFlags, doorOptionsOf } from "./flags.ts";
import type { Shown } from "./render/shown.ts";
import { type View, viewOn } from "./render/wrap.ts";
import {
  type Ended,
  type ExitCode,
  exitCodeOfEnded,
  exitCodes,
  printJson,
  printNotices,
  printShown,
  type ReportForm,
} from "./report.ts";
import type { Surface } from "./surface.ts";

/** What a command works with. */
export interface CommandRun {
  readonly app: App;
  readonly surface: Surface;
  readonly json: boolean;
  /** On standard output: JSON for programs, text for people. A failure is given back. */
  show<Value>(
    outcome: Outcome<Value>,
    render: (value: Value, view: View) => Shown,
    jsonOf?: (value: Value) => unknown,
  ): Promise<Ended>;
}

type CommandAction<Given extends readonly unknown[]> = (...given: Given) => Promise<void>;

/** The action of a command: commander gives its arguments, then its flags. */
export function onApp<Given extends readonly unknown[]>(
  { surface, end }: CommandContext,
  use: (run: CommandRun, ...given: Given) => Promise<Ended>,
): CommandAction<Given> {
  return async (...given) => {
    const flags = given.at(-2) as CommonOptions;
    const json = flags.json ?? false;
    const show: CommandRun["show"] = async (outcome, render, jsonOf = (value) => value) => {
      if (!outcome.ok) return outcome;
      if (json) await printJson(surface, jsonOf(outcome.value));
      else await printShown(surface, render(outcome.value, viewOn(surface.stdout)));
      return exitCodes.done;
    };
    end(await withApp(surface, flags, (app) => use({ app, surface, json, show }, ...given)));
  };
}

export interface ArchiveRun extends CommandRun {
  readonly archive: Archive;
}

export function onArchive<Given extends readonly unknown[]>(
  context: CommandContext,
  use: (run: ArchiveRun, ...given: Given) => Promise<Ended>,
): CommandAction<Given> {
  return onApp(context, async (run, ...given: Given) => {
    const archive = run.app.archive();
    return archive.ok ? use({ ...run, archive: archive.value }, ...given) : archive;
  });
}

/** For a command whose first argument names a session. */
export function onSession<Given extends readonly unknown[]>(
  context: CommandContext,
  use: (run: ArchiveRun, id: SessionId, ...given: Given) => Promise<Ended>,
): CommandAction<[session: string, ...Given]> {
  return onArchive(context, async (run, session: string, ...given: Given) => {
    const found = findRecorded(run.archive, session, run.app);
    return found.ok ? use(run, found.value, ...given) : found;
  });
}

export async function withApp(
  surface: Surface,
  options: Pick<CommonOptions, "cwd"> & ReportForm,
  use: (app: App) => Promise<Ended>,
): Promise<ExitCode> {
  const made = await surface.createApp({ cwd: path.resolve(surface.cwd, options.cwd ?? ".") });
  if (!made.ok) return exitCodeOfEnded(surface, made, options);
  try {
    return await exitCodeOfEnded(surface, await use(made.value), options);
  } finally {
    await made.value.close();
    await printNotices(surface, made.value.notices());
  }
}

export async function withDoor(
  { surface, app }: Pick<CommandRun, "surface" | "app">,
  flags: DoorFlags,
  live: Pick<DoorOptions, "preview" | "ask" | "elicit" | "onNotice" | "oneCall" | "changes">,
  use: (door: Door) => Promise<Ended>,
): Promise<Ended> {
  const flagged = await doorOptionsOf(flags, surface, app);
  if (!flagged.ok) return flagged;
  const options = { ...flagged.value, ...live };
  const settings = app.settings(options);
  if (!settings.ok) return settings;
  await printNotices(surface, settings.value.notices);
  const opened = await app.openDoor(options);
  if (!opened.ok) return opened;
  try {
    return await use(opened.value);
  } finally {
    await opened.value.close();
  }
}

export async function untilInterrupted<Value>(
  surface: Surface,
  use: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const stop = new AbortController();
  const stopListening = surface.onInterrupt((signal) => stop.abort(signal));
  try {
    return await use(stop.signal);
  } finally {
    stopListening();
  }
}
