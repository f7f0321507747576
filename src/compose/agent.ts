import path from "node:path";
import process from "node:process";
import { createContextPolicy } from "../agent/context/context-policy.ts";
import { systemPrompt } from "../agent/context/standing-texts.ts";
import { createTranscript, foldLog } from "../agent/context/transcript.ts";
import { createAgent, watchLog } from "../agent/loop/create-agent.ts";
import { chooseChain, modelOfSession, type SessionModel } from "../agent/loop/session-model.ts";
import type { ProjectChecks } from "../agent/verification/check-of-command.ts";
import { createVerifier } from "../agent/verification/verifier.ts";
import { safeListener } from "../base/async.ts";
import { parseJson } from "../base/json.ts";
import type { Agent, AgentOptions } from "../contract/app/agent.ts";
import type { DoctorCheck } from "../contract/app/app.ts";
import type { DoorOptions } from "../contract/app/door.ts";
import type { ArtifactStore } from "../contract/artifact.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { Event } from "../contract/events/index.ts";
import type { Clock } from "../contract/ids.ts";
import type { FoundModel, ModelNeed, Models } from "../contract/model.ts";
import type { SideModel } from "../contract/server/server.ts";
import type { Settings } from "../contract/settings.ts";
import { type Store, unreadable } from "../contract/store.ts";
import type { Tool } from "../contract/tool.ts";
import type { MenuEntry } from "../contract/tool-facts.ts";
import { readSmallText, readText, unlessTooLarge } from "../host/files/read-small-text.ts";
import { createHttpClient } from "../host/net/http-client.ts";
import type { Places } from "../host/state/find-places.ts";
import { createModels, modelProfile } from "../provider/create-models.ts";
import { examineModels } from "../provider/examine-models.ts";
import { findModels, findModelsAt } from "../provider/list-models.ts";
import { createRegistry } from "../registry/registry.ts";
import type { SessionParts } from "../session/parts.ts";
import { directNotice, takenBackNotice, whyDirect } from "../session/question.ts";
import type { Machine } from "../session/recover.ts";
import { type Policy, serversOf } from "./policy.ts";
import type { ForModel, OpenedSession } from "./session.ts";

export interface AgentStart {
  readonly options: AgentOptions;
  readonly settings: Settings;
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly models?: Models;
  readonly artifacts: Pick<ArtifactStore, "read">;
  readonly read: Store["read"];
  readonly open: (forModel: ForModel) => Promise<Outcome<OpenedSession>>;
}

export async function openAgent(start: AgentStart): Promise<Outcome<Agent>> {
  const { options, settings, artifacts } = start;
  if (options.preview === true) return fail("bad_request", "A preview does not use a model.");
  const models = start.models === undefined ? configuredModels(start) : { ...start.models, close: () => {} };
  const own = sessionModel(start);
  if (!own.ok) return own;
  const chosen = chooseChain(models, options.model ?? {}, own.value);
  if (!chosen.ok) return chosen;
  const { chain, notice } = chosen.value;
  const original = (id: string) => {
    const read = artifacts.read(id);
    return read.ok ? parseJson(new TextDecoder().decode(read.value)) : undefined;
  };
  const transcript = createTranscript({ system: systemPrompt, original });
  const listeners: ((event: Event) => void)[] = [(event) => transcript.fold(event)];
  let agent: Agent | undefined;
  let lent: SideModel | undefined;
  const opened = await start.open({
    watch(log) {
      foldLog(transcript, log);
      return watchLog(log, (event) => {
        for (const told of listeners) told(event);
      });
    },
    contextTokens: () => (agent?.chain ?? chain).models[0].profile.contextTokens,
    isRunning: () => agent?.isRunning ?? false,
    lent: () => lent,
  });
  if (!opened.ok) return opened;
  const { door, session, remarks } = opened.value;
  const context = createContextPolicy({
    ...session,
    door,
    transcript,
    platform: `${process.platform}-${process.arch}`,
    readText: readSmallText,
  });
  agent = createAgent({
    session,
    door,
    context,
    verifier: createVerifier({
      state: session.log.state,
      ids: session.runtime.ids,
      project: projectChecks(settings, start.workspace),
    }),
    notify: safeListener(options.onNotice ?? (() => {})),
    by: options.by ?? "person",
    chain,
    notices: [...(notice === undefined ? [] : [notice]), ...(await confinementNotice(session))],
    remarks,
    resolve: (need) => models.resolve(need),
    random: Math.random,
    released: models.close,
    listen: (told) => void listeners.push(told),
    lend: (model) => {
      lent = model;
    },
  });
  return ok(agent);
}

