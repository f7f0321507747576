import path from "node:path";
import { type Command, Option } from "commander";
import type { AgentOptions } from "../contract/app/agent.ts";
import type { App } from "../contract/app/app.ts";
import type { DoorOptions } from "../contract/app/door.ts";
import { type Outcome, ok } from "../contract/codes.ts";
import type { SessionId } from "../contract/ids.ts";
import type { ModelNeed } from "../contract/model.ts";
import { type ServersOf, serverScopes } from "../contract/server/admin.ts";
import { type Mode, modes } from "../contract/verdict.ts";
import { findConversation, findSession, isSessionId } from "./find-session.ts";
import { type ExitCode, mistake, printNotices } from "./report.ts";
import type { Surface } from "./surface.ts";

export interface CommandContext {
  readonly surface: Surface;
  end(code: ExitCode): void;
}

export interface CommandModule {
  declare(command: Command, context: CommandContext): void;
}

export const jsonOption = ["--json", "print JSON for programs"] as const;
export const cwdOption = ["--cwd <dir>", "work in this directory instead of the current one"] as const;

export interface CommonOptions {
  readonly json?: boolean;
  readonly cwd?: string;
}

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function examples(...rows: readonly (readonly [command: string, what: string])[]): string {
  return `\nExamples:\n${rows.map(([command, what]) => `  ${what}\n    $ ${command}`).join("\n")}\n`;
}

export interface DoorFlags extends PolicyFlags {
  readonly session?: string;
}

export interface PolicyFlags extends CommonOptions {
  readonly mode?: Mode;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly addDir: readonly string[];
}

export function declareDoorFlags(command: Command): Command {
  return declarePolicyFlags(
    command.option(
      "--session <id>",
      "continue this session (id, start of the id, or latest); files that it read count as read",
    ),
  ).option(...jsonOption);
}

export function declarePolicyFlags(command: Command): Command {
  return command
    .addOption(new Option("--mode <mode>", "what runs without asking").choices(modes))
    .option("--allow <rule>", "add an allow rule, for example 'Bash(npm test)'; repeatable", collect, [])
    .option("--deny <rule>", "add a deny rule, which overrides every allow rule; repeatable", collect, [])
    .option("--add-dir <dir>", "give tools access to this directory as well; repeatable", collect, [])
    .option(...cwdOption);
}

export async function doorOptionsOf(
  flags: DoorFlags,
  surface: Surface,
  app: App,
  find: typeof findConversation = findSession,
): Promise<Outcome<DoorOptions>> {
  // Relative to the current directory of the shell, not to --cwd.
  const addDirectories = flags.addDir.map((directory) => path.resolve(surface.cwd, directory));
  const absent = addDirectories.find((directory) => !surface.isDirectory(directory));
  if (absent !== undefined) {
    return mistake(`--add-dir: ${absent} is not a directory.`, "Pass a directory that exists.");
  }
  const session = flags.session === undefined ? undefined : await sessionHere(flags.session, surface, app, find);
  if (session?.ok === false) return session;
  return ok({
    session: session?.value,
    mode: flags.mode,
    allow: flags.allow,
    deny: flags.deny,
    addDirectories,
  });
}

/** Uses a second App: the store of `app` must not be opened for reading first, or it would stay less durable. */
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

export interface ModelFlags extends PolicyFlags {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly resume?: string;
  readonly continue?: boolean;
}

export function declareModelFlags(command: Command): Command {
  return declarePolicyFlags(
    command
      .option("--model <provider/id>", "the model; by default that of the continued session, or of the settings")
      .option("--base-url <url>", "base URL of the provider, instead of its default")
      .option("--resume <id>", "continue this session (id, start of the id, or latest)")
      .option("-c, --continue", "continue the latest session of this directory that has a task"),
  );
}

export async function agentOptionsOf(
  flags: ModelFlags,
  surface: Surface,
  app: App,
): Promise<Outcome<Omit<AgentOptions, "ask" | "onNotice">>> {
  if (flags.resume !== undefined && flags.continue === true) {
    return mistake("--resume and --continue cannot be used together.", "Use one of them.");
  }
  const session = flags.continue === true ? "latest" : flags.resume;
  const door = await doorOptionsOf({ ...flags, session }, surface, app, findConversation);
  return door.ok ? ok({ ...door.value, model: modelNeedOf(flags) }) : door;
}

export function modelNeedOf({ model, baseUrl }: Pick<ModelFlags, "model" | "baseUrl">): ModelNeed {
  return { ...(model === undefined ? {} : { wanted: model, because: "from --model" }), baseUrl };
}

export interface ConfigFlag {
  readonly config?: string;
}

export const configOption = ["--config <file>", "also use the servers of this file"] as const;

export function namedFile({ config }: ConfigFlag, { cwd }: Pick<Surface, "cwd">): ServersOf {
  return config === undefined ? {} : { file: path.resolve(cwd, config) };
}

export function scopeOption(words: string): Option {
  return new Option("-s, --scope <scope>", words).choices(serverScopes);
}
