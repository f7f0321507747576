import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { App } from "./contract/app.ts";
import { fail, type Outcome, ok } from "./contract/codes.ts";
import type { ServerEntry } from "./contract/server.ts";
import type { Serving, ServingAddress } from "./contract/serving.ts";
import { visibleText } from "./contract/visible-text.ts";
import { listenHttp } from "./host/http-server.ts";
import { createIds } from "./host/ids.ts";
import { readSmallText } from "./host/read-small-text.ts";
import { guardRequests, loopbackHosts } from "./mcp/serve/guard-requests.ts";
import type { LineChannel } from "./mcp/serve/line-transport.ts";
import { maxBodyBytes } from "./mcp/serve/protocol-server.ts";
import { type ServedDoor, serveDoor } from "./mcp/serve/serve-door.ts";
import { readMcpFile } from "./settings/read-mcp-file.ts";
import { brokenNotices } from "./settings/read-servers.ts";

const path = "/mcp";
const maxHeaderBytes = 32 * 1024;
/** Somebody who can ask as often as they like must not be able to guess it. */
const shortestToken = 16;

/** Serves a session until its clients are gone or it is told to stop. */
export async function serveApp(
  app: App,
  serving: Serving,
  process: { readonly channel: LineChannel; readonly environment: Readonly<Record<string, string | undefined>> },
): Promise<Outcome<void>> {
  const { address, stop } = serving;
  const token = address === undefined ? ok({ text: "" }) : tokenOf(address, process.environment);
  if (!token.ok) return token;
  const named = namedServers(app, serving);
  if (!named.ok) return named;
  const { servers, notices } = named.value;
  const served = await serveDoor({
    name: serving.name,
    version: app.version,
    instructions: serving.instructions,
    open: (live) => app.openDoor({ ...serving.door, servers, ...live }),
    archive: () => {
      const archive = app.archive();
      return archive.ok ? archive.value : undefined;
    },
    unanswered: app.unanswered,
    ids: createIds(),
  });
  if (!served.ok) return served;
  try {
    const onReady: Serving["onReady"] = (ready) => serving.onReady({ ...ready, notices });
    if (address !== undefined) return await serveHttp(served.value, { ...serving, onReady, address }, token.value);
    await onReady({ session: served.value.door.sessionId });
    await Promise.race([served.value.protocol.serveLines(process.channel), aborted(stop)]);
    return ok(undefined);
  } finally {
    await served.value.close();
  }
}

interface Token {
  readonly text: string;
  readonly madeUp?: true;
}

async function serveHttp(
  { door, protocol }: ServedDoor,
  { address, stop, onReady }: Serving & { readonly address: ServingAddress },
  token: Token,
): Promise<Outcome<void>> {
  const hosts = [...loopbackHosts, address.host, ...address.names];
  const guarded = guardRequests({ hosts, token: token.text, path }, (request) => protocol.fetch(request));
  const server = await listenHttp(guarded, { ...address, maxHeaderBytes, maxBodyBytes, closeMs: 2_000 });
  if (!server.ok) return server;
  const url = `http://${address.host}:${server.value.port}${path}`;
  await onReady({ session: door.sessionId, url, ...(token.madeUp ? { token: token.text } : {}) });
  await aborted(stop);
  await server.value.close();
  return ok(undefined);
}

function tokenOf(
  { tokenEnv }: ServingAddress,
  environment: Readonly<Record<string, string | undefined>>,
): Outcome<Token> {
  if (tokenEnv === undefined) return ok({ text: randomBytes(32).toString("base64url"), madeUp: true });
  const text = environment[tokenEnv] ?? "";
  return text.length >= shortestToken
    ? ok({ text })
    : fail("bad_request", `${tokenEnv} does not hold a token of at least ${shortestToken} characters.`, {
        recovery: `Set ${tokenEnv}, or leave --token-env out and use the token that is printed.`,
      });
}

interface NamedServers {
  readonly servers: readonly ServerEntry[];
  readonly notices: readonly string[];
}

/**
 * A file that the person names is their word for what stands in it; the gate still decides about every call. The
 * project's own file is the project's word, however it is named: of that only what is trusted is started, and it is
 * in the settings already.
 */
function namedServers(app: App, { serversFile: file, door }: Serving): Outcome<NamedServers> {
  if (file === undefined) return ok({ servers: [], notices: [] });
  let text: string | undefined;
  try {
    text = readSmallText(file);
  } catch (error) {
    return fail("bad_request", `${file} cannot be read (${error instanceof Error ? error.message : String(error)}).`);
  }
  if (text === undefined) return fail("bad_request", `There is no file ${file}.`);
  const own = ownFiles.map((name) => join(app.workspace, name)).find((name) => isSameFile(name, file));
  if (own !== undefined) return trustedOf(app, own, door);
  const read = readMcpFile({ path: file, text });
  if (!read.ok) return read;
  const { notes, broken } = read.value;
  const entries = Object.entries(read.value.file.mcpServers ?? {});
  return ok({
    servers: entries.map(([name, setting]) => ({ name, setting, origin: file })),
    notices: [...notes.map((note) => visibleText(`${file}: ${note}`)), ...brokenNotices(file, broken)],
  });
}

/** Where a project says which servers it wants. */
const ownFiles = [".mcp.json", ".gauntlet/settings.json"];

function trustedOf(app: App, own: string, door: Serving["door"]): Outcome<NamedServers> {
  const settings = app.settings(door);
  if (!settings.ok) return settings;
  const isOwn = ({ origin }: { readonly origin: string }) => origin === own;
  const { servers, idleServers, brokenServers } = settings.value;
  if (servers.some(isOwn)) return ok({ servers: [], notices: [] });
  const waiting = idleServers.filter(({ entry, because }) => because === "untrusted" && isOwn(entry));
  if (waiting.length > 0) {
    const names = waiting.map(({ entry }) => entry.name).join(", ");
    return fail("policy_denied", `${own} belongs to the project, and nobody trusts its servers yet: ${names}.`, {
      recovery: "Look at them and decide: gauntlet trust",
    });
  }
  const [broken] = brokenServers.filter(isOwn);
  return fail("bad_request", broken?.problem ?? `No server of ${own} can be started.`, {
    recovery: `Mend ${own}; \`gauntlet mcp list\` shows what is wrong.`,
  });
}

/** Whatever it is called. */
function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((file) => statSync(file, { throwIfNoEntry: false }));
  return first !== undefined && second !== undefined && first.dev === second.dev && first.ino === second.ino;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
