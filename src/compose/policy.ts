import path from "node:path";
import { digestOf } from "../base/digest.ts";
import { type DoorOptions, passesOn } from "../contract/app/door.ts";
import type { SkillLibrary } from "../contract/app/skill.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { ClassifierPort, Gate } from "../contract/gate.ts";
import type { Sandbox } from "../contract/ports.ts";
import type { ServerEntry } from "../contract/server/server.ts";
import { heldName, type Settings, type SettingsFile } from "../contract/settings.ts";
import type { Tool } from "../contract/tool.ts";
import { closedToReading } from "../effects/classify-path.ts";
import { createGate } from "../gate/gate.ts";
import { type CompiledHook, compileHooks } from "../gate/hooks/compile-hooks.ts";
import type { GatePolicy } from "../gate/policy.ts";
import { loadPolicy } from "../history/policy/load-policy.ts";
import type { TriedPolicy } from "../history/policy/try-policy.ts";
import { readSmallText, readText, unlessTooLarge } from "../host/files/read-small-text.ts";
import { outerTree } from "../host/git/work-trees.ts";
import type { Places } from "../host/state/find-places.ts";
import { menuDirectory, menuFile } from "../host/state/menu-catalogue.ts";
import { findFile } from "../host/state/trust.ts";
import { admitPackage, type ToolPackage } from "../registry/admit-package.ts";
import { assembleTools, type ToolAssembly } from "../registry/assemble.ts";
import { createRegistry } from "../registry/registry.ts";
import { createSandbox } from "../sandbox/create-sandbox.ts";
import type { Machine } from "../session/recover.ts";
import type { SecretStandings } from "../session/secret-standings.ts";
import { commandLineSettings } from "../settings/command-line-settings.ts";
import type { LoadOptions } from "../settings/load-settings.ts";
import { settingsPaths } from "../settings/settings-paths.ts";
import { createSkillLibrary } from "../skills/skill-library.ts";
import { builtinTools } from "../tools/index.ts";
import { passingTools, serverTools } from "../tools/server/index.ts";
import { composeGatePolicy, skillPlaces } from "./gate.ts";

export interface Policy extends SecretStandings {
  readonly settings: Settings;
  readonly gate: Gate;
  readonly gatePolicy: GatePolicy;
  readonly compiledHooks: readonly CompiledHook[];
  readonly sandbox: Sandbox;
  readonly assemble: (offered: readonly Tool[]) => ToolAssembly;
  readonly skills: SkillLibrary;
  readonly isInForce: (entry: ServerEntry) => boolean;
}

export interface PolicyParts {
  readonly places: Places;
  readonly machine: Machine;
  readonly managedPath: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly settings?: SettingsFile;
  readonly packages?: readonly ToolPackage[];
  readonly classifier?: ClassifierPort;
}

export interface Policies {
  settings(door: DoorOptions): Outcome<Settings>;
  of(door: DoorOptions, settings?: Outcome<Settings>): Promise<Outcome<Policy>>;
  tried(workspace: string, text?: string): Outcome<Omit<TriedPolicy, "setsMode">>;
}

