import { isRecord } from "../base/json.ts";
import { plainText } from "../base/text.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";

export interface ParsedSkill {
  readonly name: string;
  readonly description: string;
  readonly allowedTools?: readonly string[];
  readonly compatibility?: string;
  readonly body: string;
  readonly warnings: readonly string[];
}

const frontMatter = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??---[ \t]*(?:\r?\n|$)/;
const opening = /^\uFEFF?---[ \t]*\r?\n/;
const plainName = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const longest = { name: 64, description: 1024, compatibility: 500, frontMatter: 16 * 1024 } as const;

/** `key: value` has seven pieces with the end of its line. */
const mostPieces = 1_000;

export async function parseSkill(text: string, folder: string): Promise<Outcome<ParsedSkill>> {
  const found = frontMatter.exec(text);
  if (found === null) {
    const unclosed = "The front matter of SKILL.md is not closed: end it with a line of ---.";
    const absent = "SKILL.md must begin with front matter between two lines of ---.";
    return fail("bad_request", opening.test(text) ? unclosed : absent);
  }
  const fields = await readFields(found[1] ?? "");
  if (!fields.ok) return fields;
  const field = (key: string) => fields.value.get(key);
  const [name, description, compatibility] = [field("name"), field("description"), field("compatibility")];
  const tools = field("allowed-tools");
  if (isRecord(name) || Array.isArray(name)) return fail("bad_request", "The name in SKILL.md is not a string.");
  // Ignoring the field would allow all tools.
  if (tools !== undefined && tools !== null && typeof tools !== "string" && !Array.isArray(tools)) {
    return fail("bad_request", "The allowed-tools in SKILL.md must be a list of names.");
  }
  if (typeof description !== "string" || description.trim() === "") {
    return fail("bad_request", "SKILL.md has no description.");
  }
  return ok({
    name: folder,
    description: bounded(description, longest.description),
    allowedTools: toolNames(tools),
    compatibility: typeof compatibility === "string" ? bounded(compatibility, longest.compatibility) : undefined,
    body: text.slice(found[0].length),
    warnings: oddities(name, description, folder),
  });
}

/** Fields are read as written: aliases and nested maps may expand without limit. */
async function readFields(text: string): Promise<Outcome<ReadonlyMap<string, unknown>>> {
  if (text.length > longest.frontMatter)
    return fail("bad_request", "The front matter of SKILL.md is longer than 16 KiB.");
  const { isAlias, isMap, isScalar, isSeq, Lexer, parseDocument } = await import("yaml");
  const written = (node: unknown): unknown => {
    if (isSeq(node)) return node.items.map((item) => (isScalar(item) ? item.value : undefined));
    return isScalar(node) ? node.value : node;
  };
  try {
    let pieces = 0;
    for (const _ of new Lexer().lex(text))
      if (++pieces > mostPieces)
        return fail("bad_request", "The front matter of SKILL.md has more than 1,000 pieces of YAML.");
    // The parser's own check of keys takes quadratic time.
    const document = parseDocument(text, { uniqueKeys: false, schema: "core", version: "1.2", logLevel: "error" });
    const [problem] = document.errors;
    if (problem !== undefined) return noYaml(problem);
    if (!isMap(document.contents)) return fail("bad_request", "The front matter of SKILL.md must be a map of fields.");
    const fields = new Map<string, unknown>();
    for (const { key, value } of document.contents.items) {
      // The alias may mean allowed-tools, and ignoring that field would allow all tools.
      if (isAlias(key)) return fail("bad_request", "The front matter of SKILL.md has an alias as the name of a field.");
      if (!isScalar(key)) continue;
      const name = String(key.value);
      if (fields.has(name)) return fail("bad_request", `The front matter of SKILL.md has two fields ${shown(name)}.`);
      fields.set(name, written(value));
    }
    return ok(fields);
  } catch (error) {
    return noYaml(error);
  }
}

function noYaml(error: unknown): Outcome<never> {
  return fail("bad_request", `The front matter of SKILL.md is not valid YAML: ${plainText(yamlProblem(error))}`);
}

function yamlProblem(error: unknown): string {
  const [first = ""] = error instanceof Error ? error.message.split("\n") : [];
  const words = first.replace(/ at line (\d+), column (\d+):?$/, (_, line, column) => {
    return ` at line ${Number(line) + 1}, column ${column}`;
  });
  const isNested = isRecord(error) && error.code === "BLOCK_AS_IMPLICIT_KEY";
  return isNested ? `${words}. Put a text that contains ": " in quotes.` : words;
}

function oddities(name: unknown, description: string, folder: string): readonly string[] {
  return [
    ...(name === folder ? [] : [`its name field says ${shown(name)}; the folder name is used`]),
    ...(plainName.test(folder) && folder.length <= longest.name
      ? []
      : ["its name has characters other than a-z, 0-9 and -"]),
    ...(description.length <= longest.description ? [] : ["its description is longer than 1,024 characters"]),
  ];
}

function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(bounded(value, longest.name)) : String(value ?? null);
}

/** Patterns are not enforced, so `Read Bash(git:*)` names two whole tools. */
function toolNames(value: unknown): readonly string[] | undefined {
  const text = Array.isArray(value) ? value.filter((item) => typeof item === "string").join(" ") : value;
  if (typeof text !== "string") return undefined;
  const names = withoutPatterns(text).split(/[\s,]+/);
  return [...new Set(names.filter((name) => name !== ""))];
}

function withoutPatterns(text: string): string {
  let depth = 0;
  return Array.from(text, (character) => {
    if (character === "(") depth += 1;
    if (character === ")") depth = Math.max(0, depth - 1);
    return depth > 0 ? "" : character === ")" ? " " : character;
  }).join("");
}

function bounded(text: string, most: number): string {
  return plainText(text).replace(/\s+/g, " ").trim().slice(0, most);
}
