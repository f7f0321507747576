import path from "node:path";
import type { App } from "../contract/app/app.ts";
import type { Archive } from "../contract/app/archive.ts";
import type { Door, DoorOptions } from "../contract/app/door.ts";
import type { SessionId } from "../contract/ids.ts";
import { findRecorded } from "./find-session.ts";
import { type CommonOptions, type DoorFlags, doorOptionsOf } from "./flags.ts";
import { type ExitCode, printNotices, type ReportForm, reportFailure } from "./report.ts";
import type { Surface } from "./surface.ts";

export async function withApp(
  surface: Surface,
  options: Pick<CommonOptions, "cwd"> & Partial<ReportForm>,
  use: (app: App) => Promise<ExitCode>,
): Promise<ExitCode> {
  const json = options.json ?? false;
  const made = await surface.createApp({ cwd: path.resolve(surface.cwd, options.cwd ?? ".") });
  if (!made.ok) return reportFailure(surface, made.failure, { json });
  try {
    return await use(made.value);
  } finally {
    await made.value.close();
    await printNotices(surface, made.value.notices());
  }
}

export async function withSession(
  surface: Surface,
  options: CommonOptions & { readonly session: string },
  use: (id: SessionId, archive: Archive) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withArchive(surface, options, async (archive, app) => {
    const found = findRecorded(archive, options.session, app);
    if (!found.ok) return reportFailure(surface, found.failure, { json: options.json ?? false });
    return use(found.value, archive);
  });
}

export async function withArchive(
  surface: Surface,
  options: CommonOptions,
  use: (archive: Archive, app: App) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withApp(surface, options, async (app) => {
    const archive = app.archive();
    if (!archive.ok) return reportFailure(surface, archive.failure, { json: options.json ?? false });
    return use(archive.value, app);
  });
}

export async function withDoor(
  surface: Surface,
  app: App,
  wanted: {
    readonly flags: DoorFlags;
    readonly live: Pick<DoorOptions, "preview" | "ask" | "elicit" | "onNotice" | "oneCall" | "changes">;
  },
  use: (door: Door) => Promise<ExitCode>,
): Promise<ExitCode> {
  const json = { json: wanted.flags.json ?? false };
  const flagged = await doorOptionsOf(wanted.flags, surface, app);
  if (!flagged.ok) return reportFailure(surface, flagged.failure, json);
  const options = { ...flagged.value, ...wanted.live };
  const told = await tellNotices(surface, app, options, json);
  if (told !== undefined) return told;
  const opened = await app.openDoor(options);
  if (!opened.ok) return reportFailure(surface, opened.failure, json);
  try {
    return await use(opened.value);
  } finally {
    await opened.value.close();
  }
}

export async function tellNotices(
  surface: Surface,
  app: App,
  options: DoorOptions,
  json: ReportForm,
): Promise<ExitCode | undefined> {
  const settings = app.settings(options);
  if (!settings.ok) return reportFailure(surface, settings.failure, json);
  await printNotices(surface, settings.value.notices);
  return undefined;
}
