import type { McpServer } from "@agentclientprotocol/sdk";
import { digestOf } from "../base/digest.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { type ServerEntry, type ServerSetting, serverName, serverSetting } from "../contract/server/server.ts";
import { heldName, type Settings } from "../contract/settings.ts";

/** Editors also pass on servers from project files, so variables of our environment are not filled in. */
export function serverEntries(servers: readonly McpServer[]): Outcome<readonly ServerEntry[]> {
  const entries: ServerEntry[] = [];
  for (const server of servers) {
    const name = plainName(server.name);
    const setting = serverSetting().safeParse(settingOf(server));
    if (!serverName().safeParse(name).success || !setting.success || entries.some((entry) => entry.name === name)) {
      return fail("bad_request", `The MCP server ${JSON.stringify(server.name)} cannot be used.`, {
        field: "mcpServers",
        recovery: "Give it a unique name and either a command or a URL.",
      });
    }
    entries.push({ name, setting: setting.data, origin: "the editor", literal: true });
  }
  return ok(entries);
}

/**
 * The sandbox of the user's own entry also applies to the editor's server of the same name, command and environment. Any
 * other server gets another name: permissions under that name were given to the user's own server.
 */
export function withSandboxes(entries: readonly ServerEntry[], settings: OwnServers): readonly ServerEntry[] {
  const own = new Map(settings.servers.map((entry) => [entry.name, entry.setting]));
  const resting = [...settings.idleServers.map(({ entry }) => entry), ...settings.brokenServers];
  const waiting = new Set(
    resting.flatMap(({ name }) => (name === undefined || heldName(name, settings) !== undefined ? [] : [name])),
  );
  const taken = new Set([...entries.map(({ name }) => name), ...own.keys(), ...waiting]);
  const free = (name: string, count = 1): string => {
    const next = `${name.slice(0, 22)}-editor${count === 1 ? "" : count}`;
    if (taken.has(next)) return free(name, count + 1);
    taken.add(next);
    return next;
  };
  return entries.map((entry) => {
    const theirs = own.get(entry.name);
    const { setting } = entry;
    if (theirs === undefined) return waiting.has(entry.name) ? { ...entry, name: free(entry.name) } : entry;
    if (!isSameServer(setting, theirs)) return { ...entry, name: free(entry.name) };
    if (!("command" in setting) || !("command" in theirs) || theirs.sandbox === undefined) return entry;
    return { ...entry, setting: { ...setting, sandbox: theirs.sandbox } };
  });
}

type OwnServers = Parameters<typeof heldName>[1];

export function refusedEntries(entries: readonly ServerEntry[], settings: Settings): readonly string[] {
  return entries.flatMap(({ name }) => {
    const held = heldName(name, settings);
    return held === undefined ? [] : [`The MCP server ${name} of the editor is not used: ${held}.`];
  });
}

/** An editor's entry has no directory and no variables: an entry that has them is another server. */
function isSameServer(one: ServerSetting, theirs: ServerSetting): boolean {
  const facts = (setting: ServerSetting) =>
    "command" in setting
      ? { runs: [setting.command, setting.args ?? [], setting.cwd ?? ""], given: setting.env ?? {} }
      : { runs: [setting.type, setting.url], given: setting.headers ?? {} };
  const [first, second] = [facts(one), facts(theirs)];
  const isBare = Object.keys(first.given).length === 0;
  const isFilledIn = JSON.stringify(isBare ? second.runs : second).includes("${");
  if (isFilledIn || digestOf(first.runs) !== digestOf(second.runs)) return false;
  return isBare || digestOf(first.given) === digestOf(second.given);
}

function plainName(name: string): string {
  return name
    .replace(/[^A-Za-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 32);
}

function settingOf(server: McpServer): unknown {
  const given = "type" in server ? server.headers : server.env;
  const values = Object.fromEntries(given.map(({ name, value }) => [name, value]));
  if ("type" in server) return { type: server.type, url: server.url, headers: values };
  return { command: server.command, args: server.args, env: values };
}