async function confinementNotice({ places: { home }, execution: { sandbox }, settings }: SessionParts) {
  const { enforces, detail } = sandbox.description;
  const why = enforces ? await whyDirect({ sandbox, settings }) : undefined;
  const direct = why === undefined ? [] : [directNotice(why)];
  if (enforces) return [...direct, ...takenBackNotice(sandbox.kept?.list()), ...signingNotice(home)];
  return [
    `Warning: no sandbox. Allowed commands run with your full permissions. ${detail} Gauntlet asks more often because of that.`,
  ];
}

function signingNotice(home: string): readonly string[] {
  const own = unlessTooLarge(() => [".gitconfig", ".config/git/config"].map((name) => readText(path.join(home, name))));
  const signs = /^\s*gpgsign\s*(?:=\s*(?:true|yes|on|1)\s*)?$/im;
  return own.ok && own.value.some((text) => signs.test(text))
    ? ["Commands cannot use your signing keys, so their commits and tags are not signed."]
    : [];
}

function sessionModel({ options: { session }, read }: AgentStart): Outcome<SessionModel | undefined> {
  if (session === undefined) return ok(undefined);
  const log = read(session);
  if (!log.ok) return log;
  try {
    return ok(modelOfSession(log.value));
  } catch (error) {
    return unreadable(error);
  } finally {
    log.value.close();
  }
}

const httpTimes = { connectMs: 30_000, idleMs: 600_000 };

type ModelPlaces = Pick<AgentStart, "settings" | "environment" | "workspace" | "clock">;

function configuredModels({ settings, environment, workspace, clock }: ModelPlaces) {
  const { fetch, close } = createHttpClient(httpTimes);
  const { resolve } = createModels({
    models: settings.models,
    environment,
    fetch,
    now: () => clock.now(),
    readScript: (name) => readSmallText(path.resolve(workspace, name)),
  });
  return { resolve, fetch, close };
}

export async function menuOf(start: {
  readonly door: DoorOptions;
  readonly model: ModelNeed | undefined;
  readonly policy: Policy;
  readonly machine: Machine;
  readonly places: Places;
  readonly environment: AgentStart["environment"];
}): Promise<Outcome<readonly MenuEntry[]>> {
  const { door, model, policy, machine, places, environment } = start;
  const { sandbox, settings, skills } = policy;
  const contextTokens = contextOf(model, { ...machine, settings, environment, workspace: places.workspace });
  if (!contextTokens.ok) return contextTokens;
  const entries = serversOf(settings, door);
  let offered: readonly Tool[] = [];
  if (entries.length > 0) {
    const { composeServers } = await import("../mcp/host/compose-servers.ts");
    const silent = { roots: () => [], record: () => true, notify: () => {}, redact: (text: string) => text };
    const world = { ...machine, ...policy, places, environment };
    offered = composeServers(world, { entries, ...silent, elicit: undefined }).tools();
  }
  const registry = createRegistry(policy.assemble(offered));
  const { deferAbove: above, deferShare: share } = settings.tools;
  const deferral = { loaded: [], contextTokens: contextTokens.value, above, share };
  return ok(
    registry.menu({
      mode: settings.mode,
      sandbox: sandbox.description,
      hasWorkspace: true,
      hasSkills: skills.some,
      deferral,
      deferring: registry.isDeferring(deferral),
    }),
  );
}

function contextOf(need: ModelNeed | undefined, places: ModelPlaces): Outcome<number> {
  const named = need?.wanted ?? places.settings.models.model;
  if (named !== undefined) {
    const profile = modelProfile(named, places.settings.models, need?.baseUrl);
    if (profile.ok) return ok(profile.value.contextTokens);
    return need?.wanted === undefined ? ok(Number.POSITIVE_INFINITY) : profile;
  }
  const models = configuredModels(places);
  const chain = models.resolve(need ?? {});
  models.close();
  return ok(chain.ok ? chain.value.models[0].profile.contextTokens : Number.POSITIVE_INFINITY);
}

export async function findUsableModels(
  environment: AgentStart["environment"],
  at: string | undefined,
): Promise<readonly FoundModel[]> {
  const { fetch, close } = createHttpClient(httpTimes);
  try {
    return at === undefined ? await findModels({ environment, fetch }) : await findModelsAt(at, fetch);
  } finally {
    close();
  }
}

export async function examineUsableModels(places: ModelPlaces): Promise<readonly DoctorCheck[]> {
  const { resolve, fetch, close } = configuredModels(places);
  const { environment, settings } = places;
  try {
    return await examineModels({ environment, models: settings.models, resolve, fetch });
  } finally {
    close();
  }
}

function projectChecks({ verification }: Settings, workspace: string): ProjectChecks {
  return {
    configured: verification.commands,
    script(name) {
      try {
        const { scripts } = JSON.parse(readSmallText(path.join(workspace, "package.json")) ?? "{}");
        return typeof scripts?.[name] === "string" ? scripts[name] : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
