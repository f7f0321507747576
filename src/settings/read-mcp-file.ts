import { z } from "zod";
import { type Outcome, ok } from "../contract/codes.ts";
import { remoteServer, serverName, serverSetting, stdioServer } from "../contract/server.ts";
import type { SettingsFile } from "../contract/settings.ts";
import { parseWith, type SettingsText } from "./parse-settings-text.ts";

export interface McpFile {
  readonly file: SettingsFile;
  readonly ignored: readonly string[];
  /** What other programs wrote there and we do not use. */
  readonly notes: readonly string[];
}

/**
 * `.mcp.json`, which many programs write. Their own keys are left alone and named; an entry that cannot be read
 * without guessing is an error.
 */
export function readMcpFile(text: SettingsText): Outcome<McpFile> {
  // Ours, put there to keep the name free while a command runs, or left behind by a process that died.
  if (text.text.trim() === "") return ok({ file: {}, ignored: [], notes: [] });
  const outline = parseWith(z.looseObject({ mcpServers: z.exactOptional(z.record(z.string(), z.unknown())) }), text);
  if (!outline.ok) return outline;
  const { mcpServers: written = {}, ...others } = outline.value;
  const entries = Object.entries(written).map(([name, value]) => ({ name, ...ownKeys(value) }));
  const notes = [
    ...Object.keys(others).map((key) => `${JSON.stringify(key)} means nothing here`),
    ...entries.flatMap(({ name, unknown }) =>
      unknown.map((key) => `${JSON.stringify(key)} of the server ${JSON.stringify(name)} means nothing here`),
    ),
  ];
  const schema = entries.map(({ name, known }) => [name, z.preprocess(() => known, serverSetting())] as const);
  const parsed = parseWith(z.looseObject({ mcpServers: z.exactOptional(z.object(Object.fromEntries(schema))) }), text);
  if (!parsed.ok) return parsed;
  const mcpServers: NonNullable<SettingsFile["mcpServers"]> = {};
  for (const [name, setting] of Object.entries(parsed.value.mcpServers ?? {})) {
    const fits = serverName().safeParse(name);
    if (fits.success) mcpServers[name] = setting;
    else notes.push(`the server ${JSON.stringify(name)} is not used: ${fits.error.issues[0]?.message ?? ""}`);
  }
  return ok({ file: { mcpServers }, ignored: [], notes });
}

/** What other programs call a kind of server that we know by another name. */
const otherNames: ReadonlyMap<unknown, string> = new Map([
  ["streamableHttp", "streamable-http"],
  ["streamable_http", "streamable-http"],
  ["websocket", "ws"],
]);

function ownKeys(written: unknown): { readonly known: unknown; readonly unknown: readonly string[] } {
  if (typeof written !== "object" || written === null || Array.isArray(written)) return { known: written, unknown: [] };
  const { type: given, ...entry }: { readonly type?: unknown } = written;
  const type = otherNames.get(given) ?? given;
  const isRemote = "url" in entry && (type === undefined ? !("command" in entry) : type !== "stdio");
  const { shape } = isRemote ? remoteServer() : stdioServer();
  const [known, unknown] = [true, false].map((wanted) =>
    Object.entries(entry).filter(([key]) => Object.hasOwn(shape, key) === wanted),
  );
  return {
    // An address without a kind is what most programs write for plain HTTP.
    known: {
      ...(type !== undefined ? { type } : isRemote ? { type: "http" } : {}),
      ...Object.fromEntries(known ?? []),
    },
    unknown: (unknown ?? []).map(([key]) => key),
  };
}
