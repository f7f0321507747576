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
import type { ServerEntry, StdioServer } from "../../contract/server/server.ts";
import type { Settings } from "../../contract/settings.ts";
import { createLoginMemory } from "../client/login-memory.ts";
import { composeServers, stateFiles } from "../host/compose-servers.ts";
import {
  fetchesOf,
  programLimits,
  programNeeds,
  readsOf,
  type ServerWorld,
  unshownPaths,
} from "../host/program-needs.ts";
import { type Definition, isChanged, type ServerState, serverDirectory, serverState } from "../host/server-state.ts";
import { connectServer, credentialsOf } from "../host/start-server.ts";
import { describeChange } from "../tools/describe-change.ts";
import { namedServers } from "./named-servers.ts";

export type ServerActions = ReturnType<typeof createServerActions>;

type ActionsWorld = Pick<ServerWorld, "places" | "environment" | "clock">;

export function createServerActions(world: () => Promise<Outcome<ServerWorld>>, here: ActionsWorld) {
  const { places, environment } = here;
  /** Active because the user passed their file, whatever the settings say. */
  const named = new WeakSet<ServerEntry>();
  const files = stateFiles(places);

  async function inWorld<Value>(
    entry: ServerEntry,
    work: (world: ServerWorld) => Promise<Outcome<Value>>,
  ): Promise<Outcome<Value>> {
    const made = await world();
    if (!made.ok) return made;
    return work(named.has(entry) ? { ...made.value, isInForce: (one) => one === entry } : made.value);
  }

  /** Starts no server. */
  async function look<Value>(work: (world: ServerWorld) => Outcome<Value>): Promise<Outcome<Value>> {
    const made = await world();
    if (!made.ok) return made;
    await made.value.sandbox.close?.();
    return work(made.value);
  }

  function filledIn(setting: StdioServer): StdioServer {
    const { fill } = createFiller(environment);
    const { command, args = [] } = setting;
    return { ...setting, command: fill(command), args: args.map(fill) };
  }

  function removeLogin(entry: ServerEntry): Outcome<void> {
    const filled = "command" in entry.setting ? undefined : fillVariables(entry, environment);
    return filled?.ok ? credentialsOf(filled.value, here).remove(entry.name) : ok(undefined);
  }

  function loginKept(entry: ServerEntry): string | undefined {
    const filled = fillVariables(entry, environment);
    if (!filled.ok) return undefined;
    const credentials = credentialsOf(filled.value, here);
    const read = credentials.read(entry.name);
    if (!read.ok) return read.failure.message;
    const isKept = createLoginMemory(credentials, entry.name).tokens() !== undefined;
    return isKept ? credentials.keptIn(entry.name) : undefined;
  }

  return {
    loginKept,
    test: (entry: ServerEntry, options: TestOptions) => inWorld(entry, (made) => testServer(made, entry, options)),
    accept: (entry: ServerEntry, options: AcceptOptions) =>
      inWorld(entry, (made) => acceptChanges(made, entry, options)),
    async login(entry: ServerEntry, options: LoginOptions) {
      const done = await inWorld(entry, (made) => logIn(made, entry, options));
      if (done.ok) noteTest(here, entry, { failed: undefined });
      return done;
    },
    /** What a user's own program may read outside the workspace if its entry has no `sandbox.read`. */
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
    fetches: (entry: ServerEntry) => fetchesOf(entry, here),
    forgetLogin(entry: ServerEntry) {
      const wasKept = loginKept(entry) !== undefined;
      const removed = removeLogin(entry);
      if (removed.ok && wasKept) noteTest(here, entry, { failed: "Its login was removed.", loggedOut: true });
      return removed;
    },
    /** Removes its tokens and the packages that were downloaded for it. */
    forget(entry: ServerEntry) {
      const removed = files.remove(`${serverDirectory(entry, places.workspace)}/packages`);
      return removed.ok ? removeLogin(entry) : removed;
    },
    lastFailure: (entry: ServerEntry) => stateOf(entry, here).failedTest(),
    lastKnown(entry: ServerEntry) {
      const state = stateOf(entry, here);
      return state.known()?.map((definition) => knownTool(definition, state));
    },
  };
}

