import { fieldPath, isRecord, readJsonText } from "../../base/json.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ServerSetting } from "../../contract/server/server.ts";
import { invalid, type SettingsText } from "../../settings/parse-settings-text.ts";
import { readMcpFile } from "../../settings/read-mcp-file.ts";
import { readBefore } from "../../settings/read-own-file.ts";
import { withMember, withoutMember } from "./edit-json.ts";

export type ServerFileForm = "settings" | "mcp";

export function withServer(
  file: { readonly path: string; readonly text: string | undefined },
  form: ServerFileForm,
  added: { readonly name: string; readonly setting: ServerSetting },
): Outcome<string> {
  const { name, setting } = added;
  const { path, text } = file;
  if (text === undefined) return ok(`${JSON.stringify({ mcpServers: { [name]: setting } }, null, 2)}\n`);
  const names = serverNames({ path, text }, form);
  if (!names.ok) return names;
  if (names.value.includes(name)) {
    return fail("bad_request", `${path} has a server named ${name} already.`, {
      recovery: `Choose another name, or take it out first: gauntlet mcp remove ${name}`,
    });
  }
  return ok(withMember(text, ["mcpServers", name], setting));
}

export function withoutServer(file: SettingsText, form: ServerFileForm, name: string): Outcome<string> {
  const there = isThere(file, form, name);
  return there.ok ? ok(withoutMember(file.text, ["mcpServers", name])) : there;
}

export function withSwitched(
  file: SettingsText,
  form: ServerFileForm,
  { name, on }: { readonly name: string; readonly on: boolean },
): Outcome<string> {
  const there = isThere(file, form, name);
  if (!there.ok) return there;
  const json = readJsonText(file.text);
  const servers = json.ok && isRecord(json.value) ? json.value.mcpServers : undefined;
  const entry = isRecord(servers) ? servers[name] : undefined;
  if (!isRecord(entry)) {
    return invalid(file.path, [{ field: fieldPath("mcpServers", name), problem: "expected an object" }]);
  }
  if ((entry.disabled === true) === !on) return ok(file.text);
  const place = ["mcpServers", name, "disabled"];
  const without = withoutMember(file.text, place);
  return ok(on ? without : withMember(without, place, true));
}

function isThere(file: SettingsText, form: ServerFileForm, name: string): Outcome<void> {
  const names = serverNames(file, form);
  if (!names.ok) return names;
  if (names.value.includes(name)) return ok(undefined);
  return fail("bad_request", `${file.path} has no server named ${name}.`, {
    recovery: "`gauntlet mcp list` shows which there are, and where.",
  });
}

export function serverNames(file: SettingsText, form: ServerFileForm): Outcome<readonly string[]> {
  if (form === "mcp") {
    const read = readMcpFile(file);
    return read.ok ? ok(read.value.names) : read;
  }
  const read = readBefore(file.path, file.text);
  if (!read.ok) return read;
  const { mcpServers = {} } = read.value;
  return isRecord(mcpServers)
    ? ok(Object.keys(mcpServers))
    : invalid(file.path, [{ field: "mcpServers", problem: "expected an object with a server for each name" }]);
}
