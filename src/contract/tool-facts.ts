export type JsonSchema = Readonly<Record<string, unknown>>;

export const toolFamilies = ["file", "search", "terminal", "artifact", "session", "network", "agent", "other"] as const;
export type ToolFamily = (typeof toolFamilies)[number];
export type ToolRisk = "read" | "write" | "execute" | "network" | "delegate";
/** Where a definition came from. Outside sources are untrusted: they can tighten, never loosen. */
export type ToolSource = "builtin" | "package" | "mcp" | "skill";
export type Ownership = "managed" | "mcp" | "custom";

/** One tool as a model or a person is shown it. */
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
  /** Bytes of name, description and schema as a model would be sent them. */
  readonly bytes: number;
  readonly visible: boolean;
  /** It may be left out of what a model is shown when there are many. */
  readonly deferrable: boolean;
  /** Its schema goes to the model. Otherwise its name alone does, until `tool_search` brings it. */
  readonly loaded: boolean;
  readonly hiddenBecause?: string;
}

/** Where a command finds a copy of what is offered. */
export const menuForCommands = "/etc/gauntlet/managed-tools.json";
