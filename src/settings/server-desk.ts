import { fail, type Outcome, ok } from "../contract/codes.ts";
import { type ServerEntry, type ServerSetting, serverName, serverSetting, transportOf } from "../contract/server.ts";
import type { ListedServer, ServerDesk, ServerReach, ServerScope } from "../contract/server-desk.ts";
import type { IdleServer, Settings } from "../contract/settings.ts";
import { updatePrivateText, updateProjectText } from "../host/update-private-text.ts";
import { type ServerFileForm, serverNames, withoutServer, withServer } from "./edit-servers.ts";
import { notEmpty } from "./load-settings.ts";
import { type ReadText, readSettingsText } from "./parse-settings-text.ts";
import type { SettingsPaths } from "./settings-paths.ts";

export interface ServerDeskParts {
  settings(): Outcome<Settings>;
  readonly paths: SettingsPaths;
  readonly readText: ReadText;
  /** Loaded only when a server is to be reached, or what is known of it is. */
  reach(): Promise<ServerReach>;
}

export function createServerDesk(parts: ServerDeskParts): ServerDesk {
  const { paths } = parts;
  const readText = notEmpty(parts.readText);
  const places: Readonly<Record<ServerScope, { readonly file: string; readonly form: ServerFileForm }>> = {
    user: { file: paths.user, form: "settings" },
    project: { file: paths.mcp, form: "mcp" },
  };

  function write(scope: ServerScope, change: (before: string | undefined) => Outcome<string>): Outcome<void> {
    const { file } = places[scope];
    return scope === "user" ? updatePrivateText(file, change) : updateProjectText(file, change);
  }

  /** Where a person could have written it down. */
  function scopesOf(name: string): Outcome<readonly ServerScope[]> {
    const found: ServerScope[] = [];
    for (const scope of ["user", "project"] as const) {
      const { file: path, form } = places[scope];
      const text = readSettingsText(path, readText);
      if (!text.ok) return text;
      const names = text.value === undefined ? ok([]) : serverNames(text.value, form);
      if (!names.ok) return names;
      if (names.value.includes(name)) found.push(scope);
    }
    return ok(found);
  }

  return {
    async list() {
      const settings = parts.settings();
      return settings.ok ? ok(listed(settings.value, paths, await parts.reach())) : settings;
    },
    add(name, setting, scope) {
      const sound = soundEntry(name, setting);
      if (!sound.ok) return sound;
      const { file: path, form } = places[scope];
      const written = write(scope, (text) => withServer({ path, text: text || undefined }, form, { name, setting }));
      return written.ok ? ok({ file: path }) : written;
    },
    async remove(name, scope) {
      const scopes = scope === undefined ? scopesOf(name) : ok([scope]);
      if (!scopes.ok) return scopes;
      const [only, other] = scopes.value;
      if (only === undefined || other !== undefined) return notOne(name, parts.settings(), only !== undefined);
      const { file: path, form } = places[only];
      const entry = entryIn(parts.settings(), name, path);
      const written = write(only, (text) => withoutServer({ path, text: text || "{}" }, form, name));
      if (!written.ok) return written;
      if (entry === undefined || "command" in entry.setting) return ok({ file: path });
      const forgotten = (await parts.reach()).forget(entry);
      return forgotten.ok ? ok({ file: path }) : forgotten;
    },
    async test(name, options) {
      const entry = entryInForce(parts.settings(), name);
      return entry.ok ? (await parts.reach()).test(entry.value, options) : entry;
    },
    async login(name, options) {
      const entry = entryInForce(parts.settings(), name);
      if (!entry.ok) return entry;
      if ("command" in entry.value.setting) {
        return fail("bad_request", `${name} is a program on this machine: there is nothing to log in to.`, {
          recovery: "What it needs to know belongs into its environment: `gauntlet mcp add --help` shows how.",
        });
      }
      return (await parts.reach()).login(entry.value, options);
    },
  };
}

function soundEntry(name: string, setting: ServerSetting): Outcome<void> {
  const named = serverName().safeParse(name);
  if (!named.success) return fail("bad_request", `${name}: ${named.error.issues[0]?.message ?? "no name"}.`);
  const set = serverSetting().safeParse(setting);
  return set.success ? ok(undefined) : fail("bad_request", `${name} cannot be written down as it is.`);
}

function listed(settings: Settings, paths: SettingsPaths, reach: ServerReach): readonly ListedServer[] {
  const isProject = ({ origin }: ServerEntry) => origin === paths.mcp || origin === paths.project;
  const row = (entry: ServerEntry, idle?: IdleServer): ListedServer => {
    const tools = reach.lastKnown(entry);
    return {
      name: entry.name,
      transport: transportOf(entry.setting),
      target: targetOf(entry.setting),
      origin: entry.origin,
      trust: !isProject(entry) ? "own" : idle?.because === "untrusted" ? "untrusted" : "trusted",
      inForce: idle === undefined,
      ...(idle === undefined ? {} : { detail: idle.detail }),
      ...(idle?.hash === undefined ? {} : { hash: idle.hash }),
      ...(tools === undefined ? {} : { tools }),
    };
  };
  return [...settings.servers.map((entry) => row(entry)), ...settings.idleServers.map((idle) => row(idle.entry, idle))];
}

function targetOf(setting: ServerSetting): string {
  return "command" in setting ? [setting.command, ...(setting.args ?? [])].join(" ") : setting.url;
}

function entryInForce(settings: Outcome<Settings>, name: string): Outcome<ServerEntry> {
  if (!settings.ok) return settings;
  const { servers, idleServers } = settings.value;
  const entry = servers.find((one) => one.name === name);
  if (entry !== undefined) return ok(entry);
  const idle = idleServers.find((one) => one.entry.name === name);
  if (idle === undefined) {
    const names = servers.map((one) => one.name).join(", ");
    return fail("bad_request", `There is no MCP server named ${name}.`, {
      recovery: names === "" ? "Add one: gauntlet mcp add --help" : `There are: ${names}.`,
    });
  }
  return fail("policy_denied", `The server ${name} of ${idle.entry.origin} is not started: ${idle.detail}.`, {
    recovery: idle.because === "untrusted" ? "Look at it and decide: gauntlet trust" : `Change ${idle.entry.origin}.`,
  });
}

function entryIn(settings: Outcome<Settings>, name: string, file: string): ServerEntry | undefined {
  if (!settings.ok) return undefined;
  const { servers, idleServers } = settings.value;
  return [...servers, ...idleServers.map(({ entry }) => entry)].find(
    (entry) => entry.name === name && entry.origin === file,
  );
}

function notOne(name: string, settings: Outcome<Settings>, several: boolean) {
  if (several) {
    return fail("bad_request", `${name} stands in your settings and in the project's .mcp.json.`, {
      recovery: "Say which: --scope user or --scope project.",
    });
  }
  const origins = settings.ok
    ? [...settings.value.servers, ...settings.value.idleServers.map(({ entry }) => entry)]
        .filter((entry) => entry.name === name)
        .map(({ origin }) => origin)
    : [];
  if (origins.length === 0) {
    return fail("bad_request", `There is no MCP server named ${name}.`, {
      recovery: "`gauntlet mcp list` shows which there are, and where.",
    });
  }
  return fail("bad_request", `${name} stands in ${origins.join(" and ")}, which this command does not change.`, {
    recovery: "Take it out of that file yourself.",
  });
}
