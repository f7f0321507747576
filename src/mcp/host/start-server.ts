import path from "node:path";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Connections } from "../../contract/network.ts";
import { fillVariables } from "../../contract/server/fill-variables.ts";
import type { ServerEntry } from "../../contract/server/server.ts";
import { serverProfile } from "../../gate/sandbox-profile.ts";
import { createHttpClient, createWebFetch } from "../../host/net/http-client.ts";
import { openWebSocket } from "../../host/net/web-socket.ts";
import { createCredentialStore, findKeychain } from "../../host/state/credential-store.ts";
import { sandboxHome } from "../../sandbox/plan/environment.ts";
import { serveProgram } from "../../sandbox/run/serve.ts";
import { prepareLauncher } from "../../sandbox/run/serve-launcher.ts";
import { type ConnectionParts, loginFor, type McpConnection, type ServerProcess } from "../client/connection.ts";
import { type StartWatch, watchStart } from "./failed-start.ts";
import { packageCache, programNeeds, type ServerWorld } from "./program-needs.ts";

type StartAttempt = Pick<ConnectionParts, "handlers" | "notify" | "startMs" | "signal" | "authorize"> & {
  readonly redirectUrl?: string;
  readonly connections?: Connections;
};

export async function connectServer(
  world: ServerWorld,
  entry: ServerEntry,
  { connections, ...attempt }: StartAttempt,
): Promise<Outcome<McpConnection>> {
  if (!world.isInForce(entry)) {
    const message = `The server ${entry.name} was not started: its entry or a file that it runs has changed.`;
    const recovery = `A user must review ${entry.origin} again: gauntlet trust`;
    return fail("server_unavailable", message, { recovery, happened: "nothing" });
  }
  const filled = fillVariables(entry, world.environment);
  if (!filled.ok) return filled;
  const { openConnection } = await import("../client/open-connection.ts");
  const http = createHttpClient(serverTimes);
  let watch: StartWatch | undefined;
  const opened = await openConnection({
    redirectUrl: "http://127.0.0.1/login",
    ...attempt,
    entry: filled.value,
    inProcess: entry.inProcess?.(),
    spawn: () => {
      const started = startServer(world, entry, filled.value, connections);
      if (!started.ok) return started;
      watch = started.value.watch;
      return ok(started.value.program);
    },
    openSocket: (url, headers) => openWebSocket(url, { headers, protocol: "mcp" }),
    fetch: createWebFetch(http),
    credentials: credentialsOf(filled.value, world),
    environment: world.environment,
    version: world.version,
  });
  if (opened.ok) {
    watch?.begun();
    void opened.value.gone.then(() => http.close());
    return opened;
  }
  http.close();
  const failure = loginFor(entry, opened.failure);
  return { ok: false, failure: watch === undefined ? failure : watch.explained(failure) };
}

const serverTimes = {
  connectMs: 15_000,
  idleMs: 3_600_000,
  answerMs: 86_400_000,
  answerBytes: Number.MAX_SAFE_INTEGER,
  // A call that was sent may have had its effect.
  sendsOnce: true,
};

const shortestSecret = 6;

function startServer(
  world: ServerWorld,
  entry: ServerEntry,
  { name, setting }: ServerEntry,
  connections: Connections | undefined,
): Outcome<{ readonly program: ServerProcess; readonly watch: StartWatch }> {
  if (!("command" in setting)) throw new Error(`${name} is not a program`);
  const { metadata, places, settings, sandbox } = world;
  const found = programNeeds(world, entry, setting);
  if (!found.ok) return found;
  const needs = found.value;
  const missing = [...needs.read, ...needs.write].find((directory) => metadata.lstat(directory) === undefined);
  if (missing !== undefined) {
    return fail(
      "runtime_precondition_failed",
      `${missing}, named in the entry of the server ${name}, does not exist.`,
      {
        recovery: "Create the directory, or correct sandbox.read and sandbox.write of the entry.",
      },
    );
  }
  const asks = setting.sandbox?.otherHosts === "ask" && connections !== undefined;
  const profile = serverProfile(
    { roots: settings.roots.filter((root) => root !== settings.repository), needs: { ...needs, asks } },
    world.gatePolicy,
  );
  if ("problem" in profile) return fail("bad_request", `The entry of the server ${name}: ${profile.problem}.`);
  const cache = packageCache(entry, places);
  const confined = sandbox.description.backend === "bubblewrap";
  const { cwd, fetched, withheld } = needs;
  const wanted = fetched?.source.hosts.filter((host) => !withheld.includes(host)) ?? [];
  const near = confined ? wanted.find((host) => isClosedMachine(world, host)) : undefined;
  if (near !== undefined) {
    return fail("runtime_precondition_failed", `The registry ${near} is on this machine, which the sandbox blocks.`, {
      recovery: `To allow it, add "${near}" to network.privateHosts in your settings.`,
    });
  }
  // Otherwise npm retries for minutes.
  const isKept = withheld.length > 0 || (needs.refused !== undefined && needs.network.length === 0);
  const impatient: Record<string, string> = isKept ? { npm_config_fetch_retries: "0" } : {};
  const argv = [setting.command, ...(setting.args ?? [])] as const;
  const launcher = { confined, cache, cwd, installed: wanted.length === 0 };
  const start = fetched === undefined ? ok({ argv, env: {} }) : prepareLauncher(argv, fetched, launcher);
  if (!start.ok) return start;
  const watch = watchStart(world, entry, { filled: setting, needs, connections });
  const served = serveProgram(sandbox, {
    argv: start.value.argv,
    cwd,
    profile,
    env: { ...setting.env, ...impatient, ...start.value.env },
    withheld: settings.sandbox.passEnvironment,
    cache,
    connections: watch.connections,
  });
  if (!served.ok) return served;
  const secrets = secretsIn(entry, { ...entry, setting });
  const hidden = (text: string) => secrets.reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text);
  // The path outside the sandbox.
  const outside = (text: string) => (confined && fetched ? text.replaceAll(`${sandboxHome}/.cache`, cache) : text);
  const program: ServerProcess = {
    ...served.value,
    lastWords: () => hidden(outside(served.value.lastWords())),
    causes: (exitCode) => watch.causes(exitCode).map(hidden),
  };
  const explained: StartWatch["explained"] = (failure) => {
    const told = watch.explained(failure);
    return { ...told, recovery: told.recovery && hidden(told.recovery) };
  };
  return ok({ program, watch: { ...watch, explained } });
}

function isClosedMachine({ settings }: ServerWorld, host: string): boolean {
  return /^(?:localhost|127\.[\d.]+)(?::|$)/.test(host) && !settings.network.privateHosts.includes(host);
}

/** Values from its environment and from variables must not appear in its last output, which is recorded. */
function secretsIn(written: ServerEntry, filled: ServerEntry): readonly string[] {
  if (!("command" in written.setting) || !("command" in filled.setting)) return [];
  const { args: asWritten = [] } = written.setting;
  const { args = [], env = {} } = filled.setting;
  const fromVariables = args.filter((arg, at) => arg !== asWritten[at]);
  return [...Object.values(env), ...fromVariables].filter((value) => value.length >= shortestSecret);
}

/** By address as well as by name: credentials must never reach another server of the same name. */
export function credentialsOf(
  { setting }: ServerEntry,
  { places, environment }: Pick<ServerWorld, "places" | "environment">,
) {
  const directory = path.join(places.gauntletHome, "credentials");
  const url = "url" in setting ? setting.url : "";
  return createCredentialStore({ directory, url, keychain: findKeychain(environment) });
}
