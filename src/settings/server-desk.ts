import path from "node:path";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { parseHostPattern } from "../contract/network.ts";
import {
  type AddedServer,
  type ServerDesk,
  type ServerReach,
  type ServerScope,
  type ServersOf,
  serverScopes,
} from "../contract/server/desk.ts";
import { type Environment, fillVariables } from "../contract/server/fill-variables.ts";
import { type ServerEntry, type ServerSetting, serverName, serverSetting } from "../contract/server/server.ts";
import type { Settings } from "../contract/settings.ts";
import { updatePrivateText, updateProjectText } from "../host/state/private-text.ts";
import { type ServerFileForm, serverNames, withoutServer, withServer, withSwitched } from "./edit-servers.ts";
import { factsOf, listServers } from "./list-servers.ts";
import { notEmpty } from "./load-settings.ts";
import { type ReadText, readSettingsText } from "./parse-settings-text.ts";
import { type Here, portableServer } from "./portable-server.ts";
import { readJsonEntry } from "./read-json-entry.ts";
import type { SettingsPaths } from "./settings-paths.ts";

export interface ServerDeskParts extends Here {
  settings(): Outcome<Settings>;
  readonly paths: SettingsPaths;
  readonly readText: ReadText;
  readonly environment: Environment;
  /** Loaded only when a server is to be reached, or what is known of it is. */
  reach(): Promise<ServerReach>;
}

