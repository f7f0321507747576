import path from "node:path";
import process from "node:process";
import { rgPath } from "@vscode/ripgrep";
import { safeListener } from "../base/async.ts";
import { digestOf } from "../base/digest.ts";
import type { Door, DoorOptions } from "../contract/app/door.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { createScratch, type Scratch } from "../contract/ports.ts";
import { type SamplingAccess, type ServerEntry, type SideModel, serverName } from "../contract/server/server.ts";
import { type SessionLog, unreadable } from "../contract/store.ts";
import type { HookRemark } from "../contract/verdict.ts";
import { createJobTable } from "../execution/jobs.ts";
import { createScheduler } from "../execution/scheduler.ts";
import { createGate } from "../gate/gate.ts";
import { sessionStart } from "../gate/hooks/occasion.ts";
import { createRuleSaver } from "../history/policy/load-policy.ts";
import { makeScratch, removeScratch, scratchName, withScratch } from "../host/files/scratch.ts";
import type { Places } from "../host/state/find-places.ts";
import { createMenuCatalogue, menuDirectory } from "../host/state/menu-catalogue.ts";
import type { LogStore } from "../log/open-store.ts";
import { createLiveRegistry, createRegistry } from "../registry/registry.ts";
import { createPermissionQueue } from "../session/ask.ts";
import { openDoor } from "../session/door.ts";
import { createSessionHooks, type SessionHooks } from "../session/hooks.ts";
import type { SessionParts } from "../session/parts.ts";
import { type Machine, recoverSession } from "../session/recover.ts";
import { type Policy, serversOf } from "./policy.ts";

const sideBySide = 10;

interface SessionStart extends Machine, Policy {
  readonly places: Places;
  readonly store: LogStore;
  readonly door: DoorOptions;
  readonly rulesFile: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly forModel?: ForModel;
}

export interface ForModel {
  readonly watch: (log: SessionLog) => SessionLog;
  readonly contextTokens: () => number;
  readonly isRunning: () => boolean;
  readonly lent: () => SideModel | undefined;
}

export interface OpenedSession {
  readonly door: Door;
  readonly session: SessionParts;
  readonly remarks: readonly HookRemark[];
}

export async function startSession(start: SessionStart): Promise<Outcome<OpenedSession>> {
  const opened = await openLog(start);
  if (!opened.ok) return opened;
  try {
    return await startOn(opened.value, start);
  } catch (error) {
    opened.value.close();
    return unreadable(error);
  }
}

async function startOn(opened: SessionLog, start: SessionStart): Promise<Outcome<OpenedSession>> {
  const { clock, ids, door, places, sandbox, settings, store } = start;
  const log = start.forModel?.watch(opened) ?? opened;
  let interruption = new AbortController();
  const hooks = sessionHooks(start, log, () => interruption.signal);
  const welcome = await hooks?.tell(sessionStart(door.session === undefined ? "startup" : "resume"));
  if (welcome?.decision === "deny") {
    log.close();
    return fail("hook_denied", `The session was not opened: ${welcome.reason}`);
  }
  const ask = hooks === undefined || door.ask === undefined ? door.ask : hooks.announcing(door.ask);
  const runtime: SessionParts["runtime"] = {
    ...{ clock, ids, version: start.version, pid: process.pid, notify: door.onNotice ?? (() => {}) },
    interruption: () => interruption.signal,
  };
  const saver = createRuleSaver(start.rulesFile, places, start.gatePolicy);
  const requests = createPermissionQueue({ log, clock, ask, saver, interruption: runtime.interruption });
  const servers = await sessionServers(start, { log, requests, runtime });
  if (!servers.ok) {
    log.close();
    return servers;
  }
  const catalogue = door.preview
    ? undefined
    : createMenuCatalogue(`${places.gauntletHome}/${menuDirectory(places.workspace)}`);
  const scratch = sessionScratch(start);
  const { files, metadata, gitObjects, scan } = withScratch(start, scratch);
  const where = { home: places.home, stateDirectory: places.gauntletHome };
  const session: SessionParts = {
    log,
    settings,
    gate: hooks === undefined ? start.gate : createGate({ ...start.gatePolicy, hooks }),
    requests,
    hooks,
    tools: {
      ...servers.value,
      skills: start.skills,
      contextTokens: start.forModel?.contextTokens,
      keepCatalogue: catalogue?.keep,
    },
    places: { ...where, metadata, gitObjects, scratch, standing: start.standing },
    execution: {
      ...{ sandbox, files, scan, ripgrepPath: () => rgPath },
      scheduler: createScheduler({ sideBySide }),
      jobs: createJobTable({ ids, clock, record: (drafts) => log.append(drafts) }),
    },
    storage: {
      artifacts: store.artifacts,
      redact: (text) => store.redactor.redactText(text),
      redactValue: (value) => store.redactor.redactValue(value).value,
      secretsIn: (text, stretch) => store.redactor.secretsIn(text, stretch),
      mask: (bytes) => start.known.mask(bytes),
    },
    runtime,
  };
  const interrupt = () => {
    interruption.abort("cancelled");
    interruption = new AbortController();
  };
  const bare = openDoor(session, { interrupt, trial: { changes: door.changes } });
  const close = async () => {
    await bare.close();
    catalogue?.flush();
    if (scratch !== undefined) removeScratch(scratch.directory);
  };
  // With a model, the first request goes out before anything is started.
  if (start.forModel === undefined && !door.preview && !door.oneCall) session.tools.servers?.begin();
  return ok({ door: { ...bare, close }, session, remarks: welcome?.remarks ?? [] });
}

