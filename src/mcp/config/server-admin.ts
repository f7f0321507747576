import path from "node:path";
import { isRecord, readJsonText } from "../../base/json.ts";
import { visibleText } from "../../base/text.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { parseHostPattern } from "../../contract/network.ts";
import {
  type AddedServer,
  type ServerAdmin,
  type ServerScope,
  type ServersOf,
  serverScopes,
} from "../../contract/server/admin.ts";
import { type Environment, fillVariables } from "../../contract/server/fill-variables.ts";
import { type ServerEntry, type ServerSetting, serverName, serverSetting } from "../../contract/server/server.ts";
import type { Settings } from "../../contract/settings.ts";
import { updatePrivateText, updateProjectText } from "../../host/state/private-text.ts";
import { notEmpty } from "../../settings/load-settings.ts";
import { problemsUnder, type ReadText, readSettingsText } from "../../settings/parse-settings-text.ts";
import { sharedEntry } from "../../settings/read-mcp-file.ts";
import type { SettingsPaths } from "../../settings/settings-paths.ts";
import { type ServerFile, serversIn, withoutServer, withServer, withSwitched } from "./edit-servers.ts";
import { factsOf, listServers } from "./list-servers.ts";
import type { ServerActions } from "./server-actions.ts";

export interface ServerAdminParts extends Here {
  settings(): Outcome<Settings>;
  readonly paths: SettingsPaths;
  readonly readText: ReadText;
  readonly environment: Environment;
  /** Loaded on demand. */
  actions(): Promise<ServerActions>;
}

export function createServerAdmin(parts: ServerAdminParts): ServerAdmin {
  const { paths } = parts;
  const readText = notEmpty(parts.readText);
  const places: Readonly<Record<ServerScope, Omit<ServerFile, "text">>> = {
    local: { path: paths.userProject, form: "settings" },
    project: { path: paths.mcp, form: "mcp" },
    user: { path: paths.user, form: "settings" },
  };

  function write(scope: ServerScope, change: (file: ServerFile) => Outcome<string>): Outcome<void> {
    const place = places[scope];
    const update = scope === "project" ? updateProjectText : updatePrivateText;
    return update(place.path, (text) => change({ ...place, text: text || "{}" }));
  }

  function onlyScope(name: string, wanted: ServerScope | undefined, byHand: string): Outcome<ServerScope> {
    const scopes = serverScopes.filter((scope) => {
      if (wanted !== undefined) return scope === wanted;
      const place = places[scope];
      const file = readSettingsText(place.path, readText);
      const servers = file.ok && file.value !== undefined ? serversIn({ ...place, ...file.value }) : undefined;
      return servers?.ok === true && Object.hasOwn(servers.value, name);
    });
    const [scope, other] = scopes;
    return scope === undefined || other !== undefined ? notOne(name, parts.settings(), { scopes, byHand }) : ok(scope);
  }

  function add(name: string, setting: ServerSetting, scope: ServerScope): Outcome<AddedServer> {
    const sound = soundEntry(name, setting);
    if (!sound.ok) return sound;
    const { setting: added, notes: changed } =
      scope === "user" ? portableServer(setting, parts) : { setting, notes: [] };
    const written = write(scope, (file) => withServer(file, name, added));
    const notes = [...changed, ...directoryNotes(added, scope, parts)];
    return written.ok ? ok({ file: places[scope].path, scope, setting: added, notes }) : written;
  }

  async function withEntry<Value>(
    name: string,
    { file }: ServersOf,
    work: (entry: ServerEntry, actions: ServerActions) => Promise<Outcome<Value>>,
  ): Promise<Outcome<Value>> {
    const actions = await parts.actions();
    const named = file === undefined ? ok([]) : actions.named(file, parts.settings);
    if (!named.ok) return named;
    const found = named.value.find((one) => one.name === name);
    const entry = found === undefined ? entryInForce(parts.settings(), name) : ok(found);
    return entry.ok ? work(entry.value, actions) : entry;
  }

  async function inSettings<Value>(
    look: (settings: Settings, actions: ServerActions) => Outcome<Value>,
  ): Promise<Outcome<Value>> {
    const settings = parts.settings();
    return settings.ok ? look(settings.value, await parts.actions()) : settings;
  }

  return {
    list: () => inSettings((settings, actions) => ok(listServers(settings, { ...parts, actions }))),
    get: (name) =>
      inSettings((settings, actions) => {
        const found = factsOf(settings, name, { ...parts, actions });
        return found.length > 0 ? ok(found) : noneNamed(name, settings);
      }),
    shown: async (setting) => (await parts.actions()).shown(setting),
    unshown: async (setting, scope) =>
      (await parts.actions()).unshown({ name: "new", setting, origin: places[scope].path }),
    add,
    addJson(name, text, scope) {
      const read = readJsonEntry(name, text);
      if (!read.ok) return read;
      const added = add(name, read.value.setting, scope);
      return added.ok ? ok({ ...added.value, notes: [...read.value.notes, ...added.value.notes] }) : added;
    },
    async remove(name, wanted) {
      const found = onlyScope(name, wanted, "Remove it from that file yourself.");
      if (!found.ok) return found;
      const scope = found.value;
      const file = places[scope].path;
      const settings = parts.settings();
      const entry = settings.ok ? entriesNamed(name, settings.value).find(({ origin }) => origin === file) : undefined;
      const written = write(scope, (before) => withoutServer(before, name));
      if (!written.ok) return written;
      const forgotten = entry === undefined ? ok(undefined) : (await parts.actions()).forget(entry);
      return forgotten.ok ? ok({ file, scope }) : forgotten;
    },
    switch(name, { on, scope: wanted }) {
      const found = onlyScope(name, wanted, `Change "disabled" in that file yourself.`);
      if (!found.ok) return found;
      const scope = found.value;
      let changed = false;
      const written = write(scope, (file) => {
        const after = withSwitched(file, name, on);
        changed = after.ok && after.value !== file.text;
        return after;
      });
      return written.ok ? ok({ file: places[scope].path, scope, changed }) : written;
    },
    test: (name, options) => withEntry(name, options, (entry, actions) => actions.test(entry, options)),
    accept: (name, options) => withEntry(name, options, (entry, actions) => actions.accept(entry, options)),
    login: (name, options) =>
      withEntry(name, options, async (entry, actions) =>
        "command" in entry.setting ? nothingToLogInTo(name) : actions.login(entry, options),
      ),
    async logout(name, { file }) {
      const actions = await parts.actions();
      const settings = parts.settings();
      const named = file === undefined ? ok([]) : actions.named(file, parts.settings);
      if (!named.ok) return named;
      if (!settings.ok) return settings;
      const meant = [...named.value.filter((entry) => entry.name === name), ...entriesNamed(name, settings.value)];
      if (meant.length === 0) return noneNamed(name, settings.value);
      const remote = meant.filter(({ setting }) => "url" in setting);
      if (remote.length === 0) return nothingToLogInTo(name);
      const from = new Set<string>();
      for (const entry of remote) {
        // Logins are stored by address.
        const filled = fillVariables(entry, parts.environment);
        if (!filled.ok) return filled;
        const kept = actions.loginKept(entry);
        const forgotten = actions.forgetLogin(entry);
        if (!forgotten.ok) return forgotten;
        if (kept !== undefined) from.add(kept);
      }
      return ok({ from: [...from] });
    },
  };
}