export function createServerDesk(parts: ServerDeskParts): ServerDesk {
  const { paths } = parts;
  const readText = notEmpty(parts.readText);
  const places: Readonly<Record<ServerScope, { readonly file: string; readonly form: ServerFileForm }>> = {
    local: { file: paths.userProject, form: "settings" },
    project: { file: paths.mcp, form: "mcp" },
    user: { file: paths.user, form: "settings" },
  };

  function write(scope: ServerScope, change: (before: string | undefined) => Outcome<string>): Outcome<void> {
    const { file } = places[scope];
    return scope === "project" ? updateProjectText(file, change) : updatePrivateText(file, change);
  }

  /** Where a person could have written it down. A file that cannot be read has no say unless it is the one meant. */
  function scopesOf(name: string): readonly ServerScope[] {
    return serverScopes.filter((scope) => {
      const { file: path, form } = places[scope];
      const text = readSettingsText(path, readText);
      if (!text.ok || text.value === undefined) return false;
      const names = serverNames(text.value, form);
      return names.ok && names.value.includes(name);
    });
  }

  function onlyScope(name: string, wanted: ServerScope | undefined, byHand: string): Outcome<ServerScope> {
    const scopes = wanted === undefined ? scopesOf(name) : [wanted];
    const [scope, other] = scopes;
    return scope === undefined || other !== undefined ? notOne(name, parts.settings(), { scopes, byHand }) : ok(scope);
  }

  function add(name: string, setting: ServerSetting, scope: ServerScope): Outcome<AddedServer> {
    const sound = soundEntry(name, setting);
    if (!sound.ok) return sound;
    const fitting = scope === "user" ? portableServer(setting, parts) : ok({ setting, notes: [] });
    if (!fitting.ok) return fitting;
    const { file, form } = places[scope];
    const added = { name, setting: fitting.value.setting };
    const written = write(scope, (text) => withServer({ path: file, text: text || undefined }, form, added));
    const notes = [...fitting.value.notes, ...absentPlaces(added.setting, scope, parts)];
    return written.ok ? ok({ file, scope, setting: added.setting, notes }) : written;
  }

  function meant(name: string, { file }: ServersOf, reach: ServerReach): Outcome<ServerEntry> {
    if (file === undefined) return entryInForce(parts.settings(), name);
    const named = reach.named(file, parts.settings);
    if (!named.ok) return named;
    const entry = named.value.find((one) => one.name === name);
    return entry === undefined ? entryInForce(parts.settings(), name) : ok(entry);
  }

  async function inSettings<Value>(
    look: (settings: Settings, reach: ServerReach) => Outcome<Value>,
  ): Promise<Outcome<Value>> {
    const settings = parts.settings();
    return settings.ok ? look(settings.value, await parts.reach()) : settings;
  }

  return {
    list: () => inSettings((settings, reach) => ok(listServers(settings, { ...parts, reach }))),
    get: (name) =>
      inSettings((settings, reach) => {
        const found = factsOf(settings, name, { ...parts, reach });
        return found.length > 0 ? ok(found) : noneNamed(name, settings);
      }),
    shown: async (setting) => (await parts.reach()).shown(setting),
    unshown: async (setting, scope) =>
      (await parts.reach()).unshown({ name: "new", setting, origin: places[scope].file }),
    add,
    addJson(name, text, scope) {
      const read = readJsonEntry(name, text);
      if (!read.ok) return read;
      const added = add(name, read.value.setting, scope);
      return added.ok ? ok({ ...added.value, notes: [...read.value.notes, ...added.value.notes] }) : added;
    },
    async remove(name, wanted) {
      const found = onlyScope(name, wanted, "Take it out of that file yourself.");
      if (!found.ok) return found;
      const scope = found.value;
      const { file: path, form } = places[scope];
      const entry = entryIn(parts.settings(), name, path);
      const written = write(scope, (text) => withoutServer({ path, text: text || "{}" }, form, name));
      if (!written.ok) return written;
      const removed = ok({ file: path, scope });
      if (entry === undefined) return removed;
      const forgotten = (await parts.reach()).forget(entry);
      return forgotten.ok ? removed : forgotten;
    },
    switch(name, { on, scope: wanted }) {
      const found = onlyScope(name, wanted, `Change "disabled" of it there yourself.`);
      if (!found.ok) return found;
      const scope = found.value;
      const { file: path, form } = places[scope];
      let changed = false;
      const written = write(scope, (before) => {
        const text = before || "{}";
        const after = withSwitched({ path, text }, form, { name, on });
        changed = after.ok && after.value !== text;
        return after;
      });
      return written.ok ? ok({ file: path, scope, changed }) : written;
    },
    async test(name, options) {
      const reach = await parts.reach();
      const entry = meant(name, options, reach);
      return entry.ok ? reach.test(entry.value, options) : entry;
    },
    async accept(name, options) {
      const reach = await parts.reach();
      const entry = meant(name, options, reach);
      return entry.ok ? reach.accept(entry.value, options) : entry;
    },
    async login(name, options) {
      const reach = await parts.reach();
      const entry = meant(name, options, reach);
      if (!entry.ok) return entry;
      if ("command" in entry.value.setting) return nothingToLogInTo(name);
      return reach.login(entry.value, options);
    },
    async logout(name, { file }) {
      const reach = await parts.reach();
      const settings = parts.settings();
      const named = file === undefined ? ok([]) : reach.named(file, parts.settings);
      if (!named.ok) return named;
      if (!settings.ok) return settings;
      const { servers, idleServers } = settings.value;
      const all = [...named.value, ...servers, ...idleServers.map(({ entry }) => entry)];
      const meant = all.filter((entry) => entry.name === name);
      if (meant.length === 0) return noneNamed(name, settings.value);
      const remote = meant.filter(({ setting }) => "url" in setting);
      if (remote.length === 0) return nothingToLogInTo(name);
      const from: string[] = [];
      for (const entry of remote) {
        // Where it leads is part of what a login is kept by.
        const filled = fillVariables(entry, parts.environment);
        if (!filled.ok) return filled;
        const kept = reach.loginKept(entry);
        const forgotten = reach.forgetLogin(entry);
        if (!forgotten.ok) return forgotten;
        if (kept !== undefined && !from.includes(kept)) from.push(kept);
      }
      return ok({ from });
    },
  };
}

function nothingToLogInTo(name: string) {
  return fail("bad_request", `${name} is a program on this machine: there is nothing to log in to.`, {
    recovery: "What it needs to know belongs into its environment: `gauntlet mcp add --help` shows how.",
  });
}

