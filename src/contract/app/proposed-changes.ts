import { isRecord } from "../../base/json.ts";
import type { Change, ChangeFlag } from "../changes.ts";
import type { Observation } from "../observation.ts";
import type { Archive } from "./archive.ts";

export interface ProposedChange extends Pick<Change, "path" | "operation" | "kind" | "size" | "conflict"> {
  readonly mode: string;
  readonly flags?: readonly ChangeFlag[];
}

export function proposedChanges(
  { artifacts }: Pick<Observation, "artifacts">,
  archive: Pick<Archive, "artifact">,
  session: string,
): readonly ProposedChange[] {
  const ref = artifacts.find(({ kind }) => kind === "changes");
  const read = ref && archive.artifact(session, ref.id, { offset: 0, length: ref.bytes });
  if (read?.ok !== true) return [];
  const lines = new TextDecoder().decode(read.value.content).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

export function settledFacts({ data }: Pick<Observation, "data">): { readonly state?: string; readonly id?: string } {
  const changes = data?.changes;
  if (!isRecord(changes) || typeof changes.state !== "string") return {};
  return { state: changes.state, ...(typeof changes.id === "string" ? { id: changes.id } : {}) };
}
