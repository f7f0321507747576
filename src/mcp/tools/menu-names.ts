import { exactName, hashedName, longestMenuName, plainName, type ToolIdentity } from "../../contract/server/server.ts";

/**
 * `mcp__server__tool` for each, with characters replaced that no model takes. Names depend on the set of tools and not
 * on their order: of several that would get the same one, the tool that is really called so keeps it, and the others
 * carry a part of their hash, as do names that are too long. Names can still be the same, since a server may look for
 * parts that are: whoever puts them on a menu offers none of those.
 */
export function menuNames(tools: readonly ToolIdentity[]): readonly string[] {
  const plain = tools.map(plainName);
  const exact = tools.map(exactName);
  const rivals = counted(plain);
  const namesakes = counted(exact);
  return tools.map((identity, at) => {
    const name = plain[at] ?? "";
    const keeps = rivals.get(name) === 1 || (exact[at] === name && namesakes.get(name) === 1);
    return keeps && name.length <= longestMenuName ? name : hashedName(identity);
  });
}

function counted(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Could the name on a menu be that of a tool of this server? */
export function mayBelongTo(name: string, server: string): boolean {
  return name.startsWith(`mcp__${server}__`);
}
