import { digestOf } from "./digest.ts";

/** Who a tool of a server is, whatever a menu calls it. */
export interface ToolIdentity {
  readonly server: string;
  /** In the server's own spelling. */
  readonly tool: string;
}

export const longestMenuName = 64;
const digits = 8;

/** As the server spells it. */
export function exactName({ server, tool }: ToolIdentity): string {
  return `mcp__${server}__${tool}`;
}

/** With characters replaced that no model takes. Several tools may come to the same. */
export function plainName(identity: ToolIdentity): string {
  return exactName(identity).replace(/[^A-Za-z0-9_-]/g, "_");
}

/** With a part of its hash in the place of what is too long. */
export function hashedName(identity: ToolIdentity): string {
  const { server, tool } = identity;
  const start = plainName(identity).slice(0, longestMenuName - digits - 1);
  return `${start}_${digestOf([server, tool]).slice(0, digits)}`;
}
