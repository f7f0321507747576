export type JsonSchema = Readonly<Record<string, unknown>>;

export const toolFamilies = ["file", "search", "terminal", "artifact", "session", "network", "agent", "other"] as const;
export type ToolFamily = (typeof toolFamilies)[number];
export type ToolRisk = "read" | "write" | "execute" | "network" | "delegate";
/** Where a definition came from. Outside sources are untrusted: they can tighten, never loosen. */
export type ToolSource = "builtin" | "package" | "mcp" | "skill";
export type Ownership = "managed" | "mcp" | "custom";
