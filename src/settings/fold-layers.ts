import type { RuleText, Settings, SettingsFile } from "../contract/settings.ts";
import { type Mode, modesByWidth } from "../contract/verdict.ts";
import { foldServers } from "./fold-servers.ts";
import type { Layer, ProjectOffer } from "./project-offers.ts";
import { absolutePath, hooksOf, type PathBases, ruleText } from "./resolve-setting.ts";
import { changedSince, type TrustRecord } from "./trust-store.ts";

export const defaultSettings = {
  mode: "default",
  sandbox: { backend: "auto", toolchains: [], passEnvironment: [] },
  transactions: { use: "auto", deleteLimit: 20, tryInPlan: false },
  network: { privateHosts: [] },
  limits: {
    turnChars: 200_000,
    commandTimeoutMs: 600_000,
    foregroundMs: 120_000,
    approvalMs: 900_000,
    storeBytes: 2 * 1024 ** 3,
  },
  context: { compactAt: 0.8, instructionBytes: 32_768 },
  tools: { deferAbove: 60, deferShare: 0.1 },
  log: { sync: "normal" },
} as const satisfies Pick<
  Settings,
  "mode" | "sandbox" | "transactions" | "network" | "limits" | "context" | "tools" | "log"
>;

/**
 * Strongest layer first. Rules, roots, denied paths and ignore globs add up. For everything else the strongest layer
 * with a value decides, and a project can only be stricter. A project's offer takes effect only with a trusted hash.
 */
export function foldLayers(
  layers: readonly Layer[],
  places: PathBases,
  trust: {
    readonly hashes: ReadonlySet<string>;
    readonly record: () => TrustRecord;
  },
): Omit<Settings, "layers"> {
  const trusted = layers.filter((layer) => layer.name !== "project").map((layer) => layer.file);
  const mode = foldMode(layers);
  const limits = foldLimits(layers, trusted);
  const section = <Name extends PlainSection>(name: Name): Settings[Name] => {
    const given: object[] = [defaultSettings[name], merged(trusted, name)];
    return Object.assign({}, ...given);
  };
  const sandbox = section("sandbox");
  const absolute = (written: string) => absolutePath(written, places);
  const collect = (pick: (file: SettingsFile) => readonly string[] | undefined) => [
    ...new Set(layers.flatMap((layer) => pick(layer.file) ?? [])),
  ];
  const isTrusted = ({ item }: ProjectOffer) => trust.hashes.has(item.hash) && item.refused === undefined;
  const accepted = (layer: Layer) => layer.offers.filter(isTrusted).map((offer) => offer.gives);
  const offers = layers.flatMap((layer) => layer.offers.map((offer) => withPlace(offer, layers)));
  const isThere = (hash: string) => offers.some(({ item }) => item.hash === hash);
  const changed = (offer: ProjectOffer) => changedSince(offer, trust.record(), isThere);
  const servers = foldServers(layers, { isTrusted, changed });
  const open = offers.filter((offer) => !isTrusted(offer));
  const untrusted = open.map((offer) => offer.item);
  const changedHooks = open.filter(({ gives }) => gives.hook !== undefined).flatMap(changed);
  return {
    rules: layers.flatMap((layer) => [...rulesOf(layer), ...accepted(layer).flatMap(({ rule }) => rule ?? [])]),
    mode: mode.value,
    modeCeiling: mode.ceiling,
    roots: [
      ...new Set([
        places.workspace,
        ...collect((file) => file.permissions?.additionalDirectories).map(absolute),
        ...layers.flatMap(accepted).flatMap(({ directory }) => directory ?? []),
      ]),
    ],
    deniedPaths: collect((file) => file.workspace?.deniedPaths).map(absolute),
    ignoreGlobs: collect((file) => file.workspace?.ignoreGlobs),
    sandbox: { ...sandbox, toolchains: sandbox.toolchains.map(absolute) },
    transactions: section("transactions"),
    // A project can only make it stricter.
    secrets: { hideCommitted: layers.some(({ file }) => file.secrets?.hideCommitted === true) },
    network: section("network"),
    limits: limits.value,
    models: foldModels(trusted),
    run: merged(trusted, "run"),
    context: section("context"),
    verification: { commands: trusted.flatMap((file) => file.verification?.commands ?? []) },
    log: section("log"),
    features: merged(trusted, "features"),
    servers: servers.inForce,
    idleServers: servers.idle,
    brokenServers: servers.broken,
    tools: section("tools"),
    hooks: layers.flatMap((layer) => [
      ...hooksOf(layer.file.hooks ?? {}, { layer: layer.name, origin: layer.path }),
      ...accepted(layer).flatMap(({ hook }) => hook ?? []),
    ]),
    trust: [...trust.hashes],
    untrusted,
    ...(changedHooks.length === 0 ? {} : { changedHooks }),
    trusted: offers.filter(isTrusted).map((offer) => offer.item),
    notices: [...mode.notices, ...limits.notices, ...servers.notices, ...untrustedNotice(untrusted)],
  };
}

