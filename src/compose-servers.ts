import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fail, type Outcome, ok } from "./contract/codes.ts";
import type { Connections } from "./contract/connection.ts";
import type { DoorNotice } from "./contract/door.ts";
import type { EventDraft } from "./contract/events/index.ts";
import { fillVariables } from "./contract/fill-variables.ts";
import type { Clock, Ids } from "./contract/ids.ts";
import type { Metadata, Sandbox } from "./contract/ports.ts";
import type { SamplingDesk } from "./contract/sampling.ts";
import type { BusyServer, Elicitor, ServerEntry, StdioServer } from "./contract/server.ts";
import type { KnownTool, LoginDone, ServerReach, ServerTest } from "./contract/server-desk.ts";
import type { ServerHost } from "./contract/server-host.ts";
import type { Settings } from "./contract/settings.ts";
import { resolvePath } from "./effects/resolve-path.ts";
import type { Policy as GatePolicy } from "./gate/policy.ts";
import { serverProfile } from "./gate/server-profile.ts";
import { createCredentialStore, findKeychain } from "./host/credential-store.ts";
import type { Places } from "./host/find-places.ts";
import { createHttpClient } from "./host/http-fetch.ts";
import { type PrivateFiles, privateFiles } from "./host/private-files.ts";
import { createWebFetch } from "./host/web-fetch.ts";
import { openWebSocket } from "./host/web-socket.ts";
import type { Connection, ConnectionParts, ServerProcess } from "./mcp/connection.ts";
import { createServerHost } from "./mcp/host/create-server-host.ts";
import type { Definition } from "./mcp/host/definitions.ts";
import { serverState } from "./mcp/host/server-state.ts";
import { serveProgram } from "./sandbox/serve.ts";
import type { ServerConnectionParts } from "./session/server-connections.ts";
import { version } from "./version.ts";

