import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type {
  AcceptOptions,
  ChangedTool,
  KnownTool,
  LoginDone,
  LoginOptions,
  ServerTest,
} from "../../contract/server/admin.ts";
import { createFiller, fillVariables } from "../../contract/server/fill-variables.ts";
import { describeFetch } from "../../contract/server/package-source.ts";
import type { Elicitor, ServerEntry, StdioServer } from "../../contract/server/server.ts";
import type { Settings } from "../../contract/settings.ts";
import { readSmallText } from "../../host/files/read-small-text.ts";
import { createLoginMemory } from "../client/login-memory.ts";
import { composeServers, stateFiles } from "../host/compose-servers.ts";
import { programLimits, programNeeds, readsOf, type ServerWorld, unshownPaths } from "../host/program-needs.ts";
import {
  type Definition,
  isChanged,
  noteTest,
  readFailedTest,
  type ServerState,
  serverDirectory,
  serverState,
} from "../host/server-state.ts";
import { connectServer, credentialsOf } from "../host/start-server.ts";
import { describeChange } from "../tools/describe-change.ts";
import { namedServers } from "./named-servers.ts";

export type ServerActions = ReturnType<typeof createServerActions>;

/** What it takes to start servers, and what is known of earlier starts. */
export function createServerActions(
  world: () => Promise<Outcome<ServerWorld>>,
  { places, environment, clock }: Pick<ServerWorld, "places" | "environment" | "clock">,
) {
  /** In force because a person named their file, whatever the settings say. */
  const named = new WeakSet<ServerEntry>();
  const files = stateFiles(places);
  const directoryOf = (entry: ServerEntry) => serverDirectory(entry, places.workspace);
  async function inWorld<Value>(
    entry: ServerEntry,
    work: (world: ServerWorld) => Promise<Outcome<Value>>,
  ): Promise<Outcome<Value>> {
    const made = await world();
    if (!made.ok) return made;
    return work(named.has(entry) ? { ...made.value, isInForce: (one) => one === entry } : made.value);
  }
  async function look<Value>(work: (world: ServerWorld) => Outcome<Value>): Promise<Outcome<Value>> {
    const made = await world();
    if (!made.ok) return made;
    await made.value.sandbox.close?.();
    return work(made.value);
  }
  const filledIn = (setting: StdioServer): StdioServer => {
    const { fill } = createFiller(environment);
    const { command, args = [] } = setting;
    return { ...setting, command: fill(command), args: args.map(fill) };
  };
  const note = (entry: ServerEntry, what: Pick<Parameters<typeof noteTest>[2], "failed" | "loggedOut">) =>
    noteTest(files, directoryOf(entry), { at: new Date(clock.now()).toISOString(), ...what });
  const removeLogin = (entry: ServerEntry): Outcome<void> => {
    if ("command" in entry.setting) return ok(undefined);
    const filled = fillVariables(entry, environment);
    // What could not be reached was never logged in to.
    return filled.ok ? credentialsOf(filled.value, { places, environment }).remove(entry.name) : ok(undefined);
  };
  const loginKept = (entry: ServerEntry): string | undefined => {
    const filled = fillVariables(entry, environment);
    if (!filled.ok) return undefined;
    const credentials = credentialsOf(filled.value, { places, environment });
    const read = credentials.read(entry.name);
    if (!read.ok) return read.failure.message;
    const isKept = createLoginMemory(credentials, entry.name).tokens() !== undefined;
    return isKept ? credentials.keptIn(entry.name) : undefined;
  };
  return {
    loginKept,
    test: (entry: ServerEntry, { elicit, signal }: Pick<AcceptOptions, "elicit" | "signal">) =>
      inWorld(entry, (made) => testServer(made, entry, elicit, signal)),
    accept: (entry: ServerEntry, options: AcceptOptions) =>
      inWorld(entry, (made) => acceptChanges(made, entry, options)),
    async login(entry: ServerEntry, options: LoginOptions) {
      const done = await inWorld(entry, (made) => logIn(made, entry, options));
      if (done.ok) note(entry, { failed: undefined });
      return done;
    },
    /** What a program of the person's own may read beside the workspace where its entry has no `sandbox.read`. */
    shown: (setting: StdioServer) => look((made) => ok(readsOf(made, filledIn(setting)))),
    /** What an entry names that its sandbox does not show its program. */
    async unshown(entry: ServerEntry): Promise<Outcome<readonly string[]>> {
      const { setting } = entry;
      if (!("command" in setting)) return ok([]);
      return look((made) => {
        const filled = filledIn(setting);
        const needs = programNeeds(made, entry, filled);
        return needs.ok ? ok(unshownPaths(made, filled, needs.value)) : needs;
      });
    },
    named(file: string, settings: () => Outcome<Settings>): Outcome<readonly ServerEntry[]> {
      const found = namedServers(file, { workspace: places.workspace, settings });
      if (!found.ok) return found;
      for (const entry of found.value.servers) named.add(entry);
      return ok(found.value.servers);
    },
    fetches: (entry: ServerEntry) => fetchesOf(entry, { places, environment }),
    forgetLogin(entry: ServerEntry) {
      const wasKept = loginKept(entry) !== undefined;
      const removed = removeLogin(entry);
      if (removed.ok && wasKept) note(entry, { failed: "Its login was forgotten.", loggedOut: true });
      return removed;
    },
    /** Removes its tokens and the packages that were downloaded for it. */
    forget(entry: ServerEntry) {
      const removed = files.remove(`${directoryOf(entry)}/packages`);
      return removed.ok ? removeLogin(entry) : removed;
    },
    lastFailure: (entry: ServerEntry) => readFailedTest(files, directoryOf(entry)),
    lastKnown(entry: ServerEntry) {
      const state = serverState(entry, places.workspace, files);
      return state.known()?.map((definition) => knownTool(definition, state));
    },
  };
}

