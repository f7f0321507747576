import path from "node:path";
import process from "node:process";
import type { App } from "../contract/app/app.ts";
import type { Archive } from "../contract/app/archive.ts";
import type { DoorOptions } from "../contract/app/door.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { ClassifierPort } from "../contract/gate.ts";
import type { SessionId } from "../contract/ids.ts";
import type { Models } from "../contract/model.ts";
import type { Settings, SettingsFile } from "../contract/settings.ts";
import { isSecretName } from "../effects/classify-path.ts";
import { createPolicyAdmin } from "../history/policy/policy-admin.ts";
import { replayView } from "../history/replay/conversation.ts";
import type { LiveSession } from "../history/undo/undo-session.ts";
import { createHostFiles } from "../host/files/files.ts";
import { listFiles } from "../host/files/list-files.ts";
import { createMetadata } from "../host/files/metadata.ts";
import { readSmallText } from "../host/files/read-small-text.ts";
import { createScan } from "../host/files/scan.ts";
import { createGitObjects } from "../host/git/git-objects.ts";
import { createClock, createIds } from "../host/ids.ts";
import { findPlaces, type Places } from "../host/state/find-places.ts";
import { menuDirectory } from "../host/state/menu-catalogue.ts";
import { privateFiles, updatePrivateText } from "../host/state/private-text.ts";
import { createPromptHistory } from "../host/state/prompt-history.ts";
import { type LogStore, openStore } from "../log/open-store.ts";
import { KnownValues } from "../log/redact/known-values.ts";
import { createServerAdmin } from "../mcp/config/server-admin.ts";
import type { ToolPackage } from "../registry/admit-package.ts";
import { standsIn } from "../sandbox/run/placeholders.ts";
import { diffOf } from "../session/change-requests.ts";
import { whyDirect } from "../session/question.ts";
import { type Machine, recoverAbandoned } from "../session/recover.ts";
import { createUnanswered } from "../session/unanswered.ts";
import { withModel } from "../settings/own-file.ts";
import { settingsPaths } from "../settings/settings-paths.ts";
import { readTrustedSkills } from "../settings/trust-store.ts";
import { createSkillDesk, createSkillLibrary } from "../skills/skill-library.ts";
import { builtinTools } from "../tools/index.ts";
import { rankTools } from "../tools/session/rank-tools.ts";
import { version } from "../version.ts";
import { skillPlaces } from "./gate.ts";
import { composePolicies, type Policies } from "./policy.ts";
import { type ForModel, type OpenedSession, startSession } from "./session.ts";

export interface ComposeOptions {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
  readonly gauntletHome?: string;
  readonly settings?: SettingsFile;
  readonly packages?: readonly ToolPackage[];
  readonly classifier?: ClassifierPort;
  readonly models?: Models;
}

const managedPath = "/etc/gauntlet/policy.json";