export function composePolicies(parts: PolicyParts): Policies {
  const { environment, machine, managedPath, places } = parts;

  function load(options: Places & Pick<LoadOptions, "commandLine" | "readText">): Outcome<Settings> {
    return loadPolicy({ ...options, managedPath, environment, findFile }, machine.clock.now());
  }

  function settingsFor(door: DoorOptions): Outcome<Settings> {
    const commandLine = commandLineSettings(parts.settings ?? {}, door);
    const loaded = load({ ...places, commandLine, readText: readSmallText });
    if (!loaded.ok) return loaded;
    const settings = withRegistry(withRepository(loaded.value, places), places);
    if (door.oneCall !== true) return ok(settings);
    const { limits } = settings;
    return ok({ ...settings, limits: { ...limits, foregroundMs: limits.commandTimeoutMs } });
  }

  function triedPolicy(workspace: string, text?: string): Outcome<Omit<TriedPolicy, "setsMode">> {
    const where = { ...places, workspace };
    const { user, userProject } = settingsPaths({ ...where, managedPath });
    const readText = (file: string) => {
      if (text === undefined || (file !== user && file !== userProject)) return readSmallText(file);
      return file === user ? text : undefined;
    };
    const settings = load({ ...where, commandLine: {}, readText });
    if (!settings.ok) return settings;
    const rulings = rulingsFor(settings.value, where);
    if (!rulings.ok) return rulings;
    const gone = machine.metadata.lstat(workspace)?.kind !== "directory";
    const registry = createRegistry(rulings.value.assemble([]));
    const { gate, skills, standing } = rulings.value;
    const { metadata, gitObjects } = machine;
    return ok({
      settings: settings.value,
      gate,
      tools: { registry, skills },
      places: { home: where.home, stateDirectory: where.gauntletHome, metadata, gitObjects, standing },
      gone,
    });
  }

  function rulingsFor(
    settings: Settings,
    where: Places,
    door: DoorOptions = {},
  ): Outcome<Omit<Policy, "sandbox" | "isInForce">> {
    const composed = composeGatePolicy(settings, where, machine, parts.classifier);
    if (!composed.ok) return composed;
    const { gatePolicy, ...standings } = composed.value;
    const { hooks, problems } = compileHooks(settings.hooks, where, gatePolicy);
    if (problems.length > 0) {
      return fail("bad_request", `The hooks cannot be used: ${problems.join("; ")}`, {
        recovery: "Correct or remove these hooks.",
      });
    }
    const gate = createGate(gatePolicy);
    const wanted = ({ source }: Tool) => door.sources?.includes(source) ?? true;
    const servers = serversOf(settings, door).map(({ name }) => name);
    const forServers = passesOn(door)
      ? passingTools(settings.limits)
      : serverTools(settings.limits, servers).filter(wanted);
    const assemble = (offered: readonly Tool[]) =>
      assembleTools({
        base: [...builtinTools(settings.limits).filter(wanted), ...(servers.length > 0 ? forServers : [])],
        merged: [...(parts.packages ?? []).flatMap(admitPackage), ...offered].filter(wanted),
        features: settings.features,
        denied: (name) => gate.bareDenied(name),
      });
    const skills = createSkillLibrary(skillPlaces(settings, where));
    return ok({ settings, skills, gate, gatePolicy, ...standings, compiledHooks: hooks, assemble });
  }

  async function policyFor(door: DoorOptions, settings = settingsFor(door)): Promise<Outcome<Policy>> {
    if (!settings.ok) return settings;
    const rulings = rulingsFor(settings.value, places, door);
    if (!rulings.ok) return rulings;
    const sandbox = await createSandbox({
      ...settings.value.sandbox,
      environment,
      workspaceRoots: settings.value.roots,
      closedNames: settings.value.secrets.hideCommitted ? closedToReading : [],
      coverOf: rulings.value.coverOf,
      home: places.home,
      claims: machine.claims,
      scan: machine.scan,
      ...viewPlaces(settings.value, places),
      cache: path.join(places.gauntletHome, "cache", digestOf(places.workspace).slice(0, 16)),
      menu: path.join(places.gauntletHome, menuDirectory(places.workspace), menuFile),
    });
    const isInForce = (entry: ServerEntry) => {
      if (door.servers?.includes(entry) === true) return true;
      const now = settingsFor(door);
      return now.ok && now.value.servers.some((one) => digestOf(one) === digestOf(entry));
    };
    return sandbox.ok ? ok({ ...rulings.value, sandbox: sandbox.value, isInForce }) : sandbox;
  }

  return { settings: settingsFor, of: policyFor, tried: triedPolicy };
}

function viewPlaces({ transactions }: Settings, { gauntletHome }: Places) {
  if (transactions.use === "off") return {};
  const memory = `/dev/shm/gauntlet-${process.getuid?.() ?? 0}`;
  const stores = [path.join(gauntletHome, "transactions"), transactions.directory ?? [], memory].flat();
  return { views: { stores, trash: path.join(gauntletHome, "trash") } };
}

export function serversOf(settings: Settings, door: DoorOptions): readonly ServerEntry[] {
  const own = (door.servers ?? []).filter(({ name }) => heldName(name, settings) === undefined);
  const others = settings.servers.filter(({ name }) => !own.some((entry) => entry.name === name));
  return [...others, ...own].filter(({ setting }) => setting.disabled !== true);
}

function withRepository(settings: Settings, { workspace, home }: Places): Settings {
  const repository = outerTree(workspace, { roots: settings.roots, home });
  return repository === undefined ? settings : { ...settings, repository, roots: [...settings.roots, repository] };
}

function withRegistry(settings: Settings, { workspace, home }: Places): Settings {
  for (const directory of [workspace, settings.repository ?? workspace, home]) {
    const text = unlessTooLarge(() => readText(path.join(directory, ".npmrc")));
    const [, written = ""] = (text.ok && /^\s*registry\s*=\s*(\S+)/m.exec(text.value)) || [];
    if (!URL.canParse(written)) continue;
    const { hostname: host, port } = new URL(written);
    return { ...settings, npmRegistry: { host, ...(port && { port: Number(port) }) } };
  }
  return settings;
}
