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
    return `Its sandbox lets it write ${may}: sandbox.write of ${where} names the directories (--write DIRECTORY of \`gauntlet mcp add\`).`;
  }
  if (!notReached.some((words) => words.test(said))) return undefined;
  if (network === undefined || network.length === 0) {
    return `That may be its sandbox, which lets it reach nobody else: sandbox.network of ${where} names the hosts (--network HOST of \`gauntlet mcp add\`).`;
  }
  return `That may be its sandbox, which lets it reach ${network.join(", ")} and nobody else, and only through the proxy that HTTPS_PROXY names: sandbox.network of ${where} names the hosts, and Node uses the proxy since 22.21 and 24.5.`;
}

export function lateHint({ origin }: ServerEntry, timeoutMs: number): string {
  return `Check what was changed before it is called again. More time is a person's to give: timeout of ${entryText(origin)} is ${timeoutMs} (milliseconds, begun anew by each report of progress).`;
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
