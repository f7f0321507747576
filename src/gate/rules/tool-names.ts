import { ruleSpellings as spellings } from "../../contract/tool-names.ts";

const canonical: ReadonlyMap<string, string> = new Map(
  spellings.flatMap((names) => names.map((name) => [name, names[0] ?? name] as const)),
);

export const knownToolNames: readonly string[] = [...canonical.keys()];

const families: Readonly<Record<string, readonly string[]>> = {
  read: ["read", "glob", "grep", "list"],
  edit: ["edit", "multi_edit", "write", "patch", "move", "delete"],
  delete: ["delete"],
};

export function spellingsOf(name: string): readonly string[] {
  return spellings.find((names) => names.includes(name)) ?? [name];
}

export function canonicalTool(name: string): string {
  return canonical.get(name) ?? name;
}

export function namesTool(
  names: readonly string[],
  tool: { readonly name: string; readonly aliases: readonly string[] },
): boolean {
  return [tool.name, ...tool.aliases].some((name) => names.includes(name) || names.includes(canonicalTool(name)));
}

export function isKnownTool(name: string): boolean {
  return canonical.has(name);
}

export function toolFamily(name: string): readonly string[] {
  const own = canonicalTool(name);
  return Object.hasOwn(families, own) ? (families[own] ?? [own]) : [own];
}