function sessionScratch({ door, places, sandbox, settings }: SessionStart): Scratch | undefined {
  if (sandbox.description.backend !== "bubblewrap") return undefined;
  const directory = path.join(places.gauntletHome, "scratch", scratchName());
  if (!door.preview) makeScratch(directory);
  return createScratch(directory, [...settings.roots, places.home, places.gauntletHome]);
}

async function sessionServers(
  start: SessionStart,
  { log, requests, runtime }: Pick<SessionParts, "log" | "requests" | "runtime">,
): Promise<Outcome<Pick<SessionParts["tools"], "servers" | "registry">>> {
  const { assemble, door } = start;
  const entries = serversOf(start.settings, door);
  if (entries.length === 0) return ok({ registry: createRegistry(assemble([])) });
  // Names from settings are validated when they are read.
  const odd = entries.find((entry) => door.servers?.includes(entry) && !serverName().safeParse(entry.name).success);
  if (odd !== undefined) return fail("bad_request", `${JSON.stringify(odd.name)} is not a valid server name.`);
  const [{ composeServers }, sampling] = await Promise.all([
    import("../mcp/host/compose-servers.ts"),
    samplingDesk(start, entries, { log, requests, runtime }),
  ]);
  const notify = safeListener(door.onNotice ?? (() => {}));
  const servers = composeServers(start, {
    entries,
    roots: () => log.state.roots,
    record: (drafts) => log.append(drafts).ok,
    notify,
    redact: (text) => start.store.redactor.redactText(text),
    elicit: door.elicit,
    ...sampling,
    connections: async (parts) => {
      const { serverConnections } = await import("../session/ask-while-running.ts");
      return serverConnections({ log, requests, runtime, settings: start.settings, execution: start }, parts);
    },
  });
  const registry = createLiveRegistry(servers, { assemble, changed: () => notify({ kind: "menu_changed" }) });
  return ok({ servers, registry });
}

async function samplingDesk(
  start: SessionStart,
  entries: readonly ServerEntry[],
  { log, requests, runtime }: Pick<SessionParts, "log" | "requests" | "runtime">,
): Promise<{ readonly sampling?: SamplingAccess }> {
  const { door, forModel } = start;
  const wanted = entries.some(({ setting }) => setting.sampling !== undefined);
  if (!wanted || forModel === undefined || door.ask === undefined) return {};
  const { sampledBefore, samplingJudge } = await import("../session/ask-while-running.ts");
  const judge = samplingJudge({ ...start, log, requests, runtime });
  return { sampling: { model: forModel.lent, used: sampledBefore({ log }), judge } };
}

function sessionHooks(start: SessionStart, log: SessionLog, interruption: () => AbortSignal): SessionHooks | undefined {
  const { compiledHooks, door, gatePolicy, places } = start;
  if (compiledHooks.length === 0 || door.preview) return undefined;
  return createSessionHooks({
    ...start,
    hooks: compiledHooks,
    policy: gatePolicy,
    log,
    home: places.home,
    stateDirectory: places.gauntletHome,
    classify: gatePolicy.classify,
    notify: door.onNotice ?? (() => {}),
    interruption,
  });
}

async function openLog(start: SessionStart): Promise<Outcome<SessionLog>> {
  const { door, places, sandbox, settings, store } = start;
  const confinement = { backend: sandbox.description.backend, enforces: sandbox.description.enforces };
  if (door.session === undefined) {
    const created: Parameters<LogStore["create"]>[0] = {
      type: "session.created",
      data: {
        workspace: places.workspace,
        roots: [...settings.roots],
        mode: settings.mode,
        sandbox: confinement,
        settings: {
          hash: digestOf(settings.rules),
          layers: settings.layers.map((layer) => `${layer.name}:${layer.hash}`),
          trusted: settings.trusted.length === 0 ? undefined : settings.trusted.map(({ hash }) => hash),
        },
        runtime: { gauntlet: start.version, node: process.version, platform: `${process.platform}-${process.arch}` },
      },
    };
    return door.preview ? ok(store.preview(created)) : store.create(created);
  }
  if (door.preview) {
    const past = store.archive.replay(door.session);
    return past.ok ? ok(store.previewOf(past.value.state)) : past;
  }
  const opened = store.open(door.session);
  if (!opened.ok) return opened;
  const log = opened.value;
  if (log.state.workspace !== places.workspace) {
    log.close();
    return fail("bad_request", `Session ${door.session} belongs to ${log.state.workspace}.`, {
      recovery: `Open it in its own workspace, ${log.state.workspace}.`,
    });
  }
  await recoverSession(store, start, log);
  const data = { by: "user", mode: settings.mode, sandbox: confinement } as const;
  const resumed = log.append([{ type: "session.resumed", data }]);
  if (resumed.ok) return ok(log);
  log.close();
  return resumed;
}
