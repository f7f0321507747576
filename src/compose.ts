import path from "node:path";
import process from "node:process";
import { rgPath } from "@vscode/ripgrep";
import type { App, DoorOptions } from "./contract/app.ts";
import { fail, type Outcome, ok } from "./contract/codes.ts";
import { digestOf } from "./contract/digest.ts";
import type { Door } from "./contract/door.ts";
import type { Gate } from "./contract/gate.ts";
import { isInside } from "./contract/path-scope.ts";
import type { HostFiles, Metadata, Sandbox, WorkspaceScan } from "./contract/ports.ts";
import type { Settings, SettingsFile } from "./contract/settings.ts";
import type { SessionLog } from "./contract/store.ts";
import { absentProtected, believedPaths, repositoryIn } from "./effects/believed-names.ts";
import { classifyPath, isProtectedName, isSecretName } from "./effects/classify-path.ts";
import { createJobTable } from "./execution/jobs.ts";
import { createScheduler } from "./execution/scheduler.ts";
import { compileRules } from "./gate/compile-rules.ts";
import { createGate } from "./gate/gate.ts";
import { escapePattern } from "./gate/path-pattern.ts";
import { createClock } from "./host/clock.ts";
import { examineMachine } from "./host/examine-machine.ts";
import { createHostFiles } from "./host/files.ts";
import { findPlaces, type Places } from "./host/find-places.ts";
import { createIds } from "./host/ids.ts";
import { createMetadata } from "./host/metadata.ts";
import { readSmallText } from "./host/read-small-text.ts";
import { createScan } from "./host/scan.ts";
import { type LogStore, openStore } from "./log/open-store.ts";
import { admitPackage, type ToolPackage } from "./registry/admit-package.ts";
import { assembleTools } from "./registry/assemble.ts";
import { createRegistry, type Registry } from "./registry/registry.ts";
import { createSandbox } from "./sandbox/create-sandbox.ts";
import { removeAbandoned } from "./sandbox/placeholders.ts";
import type { Journey } from "./session/journey.ts";
import { openDoor } from "./session/open-door.ts";
import { createPermissionDesk } from "./session/permission-desk.ts";
import { recoverSession } from "./session/recover.ts";
import { loadSettings } from "./settings/load-settings.ts";
import { builtinTools } from "./tools/index.ts";
import { version } from "./version.ts";

export interface ComposeOptions {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
  /** State and the user's own settings; `GAUNTLET_HOME`, else `~/.gauntlet`. */
  readonly gauntletHome?: string;
  /** Settings of the embedding program. They stand where the command line stands. */
  readonly settings?: SettingsFile;
  readonly packages?: readonly ToolPackage[];
}

const managedPolicy = "/etc/gauntlet/policy.json";
const sideBySide = 10;

/** The composition root: the one place that knows every room. */
export function createApp(options: ComposeOptions): Outcome<App> {
  if (Number(process.versions.node.split(".")[0]) < 24) {
    return fail("bad_request", `Gauntlet needs Node 24 or newer; this is ${process.version}.`, {
      recovery: "Install Node 24, or use the one that the repository brings along.",
    });
  }
  const found = findPlaces(options);
  if (!found.ok) return found;
  const places = found.value;
  const machine: Machine = {
    clock: createClock(),
    ids: createIds(),
    metadata: createMetadata(),
    scan: createScan(),
    files: createHostFiles({ trash: path.join(places.gauntletHome, "trash") }),
  };
  let opened: LogStore | undefined;

  function settingsFor(door: DoorOptions): Outcome<Settings> {
    const commandLine = commandLineSettings(options.settings ?? {}, door);
    return loadSettings({ ...places, managedPath: managedPolicy, commandLine, readText: readSmallText });
  }

  function store(sync: Settings["log"]["sync"]): Outcome<LogStore> {
    if (opened !== undefined) return ok(opened);
    const made = openStore({ directory: places.gauntletHome, sync, clock: machine.clock, ids: machine.ids });
    if (!made.ok) return made;
    opened = made.value;
    return made;
  }

  async function policyFor(door: DoorOptions): Promise<Outcome<Policy>> {
    const settings = settingsFor(door);
    if (!settings.ok) return settings;
    const gate = composeGate(settings.value, places, machine);
    if (!gate.ok) return gate;
    const sandbox = await createSandbox({
      ...settings.value.sandbox,
      environment: options.environment,
      workspaceRoots: settings.value.roots,
    });
    if (!sandbox.ok) return sandbox;
    const assembly = assembleTools({
      base: builtinTools(settings.value.limits),
      merged: (options.packages ?? []).flatMap(admitPackage),
      features: settings.value.features,
      denied: (name) => gate.value.bareDenied(name),
    });
    return ok({
      settings: settings.value,
      gate: gate.value,
      sandbox: sandbox.value,
      registry: createRegistry(assembly),
    });
  }

  return ok({
    version,
    workspace: places.workspace,
    settings: settingsFor,
    async openDoor(door) {
      const policy = await policyFor(door);
      if (!policy.ok) return policy;
      const log = store(policy.value.settings.log.sync);
      if (!log.ok) return log;
      await recoverAbandoned(log.value, machine);
      return startSession({ ...machine, ...policy.value, places, store: log.value, door });
    },
    async menu(door) {
      const policy = await policyFor(door);
      if (!policy.ok) return policy;
      const { registry, sandbox, settings } = policy.value;
      return ok(registry.menu({ mode: settings.mode, sandbox: sandbox.description, hasWorkspace: true }));
    },
    archive() {
      // Whichever opens the store first decides how it syncs, so it is asked the same way. Reading goes on when
      // the settings are broken: nothing can run then.
      const settings = settingsFor({});
      const made = store(settings.ok ? settings.value.log.sync : "full");
      return made.ok ? ok(made.value.archive) : made;
    },
    async doctor(request) {
      const policy = await policyFor({});
      return examineMachine({
        ...request,
        gauntletHome: places.gauntletHome,
        ripgrepPath: rgPath,
        policy: policy.ok
          ? { ok: true, sandbox: policy.value.sandbox.description, notices: policy.value.settings.notices }
          : { ok: false, failure: policy.failure },
      });
    },
    async close() {
      opened?.close();
      opened = undefined;
    },
  });
}