export function createApp(options: ComposeOptions): Outcome<App> {
  if (Number(process.versions.node.split(".")[0]) < 24) {
    return fail("bad_request", `Gauntlet needs Node 24 or newer; this is ${process.version}.`, {
      recovery: "Install Node 24, or use node_modules/.bin/node of the clone.",
    });
  }
  const found = findPlaces(options);
  if (!found.ok) return found;
  const places = found.value;
  const { environment } = options;
  const machine = createMachine(places);
  const policies = composePolicies({ ...options, places, machine, managedPath });
  const storage = createStorage(places, machine, policies);
  const { store, storeToRead, archive } = storage;
  const paths = settingsPaths({ ...places, managedPath });
  const { userProject: rulesFile } = paths;
  const live = new Map<SessionId, LiveSession>();

  async function openSession(
    door: DoorOptions,
    settings = policies.settings(door),
    forModel?: ForModel,
  ): Promise<Outcome<OpenedSession>> {
    if (places.workspace === "/" && door.preview !== true) return wholeFileSystem;
    const policy = await policies.of(door, settings);
    if (!policy.ok) return policy;
    const log = store(policy.value.settings.log.sync);
    if (!log.ok) return log;
    await recoverAbandoned(log.value, machine);
    const world = { ...machine, ...policy.value, places, store: log.value };
    const opened = await startSession({ ...world, door, rulesFile, environment, forModel });
    if (!opened.ok) return opened;
    const { door: bare, session } = opened.value;
    live.set(bare.sessionId, { log: session.log, isRunning: forModel?.isRunning ?? (() => false) });
    const close = async () => {
      await bare.close();
      live.delete(bare.sessionId);
    };
    return ok({ ...opened.value, door: { ...bare, close } });
  }

  return ok({
    ...{ version, workspace: places.workspace, rulesFile, archive },
    settings(door) {
      const settings = policies.settings(door);
      if (!settings.ok) return settings;
      return ok({ ...settings.value, notices: [...wideWorkspace(places), ...settings.value.notices] });
    },
    files: () => listFiles(places.workspace, { most: 20_000, keep: (name, file) => !isSecretName(name, file) }),
    async openDoor(door) {
      const session = await openSession(door);
      return session.ok ? ok(session.value.door) : session;
    },
    async findModels(at) {
      const { findUsableModels } = await import("./agent.ts");
      return findUsableModels(environment, at);
    },
    saveModel(name) {
      const saved = updatePrivateText(paths.user, (before) => withModel(paths.user, before, name));
      return saved.ok ? ok({ file: paths.user }) : saved;
    },
    async openAgent(agent) {
      const settings = policies.settings(agent);
      if (!settings.ok) return settings;
      const log = store(settings.value.log.sync);
      if (!log.ok) return log;
      const { openAgent } = await import("./agent.ts");
      return openAgent({
        ...{ options: agent, settings: settings.value, environment, clock: machine.clock, models: options.models },
        workspace: places.workspace,
        artifacts: log.value.artifacts,
        read: (id) => log.value.read(id),
        open: (forModel) => openSession(agent, settings, forModel),
      });
    },
    async menu({ model, ...door }) {
      const policy = await policies.of(door);
      if (!policy.ok) return policy;
      const { menuOf } = await import("./agent.ts");
      return menuOf({ door, model, policy: policy.value, machine, places, environment });
    },
    async undo(request) {
      const log = storeToRead();
      if (!log.ok) return log;
      const { undo } = await import("../history/undo/undo-session.ts");
      const sandbox = async () => {
        const policy = await policies.of({});
        return policy.ok ? ok(policy.value.sandbox) : policy;
      };
      return undo(request, { machine, places, store: log.value, live, sandbox });
    },
    kept: () => keptChanges(places, policies, storeToRead),
    replay(session, request) {
      const log = archive();
      return log.ok ? replayView(log.value, session, request) : log;
    },
    ...administration({ options, places, machine, policies, storage, paths }),
    async doctor({ fix }) {
      const policy = await policies.of({});
      const openState = () => store(policy.ok ? policy.value.settings.log.sync : "full");
      const { examineAll } = await import("./doctor.ts");
      return examineAll({ fix, policy, machine, places, environment, openState });
    },
    notices: storage.notices,
    close: async () => storage.close(),
  });
}

function createMachine({ gauntletHome }: Places): Machine {
  const claims = path.join(gauntletHome, "claims");
  return {
    clock: createClock(),
    ids: createIds(),
    metadata: createMetadata(),
    gitObjects: createGitObjects(),
    scan: createScan({ passOver: standsIn(claims), shares: true }),
    claims,
    known: new KnownValues(),
    version,
    files: createHostFiles({ trash: path.join(gauntletHome, "trash") }),
  };
}

/** The log is opened when something first needs it. */
function createStorage({ gauntletHome: directory }: Places, { clock, ids, known }: Machine, policies: Policies) {
  let opened: LogStore | undefined;
  const notices: (() => readonly string[])[] = [];
  function store(sync: Settings["log"]["sync"]): Outcome<LogStore> {
    if (opened !== undefined) return ok(opened);
    const workspaceData = {
      // Earlier versions kept contents in `snapshots`.
      directories: ["snapshots", "menus"],
      of: (workspace: string) => [menuDirectory(workspace)],
    };
    const made = openStore({ directory, sync, clock, ids, workspaceData, known });
    if (!made.ok) return made;
    opened = made.value;
    notices.push(opened.notices);
    return made;
  }
  function storeToRead(): Outcome<LogStore> {
    const settings = policies.settings({});
    return store(settings.ok ? settings.value.log.sync : "full");
  }
  return {
    store,
    storeToRead,
    archive(): Outcome<Archive> {
      const made = storeToRead();
      return made.ok ? ok(made.value.archive) : made;
    },
    notices: () => notices.flatMap((told) => told()),
    tell: (notice: string) => void notices.push(() => [notice]),
    close() {
      opened?.close();
      opened = undefined;
    },
  };
}

