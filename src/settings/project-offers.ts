import path from "node:path";
import { digestOf } from "../base/digest.ts";
import { visibleText } from "../base/text.ts";
import type { UntrustedItem } from "../contract/app/skill.ts";
import { isInside } from "../contract/effect.ts";
import { createFiller, type Environment } from "../contract/server/fill-variables.ts";
import type { ServerEntry, ServerSetting, StdioServer } from "../contract/server/server.ts";
import type { BrokenServer, HookSetting, LayerName, RuleText, SettingsFile } from "../contract/settings.ts";
import { type CoveredFiles, type findFile, namedFiles, notCovered, trustHash } from "../host/state/trust.ts";
import type { OfferedSettings } from "./narrow-project-file.ts";
import { describeFetch } from "./package-launch.ts";
import type { ReadText } from "./parse-settings-text.ts";
import { absolutePath, hooksOf, type PathBases, ruleText } from "./resolve-setting.ts";
import { commandText, serverCommand, serverWishes } from "./server-words.ts";
import { type TrustedBefore, trustName } from "./trust-store.ts";

/** An item of a project file that needs trust, and what it gives once trusted. */
export interface ProjectOffer extends TrustedBefore {
  readonly gives: {
    readonly rule?: RuleText;
    readonly hook?: HookSetting;
    readonly directory?: string;
    readonly server?: ServerEntry;
  };
}

export interface Layer {
  readonly name: LayerName;
  readonly path: string;
  readonly hash: string;
  readonly file: SettingsFile;
  readonly offers: readonly ProjectOffer[];
  readonly broken: readonly BrokenServer[];
}

export interface OfferContext {
  readonly places: PathBases;
  /** Holds the user's settings and keys. */
  readonly stateDirectory: string;
  readonly origin: string;
  readonly findFile: typeof findFile;
  readonly environment: Environment;
  readonly readText: ReadText;
  readonly checkRule: (rule: RuleText) => string | undefined;
}

export function offersOf(offered: OfferedSettings, context: OfferContext): readonly ProjectOffer[] {
  const { origin, places } = context;
  const place = path.relative(places.workspace, origin);
  const hash = (...definition: readonly unknown[]) => `sha256:${digestOf([place, ...definition])}`;
  const rules = offered.allow.map((written): ProjectOffer => {
    const rule: RuleText = { ...ruleText(written, { action: "allow", layer: "project", origin }), trusted: true };
    const ends = rule.expires === undefined ? "" : ` (expires ${rule.expires})`;
    const item = {
      kind: "allow_rule",
      origin,
      text: oneLine(rule.text + ends),
      hash: hash("allow_rule", written),
    } as const;
    return { item: refusedIf(item, context.checkRule(rule)), gives: { rule } };
  });
  const budget = { names: mostNames };
  const { workspace } = places;
  const { fill } = createFiller(context.environment);
  const covered = (texts: readonly string[], base = workspace) =>
    namedFiles(texts, { base, workspace, find: context.findFile, budget });
  const hooks = hooksOf(offered.hooks, { layer: "project", origin }).map((hook): ProjectOffer => {
    const { event, matcher = null, handler } = hook;
    const files = covered([handler.command, ...(handler.args ?? [])]);
    const hashWith = (bound: CoveredFiles) => trustHash([place, "hook", event, matcher, handler], bound);
    const text = oneLine(hookText(hook, files ?? []));
    const item = { kind: "hook", origin, text, ...sealed(hashWith, files), notCovered } as const;
    const words = trustName("hook", oneLine(hookWords(hook)));
    const isFormer = (was: string) => was === words || was.startsWith(`${words} (`);
    return { item: refusedIf(item, files ? undefined : tooMuch), gives: { hook }, isFormer, hashWith };
  });
  const directories = offered.additionalDirectories.map((written): ProjectOffer => {
    const directory = absolutePath(written, places);
    const item = { kind: "directory", origin, text: oneLine(directory), hash: hash("directory", written) } as const;
    const home = isInside(places.home, directory) ? "it contains the home directory" : undefined;
    return { item: refusedIf(item, home), gives: { directory } };
  });
  const servers = Object.entries(offered.servers).map(([name, setting]): ProjectOffer => {
    const program = "command" in setting ? setting : undefined;
    const found = program && covered(textsOf(program, fill), absolutePath(fill(program.cwd ?? "."), places));
    const files = program === undefined ? [] : found?.filter(([file]) => !isOwnData(file, program, places));
    const hashWith = (bound: CoveredFiles) => trustHash([place, "mcp_server", name, setting], bound);
    const download = describeFetch(setting, places.workspace, { ...context, home: places.home });
    const wishes = serverWishes(setting, { workspace: places.workspace, isProjects: true });
    const lines = [
      `${name}: ${serverCommand(setting)}`,
      ...wishes,
      ...asNow(files ?? []),
      ...(download === undefined ? [] : [download]),
    ].map(oneLine);
    const item = {
      ...({ kind: "mcp_server", origin, text: asOneLine(lines), lines } as const),
      ...sealed(hashWith, files),
      ...(program === undefined ? {} : { notCovered }),
    };
    const refused = files ? tooWide(setting, context) : tooMuch;
    const isFormer = (was: string) => was.startsWith(`mcp server ${name}: `);
    return { item: refusedIf(item, refused), gives: { server: { name, setting, origin } }, isFormer, hashWith };
  });
  return [...rules, ...hooks, ...directories, ...servers];
}