function nothingToLogInTo(name: string) {
  return fail("bad_request", `${name} is a local program and needs no login.`, {
    recovery: "Pass credentials in its environment: see gauntlet mcp add --help",
  });
}

function soundEntry(name: string, setting: ServerSetting): Outcome<void> {
  const named = serverName().safeParse(name);
  if (!named.success) return fail("bad_request", `${name}: ${named.error.issues[0]?.message ?? "no name"}.`);
  const set = serverSetting().safeParse(setting);
  if (!set.success) return fail("bad_request", `The entry for ${name} is invalid.`);
  const { network = [] } = ("command" in setting ? setting.sandbox : undefined) ?? {};
  const odd = network.find((host) => parseHostPattern(host) === undefined);
  if (odd === undefined) return ok(undefined);
  return fail("bad_request", `${JSON.stringify(odd)} is not a valid host.`, {
    recovery: "Use a host name such as api.example.com, *.example.com or api.example.com:8443.",
  });
}

function directoryNotes(setting: ServerSetting, scope: ServerScope, { workspace, exists }: Here): readonly string[] {
  const { read = [], write = [] } = ("command" in setting ? setting.sandbox : undefined) ?? {};
  return [...read, ...write].flatMap((written) => {
    if (written.startsWith("~")) return [];
    if (scope === "user" && !path.isAbsolute(written)) {
      return path.normalize(`${written}/`) === "./"
        ? []
        : [`${written} is relative to each project, and the server does not start in a project without it`];
    }
    const isThere = exists(path.resolve(workspace, written));
    return isThere ? [] : [`${written} does not exist, and the server does not start without it`];
  });
}

function entryInForce(settings: Outcome<Settings>, name: string): Outcome<ServerEntry> {
  if (!settings.ok) return settings;
  const { servers, idleServers, brokenServers } = settings.value;
  const entry = servers.find((one) => one.name === name);
  if (entry !== undefined) return ok(entry);
  const broken = brokenServers.find((one) => one.name === name);
  if (broken !== undefined) {
    return fail("bad_request", `The entry of the server ${name} is invalid:\n${broken.problem}`, {
      recovery: `Fix the entry in ${broken.origin}, or remove it.`,
    });
  }
  const idle = idleServers.find((one) => one.entry.name === name);
  if (idle === undefined) return noneNamed(name, settings.value);
  const recoveries = {
    untrusted: "Review and trust it: gauntlet trust",
    disabled: `Enable it: gauntlet mcp enable ${name}`,
    overridden: `Change ${idle.entry.origin}.`,
  };
  const message = `The server ${name} of ${idle.entry.origin} is not started: ${idle.detail}.`;
  return fail("policy_denied", message, { recovery: recoveries[idle.because] });
}

