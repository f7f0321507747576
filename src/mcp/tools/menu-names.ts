import { exactName, hashedName, longestMenuName, plainName, type ToolIdentity } from "../../contract/server/server.ts";

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

export function mayBelongTo(name: string, server: string): boolean {
  return name.startsWith(`mcp__${server}__`);
}