function stateOf(entry: ServerEntry, { places }: Pick<ActionsWorld, "places">): ServerState {
  return serverState(entry, places.workspace, stateFiles(places));
}

function noteTest(
  here: Pick<ActionsWorld, "places" | "clock">,
  entry: ServerEntry,
  test: Omit<Parameters<ServerState["noteTest"]>[0], "at">,
): void {
  stateOf(entry, here).noteTest({ at: new Date(here.clock.now()).toISOString(), ...test });
}

type TestOptions = Pick<AcceptOptions, "elicit" | "signal">;

async function testServer(
  world: ServerWorld,
  entry: ServerEntry,
  { elicit, signal }: TestOptions,
): Promise<Outcome<ServerTest>> {
  const problems: string[] = [];
  const host = composeServers(world, {
    entries: [entry],
    roots: () => world.settings.roots,
    record: () => true,
    notify: (notice) => {
      if (notice.kind === "server" && notice.message !== undefined) problems.push(notice.message);
    },
    // The user tests the server at their own terminal.
    redact: (text) => text,
    elicit,
  });
  const close = () => void host.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    await host.prepare(`mcp__${entry.name}__`);
    const [status] = host.status();
    if (status === undefined || signal.aborted) {
      const recovery = "No tool was called. Run the test again when you need it.";
      return fail("cancelled", "The test was cancelled.", { recovery, happened: "nothing" });
    }
    const ready = status.state === "ready";
    noteTest(world, entry, { failed: ready ? undefined : (status.detail ?? "It did not answer.") });
    const resources = ready ? await host.listResources(entry.name, signal) : ok([]);
    const prompts = ready && status.prompts === true ? await host.listPrompts(entry.name, signal) : ok([]);
    for (const one of [resources, prompts]) if (!one.ok) problems.push(one.failure.message);
    const state = stateOf(entry, world);
    const tools = ready ? (state.known() ?? []) : [];
    return ok({
      status,
      tools: tools.map((definition) => knownTool(definition, state)),
      changed: await changesIn(tools, state),
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

function changesIn(tools: readonly Definition[], state: ServerState): Promise<readonly ChangedTool[]> {
  const changed = tools.filter((definition) => isChanged(state, definition));
  return Promise.all(
    changed.map(async (definition) => {
      const { name } = definition;
      return { name, diff: await describeChange(state.pinned(name), definition) };
    }),
  );
}

async function acceptChanges(
  world: ServerWorld,
  entry: ServerEntry,
  options: AcceptOptions,
): Promise<Outcome<readonly ChangedTool[]>> {
  const { name } = entry;
  const tested = await testServer(world, entry, options);
  if (!tested.ok) return tested;
  const { status, tools } = tested.value;
  if (status.state !== "ready") {
    return fail("server_unavailable", status.detail ?? `The server ${name} did not answer.`, {
      recovery: `To see what is wrong: gauntlet mcp test ${name}`,
    });
  }
  if (options.tool !== undefined && !tools.some((one) => one.name === options.tool)) {
    return fail("bad_request", `The server ${name} has no tool named ${options.tool}.`, {
      recovery: `To list its tools: gauntlet mcp test ${name}`,
    });
  }
  const state = stateOf(entry, world);
  const meant = (state.known() ?? []).filter((one) => options.tool === undefined || one.name === options.tool);
  const changes = await changesIn(meant, state);
  for (const definition of meant) {
    const pinned = isChanged(state, definition) ? state.pin(definition) : ok(undefined);
    if (!pinned.ok) return pinned;
  }
  return ok(changes);
}

const loginMs = 60_000;

async function logIn(
  world: ServerWorld,
  entry: ServerEntry,
  { show, signal }: LoginOptions,
): Promise<Outcome<LoginDone>> {
  if (!("url" in entry.setting))
    return fail("bad_request", `The server ${entry.name} is a local program and needs no login.`);
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