function noneNamed(name: string, { servers, brokenServers }: Settings) {
  const names = servers.map((one) => one.name).join(", ");
  const lost = brokenServers.filter((one) => one.name === undefined).map(({ problem }) => `\n${problem}`);
  const maybe = lost.length === 0 ? "" : ` It may be in a file that cannot be read:${lost.join("")}`;
  const known = names === "" ? "Add one: gauntlet mcp add --help" : `Configured servers: ${names}.`;
  return fail("bad_request", `No MCP server is named ${name}.${maybe}`, {
    recovery: lost.length === 0 ? known : "Fix that file, or move it aside.",
  });
}

function entriesNamed(name: string, { servers, idleServers }: Settings): readonly ServerEntry[] {
  return [...servers, ...idleServers.map(({ entry }) => entry)].filter((entry) => entry.name === name);
}

const scopeWords = {
  local: "your settings for this project",
  project: "the project's .mcp.json",
  user: "your settings",
} as const satisfies Record<ServerScope, string>;

function notOne(
  name: string,
  settings: Outcome<Settings>,
  { scopes, byHand }: { readonly scopes: readonly ServerScope[]; readonly byHand: string },
) {
  if (scopes.length > 0) {
    return fail("bad_request", `${name} is defined in ${scopes.map((scope) => scopeWords[scope]).join(" and in ")}.`, {
      recovery: `Choose one: ${scopes.map((scope) => `--scope ${scope}`).join(" or ")}.`,
    });
  }
  if (!settings.ok) return settings;
  const broken = settings.value.brokenServers.filter((entry) => entry.name === name);
  const origins = [...entriesNamed(name, settings.value), ...broken].map(({ origin }) => origin);
  if (origins.length === 0) return noneNamed(name, settings.value);
  return fail("bad_request", `${name} is defined in ${origins.join(" and ")}, which this command does not change.`, {
    recovery: byHand,
  });
}

const example = `For example: '{"command": "docs-server", "args": ["--stdio"]}'`;

function readJsonEntry(name: string, text: string): Outcome<NotedSetting> {
  const json = readJsonText(text);
  if (!json.ok) {
    const where = `line ${json.place.line}, column ${json.place.column}`;
    return fail("bad_request", `The entry is not valid JSON: ${json.problem} (${where}).`, { recovery: example });
  }
  const { value, schema, unknown } = sharedEntry(insideOf(name, json.value));
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const problems = problemsUnder(["mcpServers", name], parsed.error.issues).slice(0, 5);
    const words = problems.map(({ field, problem }) => `${field.replace(/^mcpServers\./, "")}: ${problem}`);
    return fail("bad_request", visibleText(`The entry is not a valid server.\n${words.join("\n")}`), {
      recovery: example,
    });
  }
  const notes = unknown.map((key) => visibleText(`${JSON.stringify(key)} is not supported and was left out`));
  return ok({ setting: parsed.data, notes });
}

function insideOf(name: string, value: unknown): unknown {
  if (!isRecord(value) || "command" in value || "url" in value) return value;
  const servers = value.mcpServers ?? value;
  if (!isRecord(servers)) return value;
  const [only, ...others] = Object.values(servers);
  return servers[name] ?? (others.length === 0 && isRecord(only) ? only : value);
}

interface NotedSetting {
  readonly setting: ServerSetting;
  readonly notes: readonly string[];
}

export interface Here {
  readonly workspace: string;
  readonly exists: (file: string) => boolean;
}

/** With absolute paths: an entry for every project must not depend on this one. */
export function portableServer(setting: ServerSetting, { workspace, exists }: Here): NotedSetting {
  if (!("command" in setting)) return { setting, notes: [] };
  const notes: string[] = [];
  const whole = (written: string) => {
    const resolved = path.resolve(workspace, written);
    if (!isRelativePath(written) || !exists(resolved)) return written;
    notes.push(`${written} is saved as ${resolved}, so that it works in every project`);
    return resolved;
  };
  const { command, args, cwd } = setting;
  const wholeWord = (word: string) => {
    const [, option = "", value = word] = /^(-[^=]*=)(.*)$/s.exec(word) ?? [];
    return option + whole(value);
  };
  const isHere = cwd !== undefined && ![".", ".."].includes(cwd) && exists(path.resolve(workspace, cwd));
  const directory = isHere && !cwd.includes("/") ? whole(`./${cwd}`) : cwd && whole(cwd);
  const written = { ...setting, command: whole(command), ...(args && { args: args.map(wholeWord) }) };
  return { setting: { ...written, ...(directory && { cwd: directory }) }, notes };
}

function isRelativePath(written: string): boolean {
  return written.includes("/") && written !== "./" && !path.isAbsolute(written) && !written.startsWith("~");
}
