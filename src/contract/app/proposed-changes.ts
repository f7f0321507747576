import { isRecord } from "../../base/json.ts";
import type { Change, ChangeFlag } from "../changes.ts";
import type { Observation } from "../observation.ts";
import type { Archive } from "./archive.ts";

/** A change as it is kept in the log and given to programs. */
export interface ProposedChange extends Pick<Change, "path" | "operation" | "kind" | "size" | "conflict"> {
  /** Octal. */
  readonly mode: string;
  readonly flags?: readonly ChangeFlag[];
}

/** Everything that the command of an observation changed in its view, from the log. */
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

/** What became of the changes of a command on a view, and the id under which they are kept. */
export function settledFacts({ data }: Pick<Observation, "data">): { readonly state?: string; readonly id?: string } {
  const changes = data?.changes;
  if (!isRecord(changes) || typeof changes.state !== "string") return {};
  return { state: changes.state, ...(typeof changes.id === "string" ? { id: changes.id } : {}) };
}
