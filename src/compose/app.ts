import path from "node:path";
import process from "node:process";
import { messageOf } from "../base/text.ts";
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
import { createSkillDesk, createSkillLibrary } from "../host/skills/skill-library.ts";
import { findPlaces, type Places } from "../host/state/find-places.ts";
import { menuDirectory } from "../host/state/menu-catalogue.ts";
import { updatePrivateText } from "../host/state/private-text.ts";
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
import { withModel } from "../settings/save-model.ts";
import { settingsPaths } from "../settings/settings-paths.ts";
import { readTrustedSkills } from "../settings/trust-store.ts";
import { builtinTools } from "../tools/index.ts";
import { rankTools } from "../tools/session/rank-tools.ts";
import { version } from "../version.ts";
import { skillPlaces } from "./gate.ts";
import { composePolicies } from "./policy.ts";
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
      recovery:
        "Install Node 24, or use the one that the repository brings along: node_modules/.bin/node in the clone.",
    });
  }
  const found = findPlaces(options);
  if (!found.ok) return found;
  const places = found.value;
  const claims = path.join(places.gauntletHome, "claims");
  const machine: Machine = {
    clock: createClock(),
    ids: createIds(),
    metadata: createMetadata(),
    gitObjects: createGitObjects(),
    scan: createScan({ passOver: standsIn(claims), shares: true }),
    claims,
    known: new KnownValues(),
    version,
    files: createHostFiles({ trash: path.join(places.gauntletHome, "trash") }),
  };
  const { environment } = options;
  const paths = settingsPaths({ ...places, managedPath });
  const { userProject: rulesFile, trust: trustFile } = paths;
  const questionsFile = path.join(path.dirname(rulesFile), "questions.json");
  const putAside: string[] = [];
  const policies = composePolicies({ ...options, places, machine, managedPath });
  let opened: LogStore | undefined;
  let notices: LogStore["notices"] = () => [];
  const live = new Map<SessionId, LiveSession>();

  function store(sync: Settings["log"]["sync"]): Outcome<LogStore> {
    if (opened !== undefined) return ok(opened);
    const workspaceData = {
      // Earlier versions kept contents in `snapshots`.
      directories: ["snapshots", "menus"],
      of: (workspace: string) => [menuDirectory(workspace)],
    };
    const { clock, ids, known } = machine;
    const made = openStore({ directory: places.gauntletHome, sync, clock, ids, workspaceData, known });
    if (!made.ok) return made;
    opened = made.value;
    notices = opened.notices;
    return made;
  }

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
    const start = { ...machine, ...policy.value, places, store: log.value, door, rulesFile, environment };
    const session = await startSession(forModel === undefined ? start : { ...start, forModel });
    return session.ok ? ok(asLive(session.value, forModel)) : session;
  }

  function asLive({ door, session, ...rest }: OpenedSession, forModel: ForModel | undefined): OpenedSession {
    live.set(door.sessionId, { log: session.log, isRunning: forModel?.isRunning ?? (() => false) });
    const close = async () => {
      await door.close();
      live.delete(door.sessionId);
    };
    return { ...rest, session, door: { ...door, close } };
  }

  function storeToRead(): Outcome<LogStore> {
    const settings = policies.settings({});
    return store(settings.ok ? settings.value.log.sync : "full");
  }

  function archive(): Outcome<Archive> {
    const made = storeToRead();
    return made.ok ? ok(made.value.archive) : made;
  }

  return ok({
    version,
    workspace: places.workspace,
    rulesFile,
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
      const { user: file } = settingsPaths({ ...places, managedPath });
      const saved = updatePrivateText(file, (before) => withModel(file, before, name));
      return saved.ok ? ok({ file }) : saved;
    },
    async openAgent(agent) {
      const settings = policies.settings(agent);
      if (!settings.ok) return settings;
      const log = store(settings.value.log.sync);
      if (!log.ok) return log;
      const { openAgent } = await import("./agent.ts");
      return openAgent({
        options: agent,
        settings: settings.value,
        workspace: places.workspace,
        environment,
        clock: machine.clock,
        models: options.models,
        artifacts: log.value.artifacts,
        read: (id) => log.value.read(id),
        open: (forModel) => openSession(agent, settings, forModel),
      });
    },
    async menu({ model, ...door }) {
      const policy = await policies.of(door);
      if (!policy.ok) return policy;
      const { menuOf } = await import("./menu.ts");
      return menuOf({ door, model, policy: policy.value, machine, places, environment });
    },
    archive,
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
    async kept() {
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
          const notes = changes.flatMap(({ path, conflict }) =>
            conflict === undefined ? [] : `${path}: ${conflict}\n`,
          );
          const text = `${notes.join("")}${diffOf(changes, opened.value, places.workspace)}`;
          return ok(log.value.redactor.redactText(text));
        },
      });
    },
    replay(session, request) {
      const log = archive();
      return log.ok ? replayView(log.value, session, request) : log;
    },
    policy: createPolicyAdmin({
      archive,
      settings: () => policies.settings({}),
      trustFile,
      skills: (settings) => createSkillLibrary(skillPlaces(settings, places)).offers(),
      places,
      clock: machine.clock,
      readText: readSmallText,
      exists: (file) => machine.metadata.lstat(file) !== undefined,
      policyIn: policies.tried,
    }),
    unanswered: createUnanswered(
      {
        read: () => readQuestions(questionsFile),
        update: (change, isSound) =>
          updatePrivateText(questionsFile, change, { isSound, onAside: (file) => putAside.push(asideNotice(file)) }),
      },
      machine.clock,
    ),
    promptHistory: createPromptHistory(path.join(path.dirname(rulesFile), "prompts.json"), (text) => {
      const log = storeToRead();
      return log.ok ? ok(log.value.redactor.redactText(text)) : log;
    }),
    servers: createServerAdmin({
      settings: () => policies.settings({}),
      paths,
      readText: readSmallText,
      environment,
      workspace: places.workspace,
      exists: (file) => machine.metadata.lstat(file) !== undefined,
      async actions() {
        const { createServerActions } = await import("../mcp/config/server-actions.ts");
        const world = async () => {
          const policy = await policies.of({});
          return policy.ok ? ok({ ...machine, ...policy.value, places, environment }) : policy;
        };
        return createServerActions(world, { places, environment, clock: machine.clock });
      },
    }),
    skills: createSkillDesk({
      places() {
        const settings = policies.settings({});
        if (!settings.ok) return settings;
        const tools = [
          ...builtinTools(settings.value.limits),
          ...(options.packages ?? []).flatMap((one) => one.tools),
        ].flatMap(({ name, aliases }) => [name, ...aliases]);
        const trusted = readTrustedSkills(trustFile, readSmallText);
        return ok({
          ...skillPlaces(settings.value, places),
          // What servers bring is known when they run.
          isTool: (name: string) => name.startsWith("mcp_") || tools.includes(name),
          wasTrusted: (name: string) => trusted.has(name),
        });
      },
      rank: rankTools,
    }),
    async doctor({ fix }) {
      const policy = await policies.of({});
      const openState = () => store(policy.ok ? policy.value.settings.log.sync : "full");
      const { examineAll } = await import("./doctor.ts");
      return examineAll({ fix, policy, machine, places, environment, openState });
    },
    notices: () => [...notices(), ...putAside],
    async close() {
      opened?.close();
      opened = undefined;
    },
  });
}

const wholeFileSystem = fail("bad_request", "The workspace is /, the whole file system.", {
  recovery: "Start in the directory of a project.",
});

function wideWorkspace({ workspace, home }: Places): readonly string[] {
  if (home !== workspace && !home.startsWith(`${workspace}/`)) return [];
  const what = home === workspace ? "your whole home directory" : `your home directory and all else in ${workspace}`;
  return [`Warning: the workspace is ${what}. Start in the directory of a project to narrow it.`];
}

function asideNotice(file: string): string {
  return `The questions that waited for a person could not be read and lie in ${file} now. What was in them has to be asked anew.`;
}

function readQuestions(file: string): Outcome<string | undefined> {
  try {
    return ok(readSmallText(file));
  } catch (error) {
    return fail("tool_failed", `${file} cannot be read (${messageOf(error)}).`);
  }
}