/** A project's server with the name of a user's own server is covered by the user's rules about that name. */
function withPlace(offer: ProjectOffer, layers: readonly Layer[]): ProjectOffer {
  const { name } = offer.gives.server ?? {};
  const owner = layers.find((layer) => layer.name === "user");
  if (name === undefined || owner === undefined || !Object.hasOwn(owner.file.mcpServers ?? {}, name)) return offer;
  const { item } = offer;
  const note = `replaces your own ${name} of ${owner.path}; your rules about mcp__${name} apply to it`;
  return { ...offer, item: { ...item, lines: [...(item.lines ?? [item.text]), note] } };
}

const kinds = [
  ["allow_rule", "allow rule", "allow rules"],
  ["hook", "hook", "hooks"],
  ["directory", "directory", "directories"],
  ["mcp_server", "MCP server", "MCP servers"],
  ["skill", "skill", "skills"],
] as const;

function untrustedNotice(untrusted: Settings["untrusted"]): readonly string[] {
  const counted = kinds.flatMap(([kind, one, many]) => {
    const count = untrusted.filter((item) => item.kind === kind).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  if (counted.length === 0) return [];
  return [`Not trusted and not in effect in this project: ${counted.join(", ")}. \`gauntlet trust\` lists them.`];
}

/** A provider of a stronger layer replaces one of the same name as a whole. */
function foldModels(trusted: readonly SettingsFile[]): Settings["models"] {
  return {
    model: strongest(trusted, (file) => file.model),
    fallback: strongest(trusted, (file) => file.fallbackModels) ?? [],
    prefer: strongest(trusted, (file) => file.preferModel) ?? "order",
    effort: strongest(trusted, (file) => file.effort),
    providers: merged(trusted, "providers"),
  };
}

/** Sections in which every key is folded by itself: a new key needs its schema, a default and a meaning. */
type PlainSection = "sandbox" | "transactions" | "network" | "context" | "log" | "tools";

function merged<Name extends PlainSection | "run" | "features" | "providers">(
  files: readonly SettingsFile[],
  name: Name,
): NonNullable<SettingsFile[Name]> {
  return Object.assign({}, ...files.map((file) => file[name] ?? {}).reverse());
}

function strongest<Value>(
  files: readonly SettingsFile[],
  pick: (file: SettingsFile) => Value | undefined,
): Value | undefined {
  return files.map(pick).find((value) => value !== undefined);
}

function rulesOf(layer: Layer): RuleText[] {
  const { permissions = {} } = layer.file;
  return (["deny", "ask", "allow"] as const).flatMap((action) =>
    (permissions[action] ?? []).map((rule) => ruleText(rule, { action, layer: layer.name, origin: layer.path })),
  );
}

/** A managed mode is a ceiling. */
function foldMode(layers: readonly Layer[]): {
  readonly value: Mode;
  readonly ceiling?: Mode;
  readonly notices: readonly string[];
} {
  const set = layers.flatMap((layer) => {
    const mode = layer.name === "project" ? undefined : layer.file.permissions?.defaultMode;
    return mode === undefined ? [] : [{ layer, mode }];
  });
  const managed = set.find((entry) => entry.layer.name === "managed");
  const chosen = set.find((entry) => entry.layer.name !== "managed");
  if (managed === undefined) return { value: chosen?.mode ?? defaultSettings.mode, notices: [] };
  const ceiling = managed.mode;
  if (chosen === undefined) return { value: ceiling, ceiling, notices: [] };
  if (modesByWidth.indexOf(chosen.mode) <= modesByWidth.indexOf(ceiling)) {
    return { value: chosen.mode, ceiling, notices: [] };
  }
  return {
    value: ceiling,
    ceiling,
    notices: [
      `Mode ${chosen.mode} from ${chosen.layer.path} is not used: ${managed.layer.path} allows no more than ${ceiling}.`,
    ],
  };
}

function foldLimits(
  layers: readonly Layer[],
  trusted: readonly SettingsFile[],
): { readonly value: Settings["limits"]; readonly notices: readonly string[] } {
  const notices: string[] = [];
  const fold = (key: keyof Settings["limits"]): number => {
    const ceiling = strongest(trusted, (file) => file.limits?.[key]) ?? defaultSettings.limits[key];
    let value = ceiling;
    for (const layer of layers) {
      const asked = layer.name === "project" ? layer.file.limits?.[key] : undefined;
      if (asked === undefined) continue;
      if (asked <= ceiling) value = Math.min(value, asked);
      else
        notices.push(
          `limits.${key} ${asked} from ${layer.path} is not used: a project file can only lower ${ceiling}.`,
        );
    }
    return value;
  };
  const value = {
    turnChars: fold("turnChars"),
    commandTimeoutMs: fold("commandTimeoutMs"),
    foregroundMs: fold("foregroundMs"),
    approvalMs: fold("approvalMs"),
    storeBytes: fold("storeBytes"),
  };
  return { value, notices };
}
