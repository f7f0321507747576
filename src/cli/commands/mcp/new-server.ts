import { fail, type Outcome, ok } from "../../../contract/codes.ts";
import type { ServerSetting } from "../../../contract/server/server.ts";

export interface NewServer {
  readonly url?: string;
  readonly transport?: "stdio" | "http" | "sse" | "ws";
  readonly header: readonly string[];
  readonly env: readonly string[];
  readonly write: readonly string[];
  readonly read: readonly string[];
  readonly network: readonly string[];
}

/** The entry that the words of a command line describe. */
export function newServer(command: readonly string[], flags: NewServer): Outcome<ServerSetting> {
  const [program, ...args] = command;
  // Other programs take the address where the command stands.
  if (program !== undefined && args.length === 0 && flags.url === undefined && /^(?:https?|wss?):\/\//.test(program)) {
    return remoteServer(program, flags);
  }
  if (program !== undefined && flags.url !== undefined) {
    return refuse("A server is a program or an address, not both.", "Leave --url or the command out.");
  }
  if (program !== undefined) return localServer(program, args, flags);
  if (flags.url === undefined) {
    return refuse(
      "Neither a program nor an address is given.",
      "For example: gauntlet mcp add docs -- docs-server --stdio",
    );
  }
  return remoteServer(flags.url, flags);
}

function localServer(command: string, args: readonly string[], flags: NewServer): Outcome<ServerSetting> {
  const { transport, header, env, write, read, network } = flags;
  if ((transport !== undefined && transport !== "stdio") || header.length > 0) {
    return refuse("--transport and --header belong to an address.", "Leave them out, or give --url.");
  }
  const pairs = readPairs("--env", env, "=");
  if (!pairs.ok) return pairs;
  const sandbox = {
    ...(write.length === 0 ? {} : { write: [...write] }),
    ...(read.length === 0 ? {} : { read: [...read] }),
    ...(network.length === 0 ? {} : { network: [...network] }),
  };
  return ok({
    command,
    ...(args.length === 0 ? {} : { args: [...args] }),
    ...(env.length === 0 ? {} : { env: pairs.value }),
    ...(Object.keys(sandbox).length === 0 ? {} : { sandbox }),
  });
}

function remoteServer(url: string, flags: NewServer): Outcome<ServerSetting> {
  const { transport, header, env, write, read, network } = flags;
  if (env.length + write.length + read.length + network.length > 0) {
    return refuse("--env, --write, --read and --network belong to a program.", "Leave them out, or give a command.");
  }
  if (transport === "stdio") return refuse("--transport stdio is for a program.", "Leave it out, or give a command.");
  const scheme = url.includes("${") ? "" : URL.canParse(url) ? new URL(url).protocol : "none";
  const isSocket = scheme === "ws:" || scheme === "wss:";
  const fits = transport === "ws" ? isSocket : transport === undefined || !isSocket;
  if (scheme !== "" && (!/^(?:https?|wss?):$/.test(scheme) || !fits)) {
    const wanted = transport === "ws" ? "ws:// or wss://" : "http:// or https://";
    return refuse(`--url ${url} is no address with ${wanted}.`, "Give the whole address of the server.");
  }
  const pairs = readPairs("--header", header, ":");
  if (!pairs.ok) return pairs;
  return ok({
    type: transport ?? (isSocket ? "ws" : "http"),
    url,
    ...(header.length === 0 ? {} : { headers: pairs.value }),
  });
}

function readPairs(option: string, written: readonly string[], separator: string): Outcome<Record<string, string>> {
  const pairs: [string, string][] = [];
  for (const text of written) {
    const at = text.indexOf(separator);
    const key = text.slice(0, Math.max(0, at)).trim();
    // Not what was given: it may hold a secret.
    if (!/^[A-Za-z_][\w-]*$/.test(key)) {
      return refuse(`${option} reads NAME${separator}VALUE.`, `For example: ${option} 'KEY${separator}\${KEY}'`);
    }
    const value = text.slice(at + 1);
    pairs.push([key, separator === ":" ? value.trim() : value]);
  }
  return ok(Object.fromEntries(pairs));
}

/** Names whose value was written out and looks like something that should stay out of a file. */
export function literalSecrets(setting: ServerSetting): readonly string[] {
  const pairs = Object.entries(("command" in setting ? setting.env : setting.headers) ?? {});
  return pairs.filter(([key, value]) => isSecretName(key) && value !== "" && !value.includes("${")).map(([key]) => key);
}

function isSecretName(name: string): boolean {
  return /key|token|secret|passw|credential|authorization|cookie|auth$/i.test(name);
}

function refuse(message: string, recovery: string) {
  return fail("bad_request", message, { recovery });
}
