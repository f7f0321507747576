import { isRecord, readJsonText } from "../base/json.ts";
import { type Outcome, ok } from "../contract/codes.ts";
import { serverSetting } from "../contract/server/server.ts";
import { type SettingsFile, settingsFile } from "../contract/settings.ts";
import { inspectWith, invalid, type ReadFile, type SettingsText } from "./parse-settings-text.ts";
import { readServers } from "./read-servers.ts";

interface OwnFile extends ReadFile {
  /** The servers as written, if one of them is invalid. */
  readonly asWritten?: { readonly mcpServers: unknown };
}

/** An invalid server is left out. Any other error fails the file: a deny rule in it must not be lost. */
export function readOwnFile({ path, text }: SettingsText): Outcome<OwnFile> {
  const whole = inspectWith(settingsFile(), text);
  if (whole.ok) return ok({ file: whole.value, notes: [], broken: [] });
  const json = readJsonText(text);
  if (!json.ok || !isRecord(json.value)) return invalid(path, whole.problems);
  const { mcpServers, ...others } = json.value;
  const policy = settingsFile().safeParse(others, { jitless: true });
  if (!policy.success || mcpServers === undefined) return invalid(path, whole.problems);
  const asWritten = { mcpServers };
  if (!isRecord(mcpServers)) {
    return ok({
      file: policy.data,
      notes: ["mcpServers is not an object, so no server is read"],
      broken: [],
      asWritten,
    });
  }
  const schema = serverSetting();
  const entries = Object.entries(mcpServers).map(([name, value]) => ({ name, value, schema }));
  const { servers, broken } = readServers(entries, { path, placeOf: json.placeOf });
  return ok({ file: { ...policy.data, mcpServers: servers }, notes: [], broken, asWritten });
}

/** For writing the file again: invalid servers are kept as written. */
export function readBefore(
  path: string,
  text: string | undefined,
): Outcome<Omit<SettingsFile, "mcpServers"> & { readonly mcpServers?: unknown }> {
  if (text === undefined) return ok({});
  const read = readOwnFile({ path, text });
  return read.ok ? ok({ ...read.value.file, ...read.value.asWritten }) : read;
}

export function withModel(path: string, before: string | undefined, model: string): Outcome<string> {
  const read = readBefore(path, before);
  return read.ok ? ok(`${JSON.stringify({ ...read.value, model }, null, 2)}\n`) : read;
}

export function addAllowRules(path: string, before: string | undefined, rules: readonly string[]): Outcome<string> {
  const read = readBefore(path, before);
  if (!read.ok) return read;
  const { permissions = {}, ...others } = read.value;
  const allow = permissions.allow ?? [];
  const known = new Set(allow.map((rule) => (typeof rule === "string" ? rule : undefined)));
  const added = rules.filter((rule) => !known.has(rule));
  if (added.length === 0 && before !== undefined) return ok(before);
  const changed = { ...others, permissions: { ...permissions, allow: [...allow, ...added] } };
  return ok(`${JSON.stringify(changed, null, 2)}\n`);
}
