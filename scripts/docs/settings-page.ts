import { z } from "zod";
import { settingsFile } from "../../src/contract/settings.ts";
import { defaultSettings } from "../../src/settings/fold-layers.ts";
import { settingMeanings } from "./setting-meanings.ts";

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Every key of a settings file with its type, its default and its meaning. */
export function settingsPage(): string {
  const rows = keysOf(z.toJSONSchema(settingsFile(), { io: "input" }) as Schema).map(({ key, type }) => {
    const meaning = settingMeanings[key];
    if (meaning === undefined) throw new Error(`the setting ${key} has no explanation in setting-meanings.ts`);
    return `| \`${key}\` | ${type} | ${defaultOf(key)} | ${meaning} |`;
  });
  return `${[
    "# Settings",
    "<!-- Made by `npm run docs` from src/contract/settings.ts and scripts/docs/setting-meanings.ts. Do not edit. -->",
    "Settings are JSON files in layers, strongest first: `/etc/gauntlet/policy.json`, the command line, `~/.gauntlet/projects/<hash>/settings.json`, `.gauntlet/settings.json` in the project, `~/.gauntlet/settings.json`. An unknown key is an error. The JSON schema is [settings.schema.json](settings.schema.json).",
    ["| Key | Type | Default | Meaning |", "|---|---|---|---|", ...rows].join("\n"),
  ].join("\n\n")}\n`;
}

function keysOf({ properties = {} }: Schema, before = ""): readonly { readonly key: string; readonly type: string }[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const key = before + name;
    if (name === "$schema") return [];
    if (schema.properties !== undefined && key !== "hooks") return keysOf(schema, `${key}.`);
    return [{ key, type: schema.enum?.map((value) => `\`${value}\``).join(", ") ?? schema.type ?? "" }];
  });
}

function defaultOf(key: string): string {
  if (key === "permissions.defaultMode") return `\`${defaultSettings.mode}\``;
  const value = key.split(".").reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), defaultSettings);
  return value === undefined || Array.isArray(value) ? "" : `\`${JSON.stringify(value).replaceAll('"', "")}\``;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
