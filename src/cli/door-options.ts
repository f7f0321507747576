import path from "node:path";
import { type Command, Option } from "commander";
import type { App } from "../contract/app/app.ts";
import type { DoorOptions } from "../contract/app/door.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { SessionId } from "../contract/ids.ts";
import { type Mode, modes } from "../contract/verdict.ts";
import { type CommonOptions, collect, cwdOption, jsonOption } from "./command.ts";
import { type findConversation, findSession, isSessionId } from "./find-session.ts";
import { printNotices } from "./report.ts";
import type { Surface } from "./surface.ts";

export interface DoorFlags extends PolicyFlags {
  readonly session?: string;
}

/** What a person may say about permissions on the command line. */
export interface PolicyFlags extends CommonOptions {
  readonly mode?: Mode;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly addDir: readonly string[];
}

/** The flags of everything that goes through the door. */
export function declareDoorFlags(command: Command): Command {
  return declarePolicyFlags(
    command.option(
      "--session <id>",
      "go on in this session (id, its beginning, or latest): files read there count as read",
    ),
  ).option(...jsonOption);
}

export function declarePolicyFlags(command: Command): Command {
  return command
    .addOption(new Option("--mode <mode>", "how much runs without asking").choices(modes))
    .option("--allow <rule>", "allow what this rule covers, for example 'Bash(npm test)'; repeatable", collect, [])
    .option("--deny <rule>", "deny what this rule covers; beats every allow; repeatable", collect, [])
    .option("--add-dir <dir>", "let tools work in this directory too; repeatable", collect, [])
    .option(...cwdOption);
}

/** `find` says which session the person means; by default any that they have had here. */
export async function doorOptionsOf(
  flags: DoorFlags,
  surface: Surface,
  app: App,
  find: typeof findConversation = findSession,
): Promise<Outcome<DoorOptions>> {
  // Typed at a prompt, so it starts where the person stands, not where --cwd points.
  const addDirectories = flags.addDir.map((directory) => path.resolve(surface.cwd, directory));
  const absent = addDirectories.find((directory) => !surface.isDirectory(directory));
  if (absent !== undefined) {
    return fail("bad_request", `--add-dir: ${absent} is not a directory.`, { recovery: "Name one that exists." });
  }
  const session = flags.session === undefined ? undefined : await sessionHere(flags.session, surface, app, find);
  if (session?.ok === false) return session;
  return ok({
    ...(session === undefined ? {} : { session: session.value }),
    ...(flags.mode === undefined ? {} : { mode: flags.mode }),
    allow: flags.allow,
    deny: flags.deny,
    addDirectories,
  });
}

/**
 * A session of this workspace. It is looked up through an App of its own: a store that was opened for reading
 * stays as it was opened, and the door's must be as durable as the settings say.
 */
async function sessionHere(
  reference: string,
  surface: Surface,
  app: App,
  find: typeof findConversation,
): Promise<Outcome<SessionId>> {
  if (isSessionId(reference)) return ok(reference);
  const reader = await surface.createApp({ cwd: app.workspace });
  if (!reader.ok) return reader;
  try {
    const archive = reader.value.archive();
    if (!archive.ok) return archive;
    return find(archive.value, reference, ({ workspace }) => workspace === app.workspace);
  } finally {
    await reader.value.close();
    await printNotices(surface, reader.value.notices());
  }
}