async function keptChanges(
  { workspace }: Places,
  policies: Policies,
  storeToRead: () => Outcome<LogStore>,
): ReturnType<App["kept"]> {
  const policy = await policies.of({});
  if (!policy.ok) return policy;
  const { kept } = policy.value.sandbox;
  const why = await whyDirect(policy.value);
  if (kept === undefined || why !== undefined)
    return fail("sandbox_unavailable", `No view of the workspace can be mounted: ${why}.`);
  const log = storeToRead();
  if (!log.ok) return log;
  return ok({
    ...kept,
    async diff(id) {
      const opened = await kept.open(id, true);
      if (!opened.ok) return opened;
      const captured = await opened.value.capture();
      if (!captured.ok) return captured;
      const { changes } = captured.value;
      const notes = changes.flatMap(({ path, conflict }) => (conflict === undefined ? [] : `${path}: ${conflict}\n`));
      const text = `${notes.join("")}${diffOf(changes, opened.value, workspace)}`;
      return ok(log.value.redactor.redactText(text));
    },
  });
}

function administration(parts: {
  readonly options: ComposeOptions;
  readonly places: Places;
  readonly machine: Machine;
  readonly policies: Policies;
  readonly storage: ReturnType<typeof createStorage>;
  readonly paths: ReturnType<typeof settingsPaths>;
}): Pick<App, "policy" | "unanswered" | "promptHistory" | "servers" | "skills"> {
  const { places, machine, policies, storage, paths } = parts;
  const { environment, packages = [] } = parts.options;
  const { clock } = machine;
  const shared = {
    settings: () => policies.settings({}),
    readText: readSmallText,
    exists: (file: string) => machine.metadata.lstat(file) !== undefined,
  };
  const projectFiles = path.dirname(paths.userProject);
  const questionsFile = path.join(projectFiles, "questions.json");
  const onAside = (file: string) =>
    storage.tell(`The open permission requests could not be read and were moved to ${file}. Run the calls again.`);
  return {
    policy: createPolicyAdmin({
      ...{ ...shared, archive: storage.archive, trustFile: paths.trust, places, clock, policyIn: policies.tried },
      skills: (settings) => createSkillLibrary(skillPlaces(settings, places)).offers(),
    }),
    unanswered: createUnanswered(
      {
        read: () => privateFiles(projectFiles).read("questions.json"),
        update: (change, isSound) => updatePrivateText(questionsFile, change, { isSound, onAside }),
      },
      clock,
    ),
    promptHistory: createPromptHistory(path.join(projectFiles, "prompts.json"), (text) => {
      const log = storage.storeToRead();
      return log.ok ? ok(log.value.redactor.redactText(text)) : log;
    }),
    servers: createServerAdmin({
      ...{ ...shared, paths, environment, workspace: places.workspace },
      async actions() {
        const { createServerActions } = await import("../mcp/config/server-actions.ts");
        const world = async () => {
          const policy = await policies.of({});
          return policy.ok ? ok({ ...machine, ...policy.value, places, environment }) : policy;
        };
        return createServerActions(world, { places, environment, clock });
      },
    }),
    skills: createSkillDesk({
      places() {
        const settings = shared.settings();
        if (!settings.ok) return settings;
        const tools = [...builtinTools(settings.value.limits), ...packages.flatMap((one) => one.tools)];
        const names = tools.flatMap(({ name, aliases }) => [name, ...aliases]);
        const trusted = readTrustedSkills(paths.trust, readSmallText);
        return ok({
          ...skillPlaces(settings.value, places),
          // The tools of servers are known when they run.
          isTool: (name: string) => name.startsWith("mcp_") || names.includes(name),
          wasTrusted: (name: string) => trusted.has(name),
        });
      },
      rank: rankTools,
    }),
  };
}

const wholeFileSystem = fail("bad_request", "The workspace is /, the whole file system.", {
  recovery: "Start in a project directory.",
});

function wideWorkspace({ workspace, home }: Places): readonly string[] {
  if (home !== workspace && !home.startsWith(`${workspace}/`)) return [];
  const what =
    home === workspace ? "your whole home directory" : `your home directory and everything else in ${workspace}`;
  return [`Warning: the workspace is ${what}. Start in a project directory instead.`];
}
