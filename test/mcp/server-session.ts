import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { createApp } from "../../src/compose/app.ts";
import type { App } from "../../src/contract/app/app.ts";
import type { Door, DoorNotice, DoorOptions } from "../../src/contract/app/door.ts";
import type { Event, EventData, EventType } from "../../src/contract/events/index.ts";
import type { Observation } from "../../src/contract/observation.ts";
import type { ServerEntry, ServerSetting, StdioServer } from "../../src/contract/server/server.ts";
import type { SettingsFile } from "../../src/contract/settings.ts";
import type { Workspace } from "../support/workspace.ts";

export const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const modules = path.join(repository, "node_modules");
const programs = path.join(repository, "test/support/servers");

export function entry(name: string, setting: ServerSetting): ServerEntry {
  return { name, setting, origin: "test" };
}

/** A server from npm, which has to read itself and the node that runs it. */
export function npmServer(name: string, args: readonly string[], more: Partial<StdioServer> = {}): StdioServer {
  const program = path.join(modules, `@modelcontextprotocol/server-${name}/dist/index.js`);
  const { sandbox, ...rest } = more;
  return {
    command: process.execPath,
    args: [program, ...args],
    ...rest,
    sandbox: { ...sandbox, read: [modules, ...(sandbox?.read ?? [])] },
  };
}

/** One of our own, for what no honest server does. */
export function oddServer(file: string, args: readonly string[] = [], more: Partial<StdioServer> = {}): StdioServer {
  const { sandbox, ...rest } = more;
  const read = [programs, path.dirname(process.execPath), ...(sandbox?.read ?? [])];
  return {
    command: process.execPath,
    args: [path.join(programs, file), ...args],
    ...rest,
    sandbox: { ...sandbox, read },
  };
}

export interface ServerSession {
  readonly door: Door;
  readonly notices: readonly DoorNotice[];
  call(tool: string, input?: Readonly<Record<string, unknown>>): Promise<Observation>;
  events(): readonly Event[];
  /** What events of one type say. */
  facts<Type extends EventType>(type: Type): readonly EventData<Type>[];
  /** Settles with the first notice that fits, from the beginning of the session on. */
  told(fits: (notice: DoorNotice) => boolean): Promise<DoorNotice>;
  /** Takes back the last calls that changed something. The session is still open. */
  undo(last: number): ReturnType<App["undo"]>;
  close(): Promise<void>;
}

export async function openServers(
  workspace: Workspace,
  servers: Readonly<Record<string, ServerSetting>>,
  options: Omit<DoorOptions, "servers" | "onNotice"> & {
    readonly settings?: SettingsFile;
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
): Promise<ServerSession> {
  const { settings, environment, ...door } = options;
  const made = createApp({
    cwd: workspace.root,
    home: workspace.home,
    gauntletHome: workspace.state,
    environment: { PATH: process.env.PATH, HOME: workspace.home, ...environment },
    ...(settings === undefined ? {} : { settings }),
  });
  if (!made.ok) throw new Error(made.failure.message);
  const app = made.value;
  const notices: DoorNotice[] = [];
  const waiting = new Set<() => void>();
  const opened = await app.openDoor({
    ...door,
    servers: Object.entries(servers).map(([name, setting]) => entry(name, setting)),
    onNotice: (notice) => {
      notices.push(notice);
      for (const look of waiting) look();
    },
  });
  if (!opened.ok) throw new Error(opened.failure.message);
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= opened.value.close().then(() => app.close()));
  onTestFinished(close);
  const events = () => {
    const archive = app.archive();
    if (!archive.ok) throw new Error(archive.failure.message);
    const read = archive.value.events(opened.value.sessionId);
    if (!read.ok) throw new Error(read.failure.message);
    return [...read.value];
  };
  return {
    door: opened.value,
    notices,
    call: (tool, input = {}) => opened.value.call({ tool, input }),
    events,
    facts: <Type extends EventType>(type: Type) =>
      events().flatMap((event) => (event.type === type ? [event.data as EventData<Type>] : [])),
    told: (fits) =>
      new Promise((resolve) => {
        const look = () => {
          const found = notices.find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    undo: (last) => app.undo({ session: opened.value.sessionId, last, dryRun: false, force: false }),
    close,
  };
}

export function becomes(server: string, state: string): (notice: DoorNotice) => boolean {
  return (notice) => notice.kind === "server" && notice.status.name === server && notice.status.state === state;
}

/** Everything that the model sees of it. */
export function textOf({ model }: Observation): string {
  return model.content.map(({ text }) => text).join("\n");
}

/** What a server offers changes in the background; every turn takes over what there is. */
export async function menuBecomes({ door }: ServerSession, fits: () => boolean): Promise<void> {
  for (let times = 0; times < 500; times++) {
    door.projectContext({});
    if (fits()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("The menu stayed as it was");
}

export function menuHas(session: ServerSession, tool: string): Promise<void> {
  return menuBecomes(session, () => session.door.menu().some(({ name }) => name === tool));
}