/** For all entries of one settings file, at every start. */
const mostNames = 20_000;
const tooMuch = "it names more files than trust can cover";

function sealed(hashWith: (files: CoveredFiles) => string, bound: CoveredFiles = []) {
  return { hash: hashWith(bound), bound };
}

function textsOf({ command, args = [], env = {} }: StdioServer, fill: (text: string) => string): readonly string[] {
  return [command, ...args, ...Object.values(env)].map(fill);
}

const kept =
  /\.(?:db3?|sqlite3?|s3db|duckdb|lmdb|mdb|(?:db|sqlite3?)-(?:wal|shm|journal)|logs?|jsonl|ndjson|json|csv|tsv|txt|md|parquet|arrow|faiss|hnsw|png|jpe?g|webp|gif|pdf|har|lock|pid|tmp|bak|cache)$/i;

/** A data file that the server may write is not covered: its first call would end the trust. */
function isOwnData(file: string, { sandbox }: StdioServer, places: PathBases): boolean {
  const place = path.resolve(places.workspace, file);
  const writes = (written: string) => isInside(place, absolutePath(written, places));
  return kept.test(file) && sandbox?.write?.some(writes) === true;
}

function tooWide(setting: ServerSetting, { places, stateDirectory }: OfferContext): string | undefined {
  if (!("command" in setting)) return undefined;
  const { read = [], write = [] } = setting.sandbox ?? {};
  for (const directory of [...read, ...write].map((written) => absolutePath(written, places))) {
    if (isInside(places.home, directory)) return `it requests ${oneLine(directory)}, which contains the home directory`;
    if (isInside(directory, stateDirectory))
      return `it requests ${oneLine(directory)}, the state directory of Gauntlet`;
  }
  return undefined;
}

function refusedIf(item: UntrustedItem, refused: string | undefined): UntrustedItem {
  return refused === undefined ? item : { ...item, refused };
}

function hookText(hook: HookSetting, files: CoveredFiles): string {
  const { type: _, command: __, args: ___, ...options } = hook.handler;
  return `${hookWords(hook)}${notesText(options, asNow(files))}`;
}

function hookWords({ event, matcher, handler: { command, args = [] } }: HookSetting): string {
  return `${matcher === undefined ? event : `${event} on ${matcher}`}: ${commandText(command, args)}`;
}

function asOneLine([first = "", ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} (${others.join("; ")})`;
}

function asNow(files: CoveredFiles): readonly string[] {
  return files.map(([file]) => `with ${file} as it is now`);
}

function notesText(options: Readonly<Record<string, unknown>>, others: readonly string[]): string {
  const said = Object.entries(options).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const notes = [...said, ...others];
  return notes.length === 0 ? "" : ` (${notes.join(", ")})`;
}

function oneLine(text: string): string {
  return visibleText(text).replace(/\r?\n/g, "\\n").replaceAll("\t", "\\t");
}
