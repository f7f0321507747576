import { isRecord, readJsonText } from "../base/json.ts";
import { visibleText } from "../base/text.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { ServerSetting } from "../contract/server/server.ts";
import { problemsUnder } from "./parse-settings-text.ts";
import { sharedEntry } from "./read-mcp-file.ts";

const example = `For example: '{"command": "docs-server", "args": ["--stdio"]}'`;

/**
 * An entry as descriptions of servers have it: the object itself, or the whole `mcpServers` with that one in it. What
 * is wrong is said without the text, which may hold a secret.
 */
export function readJsonEntry(
  name: string,
  text: string,
): Outcome<{ readonly setting: ServerSetting; readonly notes: readonly string[] }> {
  const json = readJsonText(text);
  if (!json.ok) {
    const { line, column } = json.place;
    return fail("bad_request", `The entry is no JSON: ${json.problem} (line ${line}, column ${column}).`, {
      recovery: example,
    });
  }
  const { value, schema, unknown } = sharedEntry(insideOf(name, json.value));
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const problems = problemsUnder(["mcpServers", name], parsed.error.issues);
    const words = problems.map(({ field, problem }) =>
      visibleText(`${field.replace(/^mcpServers\./, "")}: ${problem}`),
    );
    return fail("bad_request", `The entry is no server.\n${words.slice(0, 5).join("\n")}`, { recovery: example });
  }
  const notes = unknown.map((key) => visibleText(`${JSON.stringify(key)} means nothing here, and is left out`));
  return ok({ setting: parsed.data, notes });
}

function insideOf(name: string, value: unknown): unknown {
  if (!isRecord(value) || "command" in value || "url" in value) return value;
  const servers = value.mcpServers ?? value;
  if (!isRecord(servers)) return value;
  const [only, ...others] = Object.values(servers);
  return servers[name] ?? (others.length === 0 && isRecord(only) ? only : value);
}
