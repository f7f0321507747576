import path from "node:path";
import { lazy } from "../base/async.ts";
import { digestOf, sha256 } from "../base/digest.ts";
import { visibleText } from "../base/text.ts";
import { type Outcome, ok } from "../contract/codes.ts";
import { type Environment, fillVariables } from "../contract/server/fill-variables.ts";
import type { ServerEntry } from "../contract/server/server.ts";
import type { BrokenServer, LayerName, RuleText, Settings, SettingsFile } from "../contract/settings.ts";
import { isPlain } from "./command-line-settings.ts";
import { foldLayers } from "./fold-layers.ts";
import { narrowProjectFile } from "./narrow-project-file.ts";
import { readOwnFile } from "./own-file.ts";
import {
  parseSettingsText,
  type ReadFile,
  type ReadText,
  readSettingsText,
  type SettingsText,
} from "./parse-settings-text.ts";
import { type Layer, type OfferContext, offersOf } from "./project-offers.ts";
import { readClaudeSettings } from "./read-claude-settings.ts";
import { mostServers, readMcpFile, tooMany } from "./read-mcp-file.ts";
import { brokenNotices } from "./read-servers.ts";
import { settingsPaths } from "./settings-paths.ts";
import { readTrusted, readTrustRecord } from "./trust-store.ts";

export interface LoadOptions {
  readonly workspace: string;
  readonly home: string;
  /** By default `.gauntlet` in `home`. */
  readonly gauntletHome?: string;
  readonly managedPath: string;
  readonly commandLine: SettingsFile;
  readonly readText: ReadText;
  readonly findFile: OfferContext["findFile"];
  /** The values of variables that a project's servers name are part of what is trusted. */
  readonly environment?: Environment;
  /** Why a project's rule can never take effect, even when trusted. */
  readonly checkRule?: (rule: RuleText) => string | undefined;
}

/** An invalid file fails the whole: a deny rule in it must not be lost. `.mcp.json` has no rules and loses only its servers. */
export function loadSettings(options: LoadOptions): Outcome<Settings> {
  const { workspace, managedPath } = options;
  const paths = settingsPaths({ workspace, managedPath, gauntletHome: stateDirectoryOf(options) });
  const sources: readonly Outcome<LoadedLayer | undefined>[] = [
    loadLayer("managed", paths.managed, options),
    commandLineLayer(options.commandLine),
    loadLayer("user_project", paths.userProject, options),
    // In the home directory the project's file is the user's own file, which is read below.
    paths.project === paths.user ? ok(undefined) : loadLayer("project", paths.project, options),
    ok(loadMcpLayer(paths.mcp, options)),
    loadLayer("project", paths.claudeProject, options, readClaudeSettings),
    loadLayer("project", paths.claudeLocal, options, readClaudeSettings),
    loadLayer("user", paths.user, options),
  ];
  const loaded: LoadedLayer[] = [];
  for (const source of sources) {
    if (!source.ok) return source;
    if (source.value !== undefined) loaded.push(source.value);
  }
  const accepted = readTrusted(paths.trust, options.readText);
  if (!accepted.ok) return accepted;
  const layers = loaded.flatMap((entry) => entry.layer ?? []);
  const pinned = layers.filter((layer) => layer.name !== "project").flatMap((layer) => layer.file.trust ?? []);
  const folded = foldLayers(layers, options, {
    hashes: new Set([...accepted.value, ...pinned]),
    record: lazy(() => readTrustRecord(paths.trust, options.readText)),
  });
  return ok({
    ...folded,
    brokenServers: [...folded.brokenServers, ...loaded.flatMap(({ lost }) => lost ?? [])],
    layers: layers.map(({ name, path, hash }) => ({ name, path, hash })),
    notices: [
      ...loaded.flatMap((entry) => entry.notices),
      ...folded.notices,
      ...folded.servers.flatMap((entry) => unusable(entry, options.environment)),
    ],
  });
}

/** While a command runs, an empty file may be mounted where the project has none. */
export function notEmpty(readText: ReadText): ReadText {
  return (file) => readText(file) || undefined;
}

function stateDirectoryOf({ gauntletHome, home }: LoadOptions): string {
  return gauntletHome ?? path.join(home, ".gauntlet");
}

interface LoadedLayer {
  readonly layer?: Layer;
  readonly lost?: BrokenServer;
  readonly notices: readonly string[];
}

function loadLayer(
  name: Exclude<LayerName, "command_line">,
  file: string,
  options: LoadOptions,
  parse: (text: SettingsText) => Outcome<ReadFile> = readOwnFile,
): Outcome<LoadedLayer | undefined> {
  const text = readSettingsText(file, options.readText);
  if (!text.ok) return text;
  if (text.value === undefined) return ok(undefined);
  const parsed = parse(text.value);
  if (!parsed.ok) return parsed;
  const { ignored = [], broken = [], notes } = parsed.value;
  const place = { name, path: file, hash: sha256(text.value.text), broken };
  const told = [...notes.map((note) => visibleText(`${file}: ${note}`)), ...brokenNotices(file, broken)];
  if (name !== "project") {
    return ok({ layer: { ...place, file: parsed.value.file, offers: [] }, notices: told });
  }
  const { file: kept, offered, dropped } = narrowProjectFile(parsed.value.file);
  const all = Object.entries(offered.servers);
  const servers = all.slice(0, mostServers);
  const { environment = {}, readText, findFile, checkRule = () => undefined } = options;
  const stateDirectory = stateDirectoryOf(options);
  const context = { places: options, stateDirectory, origin: file, findFile, environment, readText, checkRule };
  return ok({
    layer: { ...place, file: kept, offers: offersOf({ ...offered, servers: Object.fromEntries(servers) }, context) },
    notices: [
      ...narrowedNotice(file, [...dropped, ...ignored]),
      ...told,
      ...tooMany(all.length).map((note) => `${file}: ${note}`),
    ],
  });
}

function loadMcpLayer(file: string, options: LoadOptions): LoadedLayer | undefined {
  const loaded = loadLayer("project", file, { ...options, readText: notEmpty(options.readText) }, readMcpFile);
  if (loaded.ok) return loaded.value;
  const problem = loaded.failure.message;
  const notices = [`${problem}. None of its MCP servers is used. Fix it or move it aside.`];
  return { lost: { origin: file, problem }, notices };
}

/** Reported at the start, not at the first call. */
function unusable(entry: ServerEntry, environment: Environment | undefined): readonly string[] {
  if (environment === undefined || !JSON.stringify(entry.setting).includes("${")) return [];
  const filled = fillVariables(entry, environment);
  return filled.ok ? [] : [`${filled.failure.message} ${filled.failure.recovery ?? ""}`.trim()];
}

function narrowedNotice(file: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [visibleText(`${file}: a project file can only restrict; ignored: ${names.join(", ")}`)];
}

/** An embedding program passes an object, which is held to the same schema as a file. */
function commandLineLayer(given: SettingsFile): Outcome<LoadedLayer | undefined> {
  if (saysNothing(given)) return ok(undefined);
  const parsed = isPlain(given) ? ok(given) : parseSettingsText({ path: "command line", text: JSON.stringify(given) });
  if (!parsed.ok) return parsed;
  const place = { name: "command_line", path: "command line" } as const;
  return ok({ layer: { ...place, hash: digestOf(given), file: parsed.value, offers: [], broken: [] }, notices: [] });
}

function saysNothing(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.values(value).every(saysNothing);
}
