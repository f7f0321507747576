import type { McpServer } from "@agentclientprotocol/sdk";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { digestOf } from "../contract/digest.ts";
import { type ServerEntry, serverName, serverSetting } from "../contract/server.ts";

/** The editor's own servers: whoever sits at it chose them, so they count like those of the command line. */
export function serverEntries(servers: readonly McpServer[]): Outcome<readonly ServerEntry[]> {
  const entries: ServerEntry[] = [];
  for (const server of servers) {
    const name = plainName(server.name);
    const setting = serverSetting().safeParse(settingOf(server));
    if (!serverName().safeParse(name).success || !setting.success || entries.some((entry) => entry.name === name)) {
      return fail("bad_request", `The MCP server ${JSON.stringify(server.name)} cannot be used.`, {
        recovery: "It needs a name of its own and either a command or a URL.",
      });
    }
    entries.push({ name, setting: setting.data, origin: "the editor" });
  }
  return ok(entries);
}

/**
 * An editor cannot say how a program is confined, and a person can: what their own settings say of the same name and
 * the same command holds for the editor's as well.
 */
export function withSandboxes(entries: readonly ServerEntry[], own: readonly ServerEntry[]): readonly ServerEntry[] {
  return entries.map((entry) => {
    const same = own.find(({ name }) => name === entry.name)?.setting;
    const { setting } = entry;
    if (same === undefined || !("command" in same) || !("command" in setting) || same.sandbox === undefined)
      return entry;
    if (digestOf([same.command, same.args ?? []]) !== digestOf([setting.command, setting.args ?? []])) return entry;
    return { ...entry, setting: { ...setting, sandbox: same.sandbox } };
  });
}

/** Names of editors may have spaces; those of tools may not. */
function plainName(name: string): string {
  return name
    .replace(/[^A-Za-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 32);
}

function settingOf(server: McpServer): unknown {
  if ("type" in server) {
    const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]));
    return { type: server.type, url: server.url, headers };
  }
  const env = Object.fromEntries(server.env.map(({ name, value }) => [name, value]));
  return { command: server.command, args: server.args, env };
}
