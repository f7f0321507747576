import { fieldPath, isRecord, readJsonText } from "../../base/json.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ServerSetting } from "../../contract/server/server.ts";
import { readBefore } from "../../settings/own-file.ts";
import { invalid } from "../../settings/parse-settings-text.ts";
import { readMcpFile } from "../../settings/read-mcp-file.ts";

export interface ServerFile {
  readonly path: string;
  readonly text: string;
  readonly form: "settings" | "mcp";
}

type WrittenServers = Readonly<Record<string, unknown>>;

export function withServer(file: ServerFile, name: string, setting: ServerSetting): Outcome<string> {
  const servers = serversIn(file);
  if (!servers.ok) return servers;
  if (Object.hasOwn(servers.value, name)) {
    return fail("bad_request", `${file.path} already has a server named ${name}.`, {
      recovery: `Choose another name, or remove it first: gauntlet mcp remove ${name}`,
    });
  }
  return withServers(file, { ...servers.value, [name]: setting });
}

export function withoutServer(file: ServerFile, name: string): Outcome<string> {
  const servers = serversWith(file, name);
  if (!servers.ok) return servers;
  const { [name]: _, ...others } = servers.value;
  return withServers(file, others);
}

export function withSwitched(file: ServerFile, name: string, on: boolean): Outcome<string> {
  const servers = serversWith(file, name);
  if (!servers.ok) return servers;
  const entry = servers.value[name];
  if (!isRecord(entry)) {
    return invalid(file.path, [{ field: fieldPath("mcpServers", name), problem: "expected an object" }]);
  }
  const { disabled, ...others } = entry;
  if ((disabled === true) === !on) return ok(file.text);
  return withServers(file, { ...servers.value, [name]: on ? others : { ...others, disabled: true } });
}

function serversWith(file: ServerFile, name: string): Outcome<WrittenServers> {
  const servers = serversIn(file);
  if (!servers.ok || Object.hasOwn(servers.value, name)) return servers;
  return fail("bad_request", `${file.path} has no server named ${name}.`, {
    recovery: "To list all servers and their files: gauntlet mcp list",
  });
}

/** The entries as written, including invalid ones. Fails if the rest of the file is invalid. */
export function serversIn({ path, text, form }: ServerFile): Outcome<WrittenServers> {
  const read = form === "mcp" ? readMcpFile({ path, text }) : readBefore(path, text);
  if (!read.ok) return read;
  const { mcpServers = {} } = contentOf(text);
  if (isRecord(mcpServers)) return ok(mcpServers);
  return invalid(path, [{ field: "mcpServers", problem: "expected an object with one server per name" }]);
}

function withServers({ text }: ServerFile, mcpServers: WrittenServers): Outcome<string> {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  return ok(`${JSON.stringify({ ...contentOf(text), mcpServers }, null, indent)}\n`);
}

function contentOf(text: string): WrittenServers {
  const json = readJsonText(text.trim() === "" ? "{}" : text);
  return json.ok && isRecord(json.value) ? json.value : {};
}
