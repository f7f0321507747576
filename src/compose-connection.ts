import path from "node:path";
import { type ProgramNeeds, packageCache, programNeeds, type ServerWorld } from "./compose-server-world.ts";
import { fail, type Outcome, ok } from "./contract/codes.ts";
import type { Connections } from "./contract/connection.ts";
import { fillVariables } from "./contract/fill-variables.ts";
import { isInsideAny, type PathException } from "./contract/path-scope.ts";
import type { ServerEntry } from "./contract/server.ts";
import { resolvePath } from "./effects/resolve-path.ts";
import { serverProfile } from "./gate/server-profile.ts";
import { createCredentialStore, findKeychain } from "./host/credential-store.ts";
import { createHttpClient } from "./host/http-fetch.ts";
import { createWebFetch } from "./host/web-fetch.ts";
import { openWebSocket } from "./host/web-socket.ts";
import type { Connection, ConnectionParts, ServerProcess } from "./mcp/connection.ts";
import { serveProgram } from "./sandbox/serve.ts";
import { prepareLauncher } from "./sandbox/serve-launcher.ts";
import { version } from "./version.ts";

type Attempt = Pick<ConnectionParts, "wishes" | "news" | "startMs" | "signal" | "authorize"> & {
  readonly redirectUrl?: string;
  /** Of the program, where it is one. */
  readonly connections?: Connections;
};

/** Everything of the protocol is loaded here and not before. */
export async function connectServer(
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
    spawn: () => startServer(world, entry, filled.value, connections),
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
  entry: ServerEntry,
  { name, setting }: ServerEntry,
  connections: Connections | undefined,
): Outcome<ServerProcess> {
  if (!("command" in setting)) throw new Error(`${name} is no program`);
  const { metadata, places, settings, sandbox } = world;
  const found = programNeeds(world, entry, setting);
  if (!found.ok) return found;
  const needs = found.value;
  const missing = [...needs.read, ...needs.write].find((directory) => metadata.lstat(directory) === undefined);
  if (missing !== undefined) {
    return fail(
      "runtime_precondition_failed",
      `The entry of the server ${name} names ${missing}, which is not there.`,
      {
        recovery: "Make the directory, or correct sandbox.read and sandbox.write of the entry.",
      },
    );
  }
  const asks = setting.sandbox?.otherHosts === "ask" && connections !== undefined;
  const profile = serverProfile({ roots: settings.roots, needs: { ...needs, asks } }, world.gatePolicy);
  if ("problem" in profile) return fail("bad_request", `The entry of the server ${name}: ${profile.problem}.`);
  const cache = packageCache(entry, places);
  const argv = [setting.command, ...(setting.args ?? [])] as const;
  const confined = sandbox.description.backend === "bubblewrap";
  const { cwd, fetched, withheld } = needs;
  // What cannot be reached is not tried for minutes.
  const env = withheld.length === 0 ? {} : { npm_config_fetch_retries: "0" };
  const start = fetched === undefined ? ok({ argv, env }) : prepareLauncher(argv, fetched, { confined, cache });
  if (!start.ok) return start;
  const masked = fetched === undefined ? profile.masked : [...profile.masked, ...installedHere(world, needs)];
  const served = serveProgram(sandbox, {
    argv: start.value.argv,
    cwd,
    profile: { ...profile, masked },
    env: { ...start.value.env, ...setting.env },
    withheld: settings.sandbox.passEnvironment,
    cache,
    ...(connections === undefined ? {} : { connections }),
  });
  if (!served.ok) return served;
  const hint =
    withheld.length === 0
      ? ""
      : `\nIf it has to be downloaded first: sandbox.network of its entry does not name ${withheld.join(" and ")}.`;
  const lastWords = () => `${served.value.lastWords()}${hint}`;
  const secrets = secretsIn(entry, { ...entry, setting });
  const hidden = () => secrets.reduce((text, secret) => text.replaceAll(secret, "[redacted]"), lastWords());
  return ok({ ...served.value, lastWords: hidden });
}

/**
 * Launchers look for a program of the name that they are given, and for every other one, in `node_modules/.bin` of all
 * directories above first. There a project could put its own program in the place of the one that was meant.
 */
function installedHere({ metadata, places, settings }: ServerWorld, { cwd }: ProgramNeeds): readonly PathException[] {
  const found: PathException[] = [];
  for (let at = cwd; ; at = path.dirname(at)) {
    const bin = resolvePath(path.join(at, "node_modules/.bin"), { metadata, base: cwd, home: places.home });
    const isThere = bin.ok && bin.value.kind === "directory" && isInsideAny(bin.value.resolved, settings.roots);
    if (isThere) found.push({ path: bin.value.resolved, scope: "tree", reason: "programs of the project" });
    if (at === path.dirname(at)) return found;
  }
}

/** What a program was given by name or through a variable must not come back in its last words, which go on record. */
function secretsIn(written: ServerEntry, filled: ServerEntry): readonly string[] {
  if (!("command" in written.setting) || !("command" in filled.setting)) return [];
  const { args: asWritten = [] } = written.setting;
  const { args = [], env = {} } = filled.setting;
  const fromVariables = args.filter((arg, at) => arg !== asWritten[at]);
  return [...Object.values(env), ...fromVariables].filter((value) => value.length >= shortestSecret);
}

/** By address as well as by name: what belongs to one server must never reach another that took its name. */
export function credentialsOf(
  { setting }: ServerEntry,
  { places, environment }: Pick<ServerWorld, "places" | "environment">,
) {
  return createCredentialStore({
    directory: path.join(places.gauntletHome, "credentials"),
    url: "url" in setting ? setting.url : "",
    keychain: findKeychain(environment),
  });
}
