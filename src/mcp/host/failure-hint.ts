import path from "node:path";
import { quoted } from "../../base/text.ts";
import type { ServerEntry } from "../../contract/server/server.ts";

const closedToWriting = /\bEROFS\b|read-only file system/i;
const notReached: readonly RegExp[] = [
  /\b(?:EAI_AGAIN|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|ECONNREFUSED)\b|\bgetaddrinfo\b|\bfetch failed\b/i,
  /name resolution|name or service not known|(?:could not|couldn't) resolve host|no such host|\bdns error\b|UnknownHost/i,
  /network is unreachable|no route to host|connection refused|failed to establish a new connection/i,
  /cannot connect to host|all connection attempts failed|tunnel(?:ing)? (?:connection )?failed|HTTP tunneling/i,
];

export function failureHint({ setting, origin }: ServerEntry, said: string): string | undefined {
  if (!("command" in setting)) return undefined;
  const { write = [], network } = setting.sandbox ?? {};
  const where = entryText(origin);
  if (closedToWriting.test(said)) {
    const may = write.length === 0 ? "nothing" : `${write.join(", ")} and nothing else`;
    return `Its sandbox lets it write ${may}. To allow a directory, add it to sandbox.write of ${where} (gauntlet mcp add --write DIRECTORY).`;
  }
  if (!notReached.some((words) => words.test(said))) return undefined;
  if (network === undefined || network.length === 0) {
    return `Its sandbox may be the cause: it blocks the network. To allow a host, add it to sandbox.network of ${where} (gauntlet mcp add --network HOST).`;
  }
  return `Its sandbox may be the cause: it allows only ${network.join(", ")}, through the proxy in HTTPS_PROXY. To allow a host, add it to sandbox.network of ${where}. Node supports the proxy from 22.21 and 24.5.`;
}

export function lateHint({ origin }: ServerEntry, timeoutMs: number): string {
  return `Check what was changed before you call it again. To allow more time, the user can raise timeout in ${entryText(origin)}: it is ${timeoutMs} ms, and each progress report restarts it.`;
}

function entryText(origin: string): string {
  return path.isAbsolute(origin) ? `its entry in ${origin}` : "its entry";
}

export function approvalCommand({ name, origin, named }: ServerEntry, tool: string): string | undefined {
  if (!origin.startsWith("/")) return undefined;
  return `gauntlet mcp accept ${name} ${shellName(tool)}${named === undefined ? "" : ` --config ${shellName(origin)}`}`;
}

function shellName(text: string): string {
  return /^[\w./@:-]+$/.test(text) ? text : quoted(text);
}
