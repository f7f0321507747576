import path from "node:path";
import type { LayerName, RuleText, Settings, SettingsFile } from "../contract/settings.ts";
import { type Mode, modesByWidth } from "../contract/verdict.ts";
import { defaultSettings } from "./default-settings.ts";

export interface Layer {
  readonly name: LayerName;
  readonly path: string;
  readonly hash: string;
  readonly file: SettingsFile;
}

export interface Places {
  readonly workspace: string;
  readonly home: string;
}

/**
 * Strongest layer first. Rules, roots, denied paths and ignore globs add up; for everything else the
 * strongest layer that says something decides, and a project can only go below that.
 */
export function foldLayers(layers: readonly Layer[], places: Places): Omit<Settings, "layers"> {
  const trusted = layers.filter((layer) => layer.name !== "project").map((layer) => layer.file);
  const mode = foldMode(layers);
  const limits = foldLimits(layers, trusted);
  const absolute = (written: string) => absolutePath(written, places);
  const collect = (pick: (file: SettingsFile) => readonly string[] | undefined) => [
    ...new Set(layers.flatMap((layer) => pick(layer.file) ?? [])),
  ];
  return {
    rules: layers.flatMap(rulesOf),
    mode: mode.value,
    ...(mode.ceiling === undefined ? {} : { modeCeiling: mode.ceiling }),
    roots: [
      ...new Set([places.workspace, ...collect((file) => file.permissions?.additionalDirectories).map(absolute)]),
    ],
    deniedPaths: collect((file) => file.workspace?.deniedPaths).map(absolute),
    ignoreGlobs: collect((file) => file.workspace?.ignoreGlobs),
    sandbox: {
      backend: strongest(trusted, (file) => file.sandbox?.backend) ?? defaultSettings.sandbox.backend,
      toolchains: (strongest(trusted, (file) => file.sandbox?.toolchains) ?? defaultSettings.sandbox.toolchains).map(
        absolute,
      ),
      passEnvironment:
        strongest(trusted, (file) => file.sandbox?.passEnvironment) ?? defaultSettings.sandbox.passEnvironment,
    },
    limits: limits.value,
    log: { sync: strongest(trusted, (file) => file.log?.sync) ?? defaultSettings.log.sync },
    features: Object.assign({}, ...trusted.map((file) => file.features ?? {}).reverse()),
    hooks: [],
    untrusted: [],
    notices: [...mode.notices, ...limits.notices],
  };
}

function strongest<Value>(
  files: readonly SettingsFile[],
  pick: (file: SettingsFile) => Value | undefined,
): Value | undefined {
  for (const file of files) {
    const value = pick(file);
    if (value !== undefined) return value;
  }
  return undefined;
}

function rulesOf(layer: Layer): RuleText[] {
  const { deny = [], ask = [], allow = [] } = layer.file.permissions ?? {};
  const lists = [
    ["deny", deny],
    ["ask", ask],
    ["allow", allow],
  ] as const;
  return lists.flatMap(([action, rules]) =>
    rules.map((rule): RuleText => {
      const { rule: text, match = [], noMatch = [] } = typeof rule === "string" ? { rule } : rule;
      return { text, action, layer: layer.name, origin: layer.path, match, noMatch };
    }),
  );
}

/** A managed mode is a ceiling: whoever asks for less gets less, whoever asks for more does not get it. */
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

type Limits = Settings["limits"];

function foldLimits(
  layers: readonly Layer[],
  trusted: readonly SettingsFile[],
): { readonly value: Limits; readonly notices: readonly string[] } {
  const notices: string[] = [];
  const fold = (key: keyof Limits): number => {
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

function absolutePath(written: string, { workspace, home }: Places): string {
  if (written === "~") return home;
  if (written.startsWith("~/")) return path.join(home, written.slice(2));
  return path.resolve(workspace, written);
}
