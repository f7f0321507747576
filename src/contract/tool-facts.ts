export type JsonSchema = Readonly<Record<string, unknown>>;

export const toolFamilies = ["file", "search", "terminal", "artifact", "session", "network", "agent", "other"] as const;
export type ToolFamily = (typeof toolFamilies)[number];
export type ToolRisk = "read" | "write" | "execute" | "network" | "delegate";
/** Where a definition came from. Outside sources are untrusted: they can tighten, never loosen. */
export type ToolSource = "builtin" | "package" | "mcp" | "skill";
export type Ownership = "managed" | "mcp" | "custom";

export interface MenuEntry {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly family: ToolFamily;
  readonly risks: readonly ToolRisk[];
  readonly source: ToolSource;
  readonly ownership: Ownership;
  readonly aliases: readonly string[];
  readonly schemaHash: string;
  readonly inputSchema: JsonSchema;
  readonly searchHint?: string;
  readonly bytes: number;
  readonly visible: boolean;
  readonly deferrable: boolean;
  readonly loaded: boolean;
  readonly hiddenBecause?: string;
}

export const menuForCommands = "/etc/gauntlet/managed-tools.json";