/** What servers are reached with. */
export interface ServerWorld {
  readonly places: Places;
  readonly settings: Settings;
  readonly sandbox: Sandbox;
  readonly gatePolicy: GatePolicy;
  readonly metadata: Metadata;
  /** Asked at every start: whoever changed what a trusted entry runs has ended that trust, in this session too. */
  readonly isInForce: (entry: ServerEntry) => boolean;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** One session, as far as its servers are concerned. */
export interface ServerSession {
  readonly entries: readonly ServerEntry[];
  readonly roots: () => readonly string[];
  readonly record: (drafts: readonly EventDraft[]) => boolean;
  readonly notify: (notice: DoorNotice) => void;
  readonly elicit: Elicitor | undefined;
  /** Absent: no server may use a model. */
  readonly sampling?: SamplingDesk;
  /** Absent: what a program reaches is not recorded, and nobody is asked about hosts. */
  readonly connections?: (parts: ServerConnectionParts) => Connections;
}

type Attempt = Pick<ConnectionParts, "wishes" | "news" | "startMs" | "signal" | "authorize"> & {
  readonly redirectUrl?: string;
  /** Of the program, where it is one. */
  readonly connections?: Connections;
};

export function composeServers(world: ServerWorld, session: ServerSession): ServerHost {
  return createServerHost({
    ...session,
    workspace: world.places.workspace,
    approvalMs: world.settings.limits.approvalMs,
    sampling: session.sampling,
    open: (entry, { busyWith, ...attempt }) =>
      connect(world, entry, { ...attempt, ...connectionsOf(session, entry, busyWith) }),
    writes: (entry) => writesOf(world, entry),
    files: stateFiles(world.places),
    clock: world.clock,
    ids: world.ids,
    random: Math.random,
    wait: async (ms, signal) => {
      await delay(ms, undefined, { signal }).catch(() => {});
    },
  });
}

function connectionsOf(
  { connections }: ServerSession,
  { name: server, setting }: ServerEntry,
  busyWith: BusyServer,
): Pick<Attempt, "connections"> {
  if (connections === undefined || !("command" in setting)) return {};
  return { connections: connections({ server, otherHosts: setting.sandbox?.otherHosts ?? "refuse", busyWith }) };
}

function stateFiles({ gauntletHome }: Places): PrivateFiles {
  return privateFiles(path.join(gauntletHome, "servers"));
}

/** Everything of the protocol is loaded here and not before. */
async function connect(
  world: ServerWorld,
  entry: ServerEntry,
  { connections, ...attempt }: Attempt,
): Promise<Outcome<Connection>> {
  if (!world.isInForce(entry)) return notInForce(entry);
  const filled = fillVariables(entry, world.environment);
  if (!filled.ok) return filled;
  const { openConnection } = await import("./mcp/client/open-connection.ts");
  const http = createHttpClient(serverTimes);
  const opened = await openConnection({
    redirectUrl: "http://127.0.0.1/login",
    ...attempt,
    entry: filled.value,
    ...(entry.inProcess === undefined ? {} : { inProcess: entry.inProcess() }),
    spawn: () => startServer(world, filled.value, { secrets: secretsIn(entry, filled.value), connections }),
    openSocket: (url, headers) => openWebSocket(url, { headers, protocol: "mcp" }),
    fetch: createWebFetch(http),
    credentials: credentialsOf(filled.value, world),
    environment: world.environment,
    version,
  });
  if (opened.ok) void opened.value.gone.then(() => http.close());
  else http.close();
  return opened;
}

function notInForce({ name, origin }: ServerEntry): Outcome<never> {
  return fail("server_unavailable", `The server ${name} is not started: its entry, or a file that it runs, changed.`, {
    recovery: `A person has to look at ${origin} again and decide: gauntlet trust`,
    happened: "nothing",
  });
}

/** How long a call or a stream may last and how much it may bring is the connection's to say, message by message. */
const serverTimes = {
  connectMs: 15_000,
  idleMs: 3_600_000,
  answerMs: 86_400_000,
  answerBytes: Number.MAX_SAFE_INTEGER,
  // A call that was sent may have had its effect.
  sendsOnce: true,
};

const shortestSecret = 6;

/** Confined like a command, with an environment of its own. */
function startServer(
  world: ServerWorld,
  { name, setting }: ServerEntry,
  { secrets, connections }: { readonly secrets: readonly string[]; readonly connections: Connections | undefined },
): Outcome<ServerProcess> {
  if (!("command" in setting)) throw new Error(`${name} is no program`);
  const { metadata, places, settings } = world;
  const resolve = (written: string) => resolvePath(written, { metadata, base: places.workspace, home: places.home });
  const needs = resolveNeeds(setting, resolve);
  if (!needs.ok) return needs;
  const { read, write, cwd } = needs.value;
  const missing = [...read, ...write].find((directory) => metadata.lstat(directory) === undefined);
  if (missing !== undefined) {
    return fail(
      "runtime_precondition_failed",
      `The entry of the server ${name} names ${missing}, which is not there.`,
      {
        recovery: "Make the directory, or correct sandbox.read and sandbox.write of the entry.",
      },
    );
  }
  const { network = [], otherHosts } = setting.sandbox ?? {};
  const asks = otherHosts === "ask" && connections !== undefined;
  const profile = serverProfile({ roots: settings.roots, needs: { read, write, network, asks } }, world.gatePolicy);
  if ("problem" in profile) return fail("bad_request", `The entry of the server ${name}: ${profile.problem}.`);
  const served = serveProgram(world.sandbox, {
    argv: [setting.command, ...(setting.args ?? [])],
    cwd,
    profile,
    env: setting.env ?? {},
    withheld: settings.sandbox.passEnvironment,
    ...(connections === undefined ? {} : { connections }),
  });
  if (!served.ok) return served;
  const { lastWords } = served.value;
  const hidden = () => secrets.reduce((text, secret) => text.replaceAll(secret, "[redacted]"), lastWords());
  return ok({ ...served.value, lastWords: hidden });
}

/** What a program was given by name or through a variable must not come back in its last words, which go on record. */
function secretsIn(written: ServerEntry, filled: ServerEntry): readonly string[] {
  if (!("command" in written.setting) || !("command" in filled.setting)) return [];
  const { args: asWritten = [] } = written.setting;
  const { args = [], env = {} } = filled.setting;
  const fromVariables = args.filter((arg, at) => arg !== asWritten[at]);
  return [...Object.values(env), ...fromVariables].filter((value) => value.length >= shortestSecret);
}

/** Where its calls have to be watched: what it may write, and the whole workspace where nothing holds it. */
function writesOf({ metadata, places, sandbox, settings }: ServerWorld, { setting }: ServerEntry): readonly string[] {
  if (!("command" in setting)) return [];
  if (!sandbox.description.enforces) return settings.roots;
  const resolve = (written: string) => resolvePath(written, { metadata, base: places.workspace, home: places.home });
  const needs = resolveNeeds(setting, resolve);
  return needs.ok ? needs.value.write : [];
}

function resolveNeeds(
  { sandbox = {}, cwd = "." }: StdioServer,
  resolve: (written: string) => ReturnType<typeof resolvePath>,
): Outcome<{ readonly read: readonly string[]; readonly write: readonly string[]; readonly cwd: string }> {
  const all = [cwd, ...(sandbox.read ?? []), ...(sandbox.write ?? [])].map(resolve);
  const failed = all.find((one) => !one.ok);
  if (failed !== undefined && !failed.ok) return failed;
  const [at = "", ...others] = all.flatMap((one) => (one.ok ? [one.value.resolved] : []));
  const reads = sandbox.read?.length ?? 0;
  return ok({ cwd: at, read: others.slice(0, reads), write: others.slice(reads) });
}

/** By address as well as by name: what belongs to one server must never reach another that took its name. */
function credentialsOf({ setting }: ServerEntry, { places, environment }: Pick<ServerWorld, "places" | "environment">) {
  return createCredentialStore({
    directory: path.join(places.gauntletHome, "credentials"),
    url: "url" in setting ? setting.url : "",
    keychain: findKeychain(environment),
  });
}

/** For who wants to know about a server instead of using it. */
export function createServerReach(
  world: () => Promise<Outcome<ServerWorld>>,
  { places, environment }: Pick<ServerWorld, "places" | "environment">,
): ServerReach {
  return {
    async test(entry, { elicit, signal }) {
      const made = await world();
      return made.ok ? testServer(made.value, entry, elicit, signal) : made;
    },
    async login(entry, { show, signal }) {
      const made = await world();
      return made.ok ? logIn(made.value, entry, show, signal) : made;
    },
    forget(entry) {
      const filled = fillVariables(entry, environment);
      // What could not be reached was never logged in to.
      return filled.ok ? credentialsOf(filled.value, { places, environment }).remove(entry.name) : ok(undefined);
    },
    lastKnown: (entry) => serverState(entry, places.workspace, stateFiles(places)).known()?.map(knownTool),
  };
}

async function testServer(
  world: ServerWorld,
  entry: ServerEntry,
  elicit: Elicitor | undefined,
  signal: AbortSignal,
): Promise<Outcome<ServerTest>> {
  const problems: string[] = [];
  const host = composeServers(world, {
    entries: [entry],
    roots: () => world.settings.roots,
    record: () => true,
    notify: (notice) => {
      if (notice.kind === "server" && notice.message !== undefined) problems.push(notice.message);
    },
    elicit,
  });
  const close = () => void host.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    await host.prepare(`mcp__${entry.name}__`);
    const [status] = host.status();
    if (status === undefined || signal.aborted) return fail("cancelled", "The test was cancelled.");
    const ready = status.state === "ready";
    const resources = ready ? await host.listResources(entry.name, signal) : ok([]);
    const prompts = ready && status.prompts === true ? await host.listPrompts(entry.name) : ok([]);
    for (const one of [resources, prompts]) if (!one.ok) problems.push(one.failure.message);
    const tools = serverState(entry, world.places.workspace, stateFiles(world.places)).known() ?? [];
    return ok({
      status,
      tools: ready ? tools.map(knownTool) : [],
      resources: resources.ok ? resources.value : [],
      prompts: prompts.ok ? prompts.value : [],
      problems,
    });
  } finally {
    signal.removeEventListener("abort", close);
    await host.close();
    world.sandbox.close?.();
  }
}

