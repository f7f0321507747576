import type { SessionSummary } from "../../contract/store.ts";

type Kind = "string" | "number" | "boolean";

const kinds: Readonly<Record<keyof SessionSummary, Kind>> = {
  id: "string",
  workspace: "string",
  task: "string",
  createdAt: "string",
  updatedAt: "string",
  status: "string",
  imported: "boolean",
  events: "number",
  intents: "number",
  changed: "number",
  bytes: "number",
  head: "string",
};

/** From JSON; `undefined` when it is not all of a summary, as a version writes it that told less. */
export function readSummary(text: string): SessionSummary | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isSummary(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Has it all of a summary, each of its kind? */
export function isSummary(value: unknown): value is SessionSummary {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(kinds).every(([key, kind]) => typeof Reflect.get(value, key) === kind);
}
