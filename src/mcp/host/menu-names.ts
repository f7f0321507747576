import { digestOf } from "../../contract/digest.ts";

export interface ToolIdentity {
  readonly server: string;
  /** In the server's own spelling. */
  readonly tool: string;
}

const longestName = 64;
const digits = 8;

/**
 * `mcp__server__tool` for each, with characters replaced that no model takes. Names depend on the set of tools and not
 * on their order: of several that would get the same one, the tool that is really called so keeps it, and the others
 * carry a part of their hash, as do names that are too long.
 */
export function menuNames(tools: readonly ToolIdentity[]): readonly string[] {
  const rivals = new Map<string, number>();
  for (const identity of tools) {
    const name = plainName(identity);
    rivals.set(name, (rivals.get(name) ?? 0) + 1);
  }
  const exact = new Map<string, number>();
  for (const name of tools.map(exactName)) exact.set(name, (exact.get(name) ?? 0) + 1);
  return tools.map((identity) => {
    const name = plainName(identity);
    const keeps = rivals.get(name) === 1 || (exactName(identity) === name && exact.get(name) === 1);
    return keeps && name.length <= longestName ? name : withHash(name, identity);
  });
}

/** Could the name on a menu be that of a tool of this server? */
export function mayBelongTo(name: string, server: string): boolean {
  return name.startsWith(`mcp__${server}__`);
}

function exactName({ server, tool }: ToolIdentity): string {
  return `mcp__${server}__${tool}`;
}

function plainName(identity: ToolIdentity): string {
  return exactName(identity).replace(/[^A-Za-z0-9_-]/g, "_");
}

function withHash(name: string, { server, tool }: ToolIdentity): string {
  return `${name.slice(0, longestName - digits - 1)}_${digestOf([server, tool]).slice(0, digits)}`;
}
