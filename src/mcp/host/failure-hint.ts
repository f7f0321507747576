import path from "node:path";
import type { ServerEntry } from "../../contract/server.ts";

const closedToWriting = /\bEROFS\b|read-only file system/i;
const unresolved = /\bEAI_AGAIN\b|\bENOTFOUND\b|\bENETUNREACH\b|name resolution|name or service not known/i;

/** What a server that runs here says when its sandbox is in its way, and which key of its entry is about that. */
export function failureHint({ setting, origin }: ServerEntry, said: string): string | undefined {
  if (!("command" in setting)) return undefined;
  const { write = [], network } = setting.sandbox ?? {};
  const where = entryText(origin);
  if (closedToWriting.test(said)) {
    const may = write.length === 0 ? "nothing" : `${write.join(", ")} and nothing else`;
    return `Its sandbox lets it write ${may}: sandbox.write of ${where} names the directories (--write DIRECTORY of \`gauntlet mcp add\`).`;
  }
  if (!unresolved.test(said)) return undefined;
  if (network === undefined || network.length === 0) {
    return `Its sandbox lets it reach nobody else: sandbox.network of ${where} names the hosts (--network HOST of \`gauntlet mcp add\`).`;
  }
  return `Its sandbox lets it reach ${network.join(", ")}, and only through the proxy that HTTPS_PROXY names. Node does that since 22.21 and 24.5: run it with such a one.`;
}

/** A model can give a call of a server no more time: only its entry can. */
export function lateHint({ origin }: ServerEntry, timeoutMs: number): string {
  return `Check what was changed before it is called again. More time is a person's to give: timeout of ${entryText(origin)} is ${timeoutMs} (milliseconds, begun anew by each report of progress).`;
}

function entryText(origin: string): string {
  return path.isAbsolute(origin) ? `its entry in ${origin}` : "its entry";
}
