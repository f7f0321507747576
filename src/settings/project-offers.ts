import path from "node:path";
import { digestOf } from "../contract/digest.ts";
import type { Environment } from "../contract/fill-variables.ts";
import { describeFetch } from "../contract/package-source.ts";
import { isInside } from "../contract/path-scope.ts";
import type { ServerEntry, ServerSetting } from "../contract/server.ts";
import type { HookSetting, RuleText, UntrustedItem } from "../contract/settings.ts";
import { visibleText } from "../contract/visible-text.ts";
import { absolutePath, type Places } from "./absolute-path.ts";
import { namedFiles } from "./hook-files.ts";
import { hooksOf } from "./hooks-of.ts";
import type { Binding, BoundFiles, NamedFiles } from "./named-files.ts";
import type { OfferedSettings } from "./narrow-project-file.ts";
import type { ReadText } from "./parse-settings-text.ts";
import { ruleText } from "./rule-text.ts";
import { serverFiles } from "./server-files.ts";
import { commandText, serverCommand, serverWishes } from "./server-words.ts";
import { trustName } from "./trust-name.ts";

/** One item of a project file that would run or widen, with what it becomes once it is trusted. */
export interface Offer {
  readonly item: UntrustedItem;
  readonly gives: {
    readonly rule?: RuleText;
    readonly hook?: HookSetting;
    readonly directory?: string;
    readonly server?: ServerEntry;
  };
  /** Is it by this name that trust in an earlier form of it was written down? */
  readonly isFormer?: (was: string) => boolean;
  /** Its hash if the files that it covers were these. */
  readonly hashWith?: (files: BoundFiles) => string;
}

export interface OfferContext {
  readonly places: Places;
  /** Ours, with the person's settings and keys in it. */
  readonly stateDirectory: string;
  /** Where the offer stands. */
  readonly origin: string;
  readonly hashFile: NamedFiles["hashFile"];
  readonly environment: Environment;
  readonly readText: ReadText;
  /** Why a rule can never be allowed from a project. */
  readonly checkRule: (rule: RuleText) => string | undefined;
}

/** Item by item, each bound to everything that it says. */
export function offersOf(offered: OfferedSettings, context: OfferContext): readonly Offer[] {
  const { origin, places } = context;
  const place = path.relative(places.workspace, origin);
  const hash = (...definition: readonly unknown[]) => `sha256:${digestOf([place, ...definition])}`;
  const rules = offered.allow.map((written): Offer => {
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
  const hooks = hooksOf(offered.hooks, { layer: "project", origin }).map((hook): Offer => {
    const binding = namedFiles(hook.handler, { ...context, workspace: places.workspace });
    const files = binding.ok ? binding.files : [];
    const hashWith = (covered: BoundFiles) => hash("hook", hook.event, hook.matcher ?? null, hook.handler, covered);
    const text = oneLine(hookText(hook, files));
    const item = {
      kind: "hook",
      origin,
      text,
      hash: hashWith(files),
      ...(binding.ok ? { bound: files } : {}),
    } as const;
    const words = trustName("hook", oneLine(hookWords(hook)));
    const isFormer = (was: string) => was === words || was.startsWith(`${words} (`);
    return { item: refusedIf(item, unbound(binding)), gives: { hook }, isFormer, hashWith };
  });
  const directories = offered.additionalDirectories.map((written): Offer => {
    const directory = absolutePath(written, places);
    const item = { kind: "directory", origin, text: oneLine(directory), hash: hash("directory", written) } as const;
    const home = isInside(places.home, directory) ? "it holds the home directory" : undefined;
    return { item: refusedIf(item, home), gives: { directory } };
  });
  const servers = Object.entries(offered.servers).map(([name, setting]): Offer => {
    const binding = serverFiles(setting, { ...context, workspace: places.workspace });
    const files = binding.ok ? binding.files : [];
    const hashWith = (covered: BoundFiles) => hash("mcp_server", name, setting, covered);
    const download = describeFetch(setting, places.workspace, { ...context, home: places.home });
    const wishes = serverWishes(setting, { workspace: places.workspace, isProjects: true });
    const all = [
      `${name}: ${serverCommand(setting)}`,
      ...wishes,
      ...bound(files),
      ...(download === undefined ? [] : [download]),
    ];
    const lines = all.map(oneLine);
    const item = {
      kind: "mcp_server",
      origin,
      text: asOneLine(lines),
      lines,
      hash: hashWith(files),
      bound: files,
    } as const;
    const refused = unbound(binding) ?? tooWide(setting, context);
    const isFormer = (was: string) => was.startsWith(`mcp server ${name}: `);
    return { item: refusedIf(item, refused), gives: { server: { name, setting, origin } }, isFormer, hashWith };
  });
  return [...rules, ...hooks, ...directories, ...servers];
}

/** A project's server sees neither the whole home directory nor what we keep for the person. */
function tooWide(setting: ServerSetting, { places, stateDirectory }: OfferContext): string | undefined {
  if (!("command" in setting)) return undefined;
  const { read = [], write = [] } = setting.sandbox ?? {};
  for (const directory of [...read, ...write].map((written) => absolutePath(written, places))) {
    if (isInside(places.home, directory)) return `it wants ${oneLine(directory)}, which holds the home directory`;
    if (isInside(directory, stateDirectory)) return `it wants ${oneLine(directory)}, which is ours`;
  }
  return undefined;
}

function refusedIf(item: UntrustedItem, refused: string | undefined): UntrustedItem {
  return refused === undefined ? item : { ...item, refused };
}

function unbound(binding: Binding): string | undefined {
  if (binding.ok) return undefined;
  const instead = binding.byScript === true ? "; a script of the project can" : "";
  return oneLine(`what it would run cannot be held to what it is now: ${binding.why}${instead}`);
}

function hookText(hook: HookSetting, files: BoundFiles): string {
  const { type: _, command: __, args: ___, ...options } = hook.handler;
  return `${hookWords(hook)}${notesText(options, bound(files))}`;
}

function hookWords({ event, matcher, handler: { command, args = [] } }: HookSetting): string {
  return `${matcher === undefined ? event : `${event} on ${matcher}`}: ${commandText(command, args)}`;
}

function asOneLine([first = "", ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} (${others.join("; ")})`;
}

function bound(files: BoundFiles): readonly string[] {
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