function soundEntry(name: string, setting: ServerSetting): Outcome<void> {
  const named = serverName().safeParse(name);
  if (!named.success) return fail("bad_request", `${name}: ${named.error.issues[0]?.message ?? "no name"}.`);
  const set = serverSetting().safeParse(setting);
  if (!set.success) return fail("bad_request", `${name} cannot be written down as it is.`);
  const { network = [] } = ("command" in setting ? setting.sandbox : undefined) ?? {};
  const odd = network.find((host) => parseHostPattern(host) === undefined);
  if (odd === undefined) return ok(undefined);
  return fail("bad_request", `${JSON.stringify(odd)} is no host that a program could reach.`, {
    recovery: "Name a host alone, as in api.example.com, *.example.com or api.example.com:8443.",
  });
}

/** It does not start before they are there. */
function absentPlaces(setting: ServerSetting, scope: ServerScope, { workspace, exists }: Here): readonly string[] {
  const { read = [], write = [] } = ("command" in setting ? setting.sandbox : undefined) ?? {};
  const isHere = (written: string) => path.isAbsolute(written) || (scope !== "user" && !written.startsWith("~"));
  return [...read, ...write]
    .filter((written) => isHere(written) && !exists(path.resolve(workspace, written)))
    .map((written) => `${written} is not there, and the server does not start before it is`);
}

function entryInForce(settings: Outcome<Settings>, name: string): Outcome<ServerEntry> {
  if (!settings.ok) return settings;
  const { servers, idleServers, brokenServers } = settings.value;
  const entry = servers.find((one) => one.name === name);
  if (entry !== undefined) return ok(entry);
  const broken = brokenServers.find((one) => one.name === name);
  if (broken !== undefined) {
    return fail("bad_request", `The server ${name} is left out, because its entry cannot be read:\n${broken.problem}`, {
      recovery: `Mend the entry in ${broken.origin}, or remove it.`,
    });
  }
  const idle = idleServers.find((one) => one.entry.name === name);
  if (idle === undefined) return noneNamed(name, settings.value);
  return fail("policy_denied", `The server ${name} of ${idle.entry.origin} is not started: ${idle.detail}.`, {
    recovery: {
      untrusted: "Look at it and decide: gauntlet trust",
      disabled: `Switch it on again: gauntlet mcp enable ${name}`,
      overridden: `Change ${idle.entry.origin}.`,
    }[idle.because],
  });
}

function noneNamed(name: string, { servers, brokenServers }: Settings) {
  const names = servers.map((one) => one.name).join(", ");
  const lost = brokenServers.filter((one) => one.name === undefined).map(({ problem }) => `\n${problem}`);
  const maybe = lost.length === 0 ? "" : ` It may stand in a file that cannot be read:${lost.join("")}`;
  const known = names === "" ? "Add one: gauntlet mcp add --help" : `There are: ${names}.`;
  return fail("bad_request", `There is no MCP server named ${name}.${maybe}`, {
    recovery: lost.length === 0 ? known : "Mend that file, or move it away.",
  });
}

function entryIn(settings: Outcome<Settings>, name: string, file: string): ServerEntry | undefined {
  if (!settings.ok) return undefined;
  const { servers, idleServers } = settings.value;
  return [...servers, ...idleServers.map(({ entry }) => entry)].find(
    (entry) => entry.name === name && entry.origin === file,
  );
}

const scopeWords = {
  local: "your settings for this project",
  project: "the project's .mcp.json",
  user: "your settings",
} as const satisfies Record<ServerScope, string>;

/** Which of several is meant, or what is in none of the files that are ours to change. */
function notOne(
  name: string,
  settings: Outcome<Settings>,
  { scopes, byHand }: { readonly scopes: readonly ServerScope[]; readonly byHand: string },
) {
  if (scopes.length > 0) {
    return fail("bad_request", `${name} stands in ${scopes.map((scope) => scopeWords[scope]).join(" and in ")}.`, {
      recovery: `Say which: ${scopes.map((scope) => `--scope ${scope}`).join(" or ")}.`,
    });
  }
  if (!settings.ok) return settings;
  const { servers, idleServers, brokenServers } = settings.value;
  const origins = [...servers, ...idleServers.map(({ entry }) => entry), ...brokenServers]
    .filter((entry) => entry.name === name)
    .map(({ origin }) => origin);
  if (origins.length === 0) return noneNamed(name, settings.value);
  return fail("bad_request", `${name} stands in ${origins.join(" and ")}, which this command does not change.`, {
    recovery: byHand,
  });
}