function fetchesOf(
  { setting }: ServerEntry,
  { places, environment }: Pick<ServerWorld, "places" | "environment">,
): string | undefined {
  return describeFetch(setting, places.workspace, { environment, home: places.home, readText: readSmallText });
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
    // Whoever tests a server sees it as it is, at their own terminal.
    redact: (text) => text,
    elicit,
  });
  const close = () => void host.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    await host.prepare(`mcp__${entry.name}__`);
    const [status] = host.status();
    if (status === undefined || signal.aborted) {
      const recovery = "None of its tools was called. Test it again whenever you like.";
      return fail("cancelled", "The test was cancelled.", { recovery, happened: "nothing" });
    }
    const ready = status.state === "ready";
    noteTest(stateFiles(world.places), serverDirectory(entry, world.places.workspace), {
      at: new Date(world.clock.now()).toISOString(),
      failed: ready ? undefined : (status.detail ?? "It did not answer."),
    });
    const resources = ready ? await host.listResources(entry.name, signal) : ok([]);
    const prompts = ready && status.prompts === true ? await host.listPrompts(entry.name, signal) : ok([]);
    for (const one of [resources, prompts]) if (!one.ok) problems.push(one.failure.message);
    const state = serverState(entry, world.places.workspace, stateFiles(world.places));
    const tools = ready ? (state.known() ?? []) : [];
    return ok({
      status,
      tools: tools.map((definition) => knownTool(definition, state)),
      changed: (await changesIn(tools, state)).map(({ changed }) => changed),
      resources: resources.ok ? resources.value : [],
      prompts: prompts.ok ? prompts.value : [],
      fetches: fetchesOf(entry, world),
      limits: programLimits(world, entry),
      problems,
    });
  } finally {
    signal.removeEventListener("abort", close);
    await host.close();
    await world.sandbox.close?.();
  }
}

function knownTool(definition: Definition, state: ServerState): KnownTool {
  const { name, description, inputSchema } = definition.tool;
  const bytes = Buffer.byteLength(JSON.stringify({ name, description, input_schema: inputSchema }));
  return { name, bytes, ...(isChanged(state, definition) ? { changed: true } : {}) };
}

interface Change {
  readonly definition: Definition;
  readonly changed: ChangedTool;
}

function changesIn(tools: readonly Definition[], state: ServerState): Promise<readonly Change[]> {
  const others = tools.filter((definition) => isChanged(state, definition));
  return Promise.all(
    others.map(async (definition) => {
      const { name } = definition;
      return { definition, changed: { name, diff: await describeChange(state.pinned(name), definition) } };
    }),
  );
}

async function acceptChanges(
  world: ServerWorld,
  entry: ServerEntry,
  { tool, elicit, signal }: AcceptOptions,
): Promise<Outcome<readonly ChangedTool[]>> {
  const { name } = entry;
  const tested = await testServer(world, entry, elicit, signal);
  if (!tested.ok) return tested;
  const { status, tools } = tested.value;
  if (status.state !== "ready") {
    return fail("server_unavailable", status.detail ?? `The server ${name} did not answer.`, {
      recovery: `See what is wrong: gauntlet mcp test ${name}`,
    });
  }
  if (tool !== undefined && !tools.some((one) => one.name === tool)) {
    return fail("bad_request", `The server ${name} offers no tool named ${tool}.`, {
      recovery: `See what it offers: gauntlet mcp test ${name}`,
    });
  }
  const state = serverState(entry, world.places.workspace, stateFiles(world.places));
  const changes = await changesIn(state.known() ?? [], state);
  const meant = changes.filter(({ definition }) => tool === undefined || definition.name === tool);
  for (const { definition } of meant) {
    const pinned = state.pin(definition);
    if (!pinned.ok) return pinned;
  }
  return ok(meant.map(({ changed }) => changed));
}

const loginMs = 60_000;

async function logIn(
  world: ServerWorld,
  entry: ServerEntry,
  { show, signal }: LoginOptions,
): Promise<Outcome<LoginDone>> {
  if (!("url" in entry.setting)) return fail("bad_request", `The server ${entry.name} runs here and wants no login.`);
  const { awaitLogin } = await import("../../host/net/login-redirect.ts");
  const redirect = await awaitLogin();
  if (!redirect.ok) return redirect;
  let asked = false;
  try {
    const connected = await connectServer(world, entry, {
      handlers: {},
      notify: () => {},
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
