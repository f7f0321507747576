import path from "node:path";
import process from "node:process";
import type { App } from "../contract/app.ts";
import type { Archive } from "../contract/archive.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { digestOf } from "../contract/digest.ts";
import type { DoorOptions } from "../contract/door.ts";
import type { ClassifierPort } from "../contract/gate.ts";
import type { SessionId } from "../contract/ids.ts";
import { messageOf } from "../contract/message-of.ts";
import type { Models } from "../contract/model.ts";
import type { Settings, SettingsFile } from "../contract/settings.ts";
import { isSecretName } from "../effects/classify-path.ts";
import { createClock } from "../host/clock.ts";
import { createContentKeeper } from "../host/content-keeper.ts";
import { createHostFiles } from "../host/files.ts";
import { findPlaces } from "../host/find-places.ts";
import { createGitObjects } from "../host/git-objects.ts";
import { createIds } from "../host/ids.ts";
import { listFiles } from "../host/list-files.ts";
import { menuDirectory } from "../host/menu-catalogue.ts";
import { createMetadata } from "../host/metadata.ts";
import { createPromptHistory } from "../host/prompt-history.ts";
import { readSmallText } from "../host/read-small-text.ts";
import { createScan } from "../host/scan.ts";
import { createSkillDesk } from "../host/skills/skill-desk.ts";
import { createSkillLibrary } from "../host/skills/skill-library.ts";
import { updatePrivateText } from "../host/update-private-text.ts";
import { type LogStore, openStore } from "../log/open-store.ts";
import type { ToolPackage } from "../registry/admit-package.ts";
import { standsIn } from "../sandbox/placeholders.ts";
import { createPolicyDesk } from "../session/policy/policy-desk.ts";
import { replayView } from "../session/replay/replay-views.ts";
import { createUnanswered } from "../session/unanswered.ts";
import { withModel } from "../settings/save-model.ts";
import { createServerDesk } from "../settings/server-desk.ts";
import { settingsPaths } from "../settings/settings-paths.ts";
import { readTrustedSkills } from "../settings/trust-file.ts";
import { builtinTools } from "../tools/index.ts";
import { rankTools } from "../tools/menu/rank-tools.ts";
import { version } from "../version.ts";
import { skillPlaces } from "./gate.ts";
import { composePolicies, type Machine } from "./policy.ts";
import { type ForModel, type OpenedSession, recoverAbandoned, startSession } from "./session.ts";
import type { LiveSession } from "./undo.ts";

export interface ComposeOptions {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
  /** State and the user's own settings; `GAUNTLET_HOME`, else `~/.gauntlet`. */
  readonly gauntletHome?: string;
  /** Settings of the embedding program. They stand where the command line stands. */
  readonly settings?: SettingsFile;
  readonly packages?: readonly ToolPackage[];
  /** Decides on what rules and hooks leave open; what is known to destroy is refused before it is asked. */
  readonly classifier?: ClassifierPort;
  /** In the place of the models that the settings and the environment name. */
  readonly models?: Models;
  /** Called when a model has been asked and nothing is to be done until it answers. */
  readonly whileWaiting?: () => void;
}

const managedPath = "/etc/gauntlet/policy.json";

/** The composition root: the one place that knows every room. */
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
  const contents = createContentKeeper(path.join(places.gauntletHome, keptContentsOf(places.workspace)));
  const machine: Machine = {
    clock: createClock(),
    ids: createIds(),
    metadata: createMetadata(),
    gitObjects: createGitObjects(),
    scan: createScan({ passOver: standsIn(claims), shares: true }),
    contents,
    keptIn(workspace, use) {
      if (workspace === places.workspace) return use(contents);
      const others = createContentKeeper(path.join(places.gauntletHome, keptContentsOf(workspace)));
      try {
        return use(others);
      } finally {
        others.close();
      }
    },
    claims,
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
    const belongings = {
      directories: ["snapshots", "menus"],
      of: (workspace: string) => [keptContentsOf(workspace), menuDirectory(workspace)],
    };
    const { clock, ids } = machine;
    const made = openStore({ directory: places.gauntletHome, sync, clock, ids, belongings });
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
    const policy = await policies.of(door, settings);
    if (!policy.ok) return policy;
    const log = store(policy.value.settings.log.sync);
    if (!log.ok) return log;
    await recoverAbandoned(log.value, machine);
    const start = { ...machine, ...policy.value, places, store: log.value, door, rulesFile, environment };
    const session = await startSession(forModel === undefined ? start : { ...start, forModel });
    return session.ok ? ok(asLive(session.value, forModel)) : session;
  }

  /** Known to this app until its door is closed. */
  function asLive({ door, journey, ...rest }: OpenedSession, forModel: ForModel | undefined): OpenedSession {
    live.set(door.sessionId, { log: journey.log, isRunning: forModel?.isRunning ?? (() => false) });
    const close = async () => {
      await door.close();
      live.delete(door.sessionId);
    };
    return { ...rest, journey, door: { ...door, close } };
  }

  /**
   * Whichever opens the store first decides how it syncs, so it is asked the same way. Reading goes on when the settings
   * are broken: nothing can run then.
   */
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
    settings: policies.settings,
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
        ...(options.models === undefined ? {} : { models: options.models }),
        ...(options.whileWaiting === undefined ? {} : { whileWaiting: options.whileWaiting }),
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
      const { undo } = await import("./undo.ts");
      return undo(request, { machine, places, store: log.value, live });
    },
    replay(session, request) {
      const log = archive();
      return log.ok ? replayView(log.value, session, request) : log;
    },
    policy: createPolicyDesk({
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
    servers: createServerDesk({
      settings: () => policies.settings({}),
      paths,
      readText: readSmallText,
      environment,
      workspace: places.workspace,
      exists: (file) => machine.metadata.lstat(file) !== undefined,
      async reach() {
        const { createServerReach } = await import("./reach.ts");
        const world = async () => {
          const policy = await policies.of({});
          return policy.ok ? ok({ ...machine, ...policy.value, places, environment }) : policy;
        };
        return createServerReach(world, { places, environment, clock: machine.clock });
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
      machine.contents.close();
    },
  });
}

/** Below the state directory. */
function keptContentsOf(workspace: string): string {
  return path.join("snapshots", `${digestOf(workspace).slice(0, 16)}.db`);
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
