import path from "node:path";
import { digestOf } from "../contract/digest.ts";
import { isInside } from "../contract/path-scope.ts";
import type { HookSetting, RuleText, UntrustedItem } from "../contract/settings.ts";
import { visibleText } from "../contract/visible-text.ts";
import { absolutePath, type Places } from "./absolute-path.ts";
import { hooksOf } from "./hooks-of.ts";
import { type Binding, type NamedFiles, namedFiles } from "./named-files.ts";
import type { OfferedSettings } from "./narrow-project-file.ts";
import { ruleText } from "./rule-text.ts";

/** One item of a project file that would run or widen, with what it becomes once it is trusted. */
export interface Offer {
  readonly item: UntrustedItem;
  readonly gives: { readonly rule?: RuleText; readonly hook?: HookSetting; readonly directory?: string };
}

export interface OfferContext {
  readonly places: Places;
  /** Where the offer stands. */
  readonly origin: string;
  readonly hashFile: NamedFiles["hashFile"];
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
    const binding = namedFiles(hook.handler, { workspace: places.workspace, hashFile: context.hashFile });
    const files = binding.ok ? binding.files : [];
    const definition = hash("hook", hook.event, hook.matcher ?? null, hook.handler, files);
    const item = { kind: "hook", origin, text: oneLine(hookText(hook, files)), hash: definition } as const;
    return { item: refusedIf(item, unbound(binding)), gives: { hook } };
  });
  const directories = offered.additionalDirectories.map((written): Offer => {
    const directory = absolutePath(written, places);
    const item = { kind: "directory", origin, text: oneLine(directory), hash: hash("directory", written) } as const;
    const home = isInside(places.home, directory) ? "it holds the home directory" : undefined;
    return { item: refusedIf(item, home), gives: { directory } };
  });
  return [...rules, ...hooks, ...directories];
}

type BoundFiles = Extract<Binding, { readonly ok: true }>["files"];

function refusedIf(item: UntrustedItem, refused: string | undefined): UntrustedItem {
  return refused === undefined ? item : { ...item, refused };
}

function unbound(binding: Binding): string | undefined {
  if (binding.ok) return undefined;
  return oneLine(`what it would run cannot be held to what it is now: ${binding.why}; a script of the project can`);
}

function hookText({ event, matcher, handler }: HookSetting, files: BoundFiles): string {
  const { type: _, command, args = [], ...options } = handler;
  const said = Object.entries(options).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const bound = files.map(([file]) => `with ${file} as it is now`);
  const notes = [...said, ...bound];
  const words = [command, ...args.map((word) => JSON.stringify(word))].join(" ");
  const scope = matcher === undefined ? event : `${event} on ${matcher}`;
  return `${scope}: ${words}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`;
}

function oneLine(text: string): string {
  return visibleText(text).replace(/\r?\n/g, "\\n").replaceAll("\t", "\\t");
}