interface Machine extends Pick<Journey, "clock" | "ids"> {
  readonly metadata: Metadata;
  readonly scan: WorkspaceScan;
  readonly files: HostFiles;
}

interface Policy {
  readonly settings: Settings;
  readonly gate: Gate;
  readonly sandbox: Sandbox;
  readonly registry: Registry;
}

function commandLineSettings(base: SettingsFile, door: DoorOptions): SettingsFile {
  const given = base.permissions ?? {};
  return {
    ...base,
    permissions: {
      ...given,
      allow: [...(given.allow ?? []), ...(door.allow ?? [])],
      deny: [...(given.deny ?? []), ...(door.deny ?? [])],
      additionalDirectories: [...(given.additionalDirectories ?? []), ...(door.addDirectories ?? [])],
      ...(door.mode === undefined ? {} : { defaultMode: door.mode }),
    },
  };
}

function composeGate(settings: Settings, places: Places, machine: Machine): Outcome<Gate> {
  const denied = settings.deniedPaths.flatMap((denied) =>
    ["Read", "Edit"].map((tool) => ({
      text: `${tool}(/${escapePattern(denied)})`,
      action: "deny" as const,
      layer: "user" as const,
      origin: "workspace.deniedPaths",
      match: [],
      noMatch: [],
    })),
  );
  const { rules, problems } = compileRules([...settings.rules, ...denied], places);
  const errors = problems.filter((problem) => problem.level === "error");
  if (errors.length > 0) {
    const listed = errors.map(({ rule, message }) => `${rule.text} (${rule.origin}): ${message}`).join("; ");
    return fail("bad_request", `The permission rules cannot be used: ${listed}`, {
      recovery: "Correct or remove these rules.",
    });
  }
  const stateDirectory = places.gauntletHome;
  return ok(
    createGate({
      rules,
      classify: (file) => classifyPath(file, { roots: settings.roots, home: places.home, stateDirectory }),
      // Whatever it is called: a state directory inside the workspace is as closed as one beside it.
      findSecrets: (root) => [
        ...machine.scan.find(root, isSecretName),
        ...(isInside(stateDirectory, root) ? [stateDirectory] : []),
      ],
      findRepository: (root) => repositoryIn(root, machine.metadata),
      findAbsent: (root) => absentProtected(root, machine.metadata),
      findProtected: (root) => machine.scan.find(root, isProtectedName),
      find: (root, matches) => machine.scan.find(root, matches),
      clock: machine.clock,
      approvalMs: settings.limits.approvalMs,
    }),
  );
}

/** Sessions whose process died are closed before anything new starts; nothing of them is run again. */
async function recoverAbandoned(store: LogStore, machine: Machine): Promise<void> {
  for (const id of store.abandoned()) {
    const log = store.open(id);
    if (!log.ok) continue;
    await recoverSession(recoveryParts(store, machine, log.value));
    log.value.close();
  }
}

function recoveryParts(store: LogStore, machine: Machine, log: SessionLog) {
  return {
    ...machine,
    log,
    artifacts: store.artifacts,
    removePlaceholders: (roots: readonly string[]) =>
      removeAbandoned(roots.flatMap((root) => believedPaths(root, machine.metadata))),
    redact: (text: string) => store.redactor.redactText(text),
    sandbox: { backend: "none", enforces: false } as const,
  };
}

interface SessionStart extends Machine, Policy {
  readonly places: Places;
  readonly store: LogStore;
  readonly door: DoorOptions;
}

async function startSession(start: SessionStart): Promise<Outcome<Door>> {
  const { clock, ids, door, places, sandbox, settings, store } = start;
  const opened = await openLog(start);
  if (!opened.ok) return opened;
  const log = opened.value;
  let interruption = new AbortController();
  const journey: Journey = {
    ...start,
    log,
    sandbox,
    settings,
    artifacts: store.artifacts,
    scheduler: createScheduler({ sideBySide }),
    desk: createPermissionDesk({ log, clock, ask: door.ask, interruption: () => interruption.signal }),
    jobs: createJobTable({ ids, clock, record: (drafts) => log.append(drafts) }),
    home: places.home,
    stateDirectory: places.gauntletHome,
    ripgrepPath: rgPath,
    version,
    pid: process.pid,
    redact: (text) => store.redactor.redactText(text),
    notify: door.onNotice ?? (() => {}),
    interruption: () => interruption.signal,
  };
  return ok(
    openDoor(journey, {
      interrupt() {
        interruption.abort("cancelled");
        interruption = new AbortController();
      },
    }),
  );
}

/** A new log, or an earlier one with whatever its last process left open closed. */
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
        },
        runtime: { gauntlet: version, node: process.version, platform: `${process.platform}-${process.arch}` },
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
      recovery: `Start it with --cwd ${log.state.workspace}.`,
    });
  }
  await recoverSession(recoveryParts(store, start, log));
  const resumed = log.append([
    { type: "session.resumed", data: { by: "user", mode: settings.mode, sandbox: confinement } },
  ]);
  if (resumed.ok) return ok(log);
  log.close();
  return resumed;
}
