import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { isRecord } from "../../contract/is-record.ts";
import { plainText } from "../../contract/plain-text.ts";

export interface ParsedSkill {
  readonly name: string;
  readonly description: string;
  readonly allowedTools?: readonly string[];
  readonly compatibility?: string;
  /** What follows the front matter. */
  readonly body: string;
  readonly warnings: readonly string[];
}

const frontMatter = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const plainName = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const longest = { name: 64, description: 1024, compatibility: 500 } as const;

/** A lenient reader: only what makes a skill unusable fails, and everything else that is odd is said. */
export async function parseSkill(text: string, folder: string): Promise<Outcome<ParsedSkill>> {
  const found = frontMatter.exec(text);
  if (found === null) return fail("bad_request", "SKILL.md does not begin with front matter between two lines of ---.");
  const fields = await readFields(found[1] ?? "");
  if (!fields.ok) return fields;
  const { name, description, compatibility } = fields.value;
  if (typeof description !== "string" || description.trim() === "") {
    return fail("bad_request", "SKILL.md has no description.");
  }
  const allowed = toolNames(fields.value["allowed-tools"]);
  return ok({
    name: folder,
    description: bounded(description, longest.description),
    ...(allowed === undefined ? {} : { allowedTools: allowed }),
    ...(typeof compatibility === "string" ? { compatibility: bounded(compatibility, longest.compatibility) } : {}),
    body: text.slice(found[0].length),
    warnings: oddities(name, description, folder),
  });
}

/** Loaded with the first skill: most workspaces have none. */
async function readFields(text: string): Promise<Outcome<Readonly<Record<string, unknown>>>> {
  const { parse } = await import("yaml");
  try {
    const value: unknown = parse(text, { maxAliasCount: 10, schema: "core", version: "1.2", logLevel: "error" });
    return isRecord(value) ? ok(value) : fail("bad_request", "The front matter of SKILL.md is no list of fields.");
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : "";
    return fail("bad_request", `The front matter of SKILL.md is no YAML: ${plainText(why)}`);
  }
}

function oddities(name: unknown, description: string, folder: string): readonly string[] {
  return [
    ...(name === folder ? [] : [`it calls itself ${JSON.stringify(name ?? null)}, and its folder counts`]),
    ...(plainName.test(folder) && folder.length <= longest.name ? [] : ["its name is not written a-z, 0-9 and -"]),
    ...(description.length <= longest.description ? [] : ["its description is longer than 1,024 characters"]),
  ];
}

/** `Read Bash(git:*)` names two tools. A pattern would have to be held to, so the whole tool is meant. */
function toolNames(value: unknown): readonly string[] | undefined {
  const text = Array.isArray(value) ? value.join(" ") : value;
  if (typeof text !== "string") return undefined;
  const names = text.replace(/\([^)]*\)/g, " ").split(/[\s,]+/);
  return [...new Set(names.filter((name) => name !== ""))];
}

/** In one line: it stands in lists and in what a model is shown. */
function bounded(text: string, most: number): string {
  return plainText(text).replace(/\s+/g, " ").trim().slice(0, most);
}