function knownTool({ tool: { name, description, inputSchema } }: Definition): KnownTool {
  return { name, bytes: Buffer.byteLength(JSON.stringify({ name, description, input_schema: inputSchema })) };
}

const loginMs = 60_000;

async function logIn(
  world: ServerWorld,
  entry: ServerEntry,
  show: (url: string) => void | Promise<void>,
  signal: AbortSignal,
): Promise<Outcome<LoginDone>> {
  if (!("url" in entry.setting)) return fail("bad_request", `The server ${entry.name} runs here and wants no login.`);
  const { awaitLogin } = await import("./host/login-redirect.ts");
  const redirect = await awaitLogin();
  if (!redirect.ok) return redirect;
  let asked = false;
  try {
    const connected = await connect(world, entry, {
      wishes: {},
      news: () => {},
      startMs: loginMs,
      signal,
      redirectUrl: redirect.value.url,
      authorize: async (url) => {
        asked = true;
        await show(url.href);
        return redirect.value.arrived(url.searchParams.get("state") ?? "", signal);
      },
    });
    if (!connected.ok) return connected;
    await connected.value.close();
    if (!asked) return ok({});
    const filled = fillVariables(entry, world.environment);
    return filled.ok ? ok({ kept: credentialsOf(filled.value, world).keptIn(entry.name) }) : filled;
  } finally {
    redirect.value.close();
  }
}
