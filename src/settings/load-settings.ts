import path from "node:path";
import { type Outcome, ok } from "../contract/codes.ts";
import { digestOf, sha256 } from "../contract/digest.ts";
import type { Environment } from "../contract/fill-variables.ts";
import type { LayerName, RuleText, Settings, SettingsFile } from "../contract/settings.ts";
import { visibleText } from "../contract/visible-text.ts";
import { isPlain } from "./command-line-settings.ts";
import { foldLayers } from "./fold-layers.ts";
import type { Layer } from "./layer.ts";
import type { NamedFiles } from "./named-files.ts";
import { narrowProjectFile } from "./narrow-project-file.ts";
import { parseSettingsText, type ReadText, readSettingsText, type SettingsText } from "./parse-settings-text.ts";
import { offersOf } from "./project-offers.ts";
import { readClaudeSettings } from "./read-claude-settings.ts";
import { readMcpFile } from "./read-mcp-file.ts";
import { settingsPaths } from "./settings-paths.ts";
import { readTrusted } from "./trust-file.ts";

export interface LoadOptions {
  readonly workspace: string;
  /** The person's home directory, for `~` in paths. */
  readonly home: string;
  /** Where the person's own settings are; `.gauntlet` in `home` when absent. */
  readonly gauntletHome?: string;
  readonly managedPath: string;
  /** What the command line, or an embedding program, asks for. */
  readonly commandLine: SettingsFile;
  readonly readText: ReadText;
  readonly hashFile: NamedFiles["hashFile"];
  /** For the variables that a project's servers name: where they lead is part of what is trusted. */
  readonly environment?: Environment;
  /** Why a rule could never be allowed from a project, even if somebody trusted it. */
  readonly checkRule?: (rule: RuleText) => string | undefined;
}

/** One file that cannot be relied on fails the whole: a deny rule in it must not be lost. */
export function loadSettings(options: LoadOptions): Outcome<Settings> {
  const { workspace, managedPath } = options;
  const paths = settingsPaths({ workspace, managedPath, gauntletHome: stateDirectoryOf(options) });
  const sources: readonly Outcome<LoadedLayer | undefined>[] = [
    loadLayer("managed", paths.managed, options),
    commandLineLayer(options.commandLine),
    loadLayer("user_project", paths.userProject, options),
    // In the home directory itself the project's file is the person's own, which is read below.
    paths.project === paths.user ? ok(undefined) : loadLayer("project", paths.project, options),
    loadLayer("project", paths.mcp, { ...options, readText: notEmpty(options.readText) }, readMcpFile),
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
  const layers = loaded.map((entry) => entry.layer);
  const pinned = layers.filter((layer) => layer.name !== "project").flatMap((layer) => layer.file.trust ?? []);
  const folded = foldLayers(layers, options, new Set([...accepted.value, ...pinned]));
  return ok({
    ...folded,
    layers: loaded.map(({ layer }) => ({ name: layer.name, path: layer.path, hash: layer.hash })),
    notices: [...loaded.flatMap((entry) => entry.notices), ...folded.notices],
  });
}

/** While a command runs, an empty file may stand where the project has none. */
export function notEmpty(readText: ReadText): ReadText {
  return (file) => readText(file) || undefined;
}

function stateDirectoryOf({ gauntletHome, home }: LoadOptions): string {
  return gauntletHome ?? path.join(home, ".gauntlet");
}

interface LoadedLayer {
  readonly layer: Layer;
  readonly notices: readonly string[];
}

interface ReadFile {
  readonly file: SettingsFile;
  readonly ignored: readonly string[];
  readonly notes: readonly string[];
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
  const hash = sha256(text.value.text);
  if (name !== "project") {
    return ok({ layer: { name, path: file, hash, file: parsed.value.file, offers: [] }, notices: [] });
  }
  const { file: kept, offered, dropped } = narrowProjectFile(parsed.value.file);
  const { hashFile, environment = {}, checkRule = () => undefined } = options;
  const stateDirectory = stateDirectoryOf(options);
  const context = { places: options, stateDirectory, origin: file, hashFile, environment, checkRule };
  const offers = offersOf(offered, context);
  return ok({
    layer: { name, path: file, hash, file: kept, offers },
    notices: [
      ...narrowedNotice(file, [...dropped, ...parsed.value.ignored]),
      ...parsed.value.notes.map((note) => visibleText(`${file}: ${note}`)),
    ],
  });
}

function readOwnFile(text: SettingsText): Outcome<ReadFile> {
  const parsed = parseSettingsText(text);
  return parsed.ok ? ok({ file: parsed.value, ignored: [], notes: [] }) : parsed;
}

function narrowedNotice(file: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [visibleText(`${file}: a project file can only narrow; not used: ${names.join(", ")}`)];
}

/** An embedding program hands over an object: whatever no flag says is held to the same schema as a file. */
function commandLineLayer(given: SettingsFile): Outcome<LoadedLayer | undefined> {
  if (saysNothing(given)) return ok(undefined);
  const parsed = isPlain(given) ? ok(given) : parseSettingsText({ path: "command line", text: JSON.stringify(given) });
  if (!parsed.ok) return parsed;
  const place = { name: "command_line", path: "command line" } as const;
  return ok({ layer: { ...place, hash: digestOf(given), file: parsed.value, offers: [] }, notices: [] });
}

function saysNothing(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.values(value).every(saysNothing);
}
