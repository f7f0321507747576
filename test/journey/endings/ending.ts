import { z } from "zod";
import type { Code, Phase } from "../../../src/contract/codes.ts";
import type { Observation } from "../../../src/contract/observation.ts";
import { defineTool, type ToolDefinition } from "../../../src/contract/tool.ts";
import type { Workspace } from "../../support/workspace.ts";

export const read = (file: string) => ({ tool: "read", input: { path: file } });
export const edit = (from: string, to: string) => ({
  tool: "edit",
  input: { path: "a.txt", old_string: from, new_string: to },
});
export const write = { tool: "write", input: { path: "new.txt", content: "made\n" } };
export const bash = (command: string, more: object = {}) => ({ tool: "bash", input: { command, ...more } });

/** A tool of the test's own that touches nothing outside the session. */
export function probe(more: Partial<ToolDefinition<Record<string, never>>> = {}) {
  return defineTool<Record<string, never>>({
    name: "probe",
    version: "1",
    description: "Does what the test says.",
    family: "other",
    risks: ["read"],
    input: z.strictObject({}),
    effects: () => ({ effects: [{ op: "session", what: "probe" }] }),
    run: async () => ({ ok: true, data: {} }),
    ...more,
  });
}
export const callProbe = { tool: "probe", input: {} };

export interface Ending {
  readonly why: string;
  readonly code: Code;
  readonly phase: Phase;
  readonly happened: Observation["effects"]["happened"];
  /** Files may be different afterwards. */
  readonly touches?: boolean;
  /** Not in the log, because the log could not take it or it was no intent. */
  readonly unrecorded?: boolean;
  act(workspace: Workspace): Promise<Observation>;
}

export function only(observations: readonly Observation[]): Observation {
  const [first, ...more] = observations;
  if (first === undefined || more.length > 0) throw new Error(`Expected one observation, got ${observations.length}`);
  return first;
}
