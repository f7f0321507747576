import path from "node:path";
import type { App, DoorOptions } from "../contract/app.ts";
import type { Archive } from "../contract/archive.ts";
import type { Door } from "../contract/door.ts";
import type { CommonOptions } from "./command.ts";
import type { ExitCode } from "./exit-code.ts";
import { painter, say } from "./render/shown.ts";
import { printNotice, reportFailure } from "./report.ts";
import type { Surface } from "./surface.ts";

export async function withApp(
  surface: Surface,
  options: CommonOptions,
  use: (app: App) => Promise<ExitCode>,
): Promise<ExitCode> {
  const json = options.json ?? false;
  const made = await surface.createApp({ cwd: path.resolve(surface.cwd, options.cwd ?? ".") });
  if (!made.ok) return reportFailure(surface, made.failure, { json });
  try {
    return await use(made.value);
  } finally {
    await made.value.close();
  }
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

/** Opens the door, tells what a person should know about the settings, and closes it whatever happens. */
export async function withDoor(
  surface: Surface,
  app: App,
  options: DoorOptions,
  use: (door: Door) => Promise<ExitCode>,
  flags: { readonly json: boolean },
): Promise<ExitCode> {
  const settings = app.settings(options);
  if (!settings.ok) return reportFailure(surface, settings.failure, flags);
  const paint = painter(surface.stderr);
  for (const notice of settings.value.notices) {
    await printNotice(surface, say`${paint("warning", "notice:")} ${notice}`);
  }
  const opened = await app.openDoor(options);
  if (!opened.ok) return reportFailure(surface, opened.failure, flags);
  try {
    return await use(opened.value);
  } finally {
    await opened.value.close();
  }
}
