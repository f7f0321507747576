import type { DatabaseSync } from "node:sqlite";
import type { z } from "zod";
import { parseJson } from "../../base/json.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ArtifactId, SessionId } from "../../contract/ids.ts";
import { type ArtifactDirectory, ArtifactDraft, isArtifactId } from "../artifacts/artifact-file.ts";
import { artifactsOf } from "../event-names.ts";
import { isSessionId, sessionSize } from "../layout.ts";
import { initialState, reduce } from "../reduce.ts";
import { writeCheckpoint } from "../store/checkpoint.ts";
import { transact } from "../store/database.ts";
import { prepareInsert } from "../store/event-row.ts";
import type { StoreParts } from "../store/open-session.ts";
import { createTables, markImported } from "../store/session-schema.ts";
import { alreadyThere, buildSession } from "./build-session.ts";
import { artifactLine, readEventLine, transferHeader } from "./transfer-format.ts";

/** An invalid line ends the import, and nothing of it is stored. */
export function importSession(parts: StoreParts, lines: Iterable<string>): Outcome<SessionId> {
  const { layout, process, sync } = parts;
  const staged = new StagedArtifacts({ root: layout.artifacts, writer: process, flush: sync === "full" });
  try {
    const made = buildSession(parts, "import a session", (database) => {
      const received = receive(parts, numbered(lines), database, staged);
      if (!received.ok) return received;
      const kept = staged.keepAll();
      return kept.ok ? ok({ id: received.value }) : kept;
    });
    return made.ok ? ok(made.value.id) : made;
  } finally {
    staged.discard();
  }
}

type NumberedLine = readonly [number: number, text: string];

function* numbered(lines: Iterable<string>): Generator<NumberedLine> {
  let number = 0;
  for (const line of lines) {
    number += 1;
    if (line.trim() !== "") yield [number, line.trim()];
  }
}

function receive(
  parts: StoreParts,
  lines: Generator<NumberedLine>,
  database: DatabaseSync,
  staged: StagedArtifacts,
): Outcome<SessionId> {
  const first = lines.next();
  const header = first.done ? undefined : transferHeader.safeParse(parseJson(first.value[1])).data;
  if (header === undefined)
    return fail("bad_request", "Line 1 is not the header of an exported session, or its version is unknown.");
  const { session: id } = header;
  if (!isSessionId(id)) return fail("bad_request", `${JSON.stringify(id)} is not a session id.`);
  if (sessionSize(parts.layout, id) !== undefined) return alreadyThere(id);
  createTables(database, id);
  markImported(database);
  const needed = new Set<string>();
  const excused = new Set<string>();
  const state = initialState(id);
  const insert = prepareInsert(database);
  const receiveEvent = (text: string): Outcome<void> => {
    const read = readEventLine(text, { session: id, seq: state.seq, head: state.head }, parts.upcaster);
    if (!read.ok) return read;
    const { stored, event } = read.value;
    insert(stored, event);
    for (const artifact of artifactsOf(event)) needed.add(artifact);
    reduce(state, event);
    return ok(undefined);
  };
  const receiveArtifact = (text: string): Outcome<void> => {
    const line = artifactLine.safeParse(parseJson(text)).data;
    if (line === undefined) return fail("bad_request", "it is not a piece of an artifact");
    if ("base64" in line) return staged.add(line);
    excused.add(line.artifact);
    return ok(undefined);
  };
  const received = transact(database, (): Outcome<void> => {
    for (const [number, text] of lines) {
      const line = text.startsWith('{"artifact":') ? receiveArtifact(text) : receiveEvent(text);
      if (line.ok) continue;
      const problem = line.failure.message.replace(/\.$/, "");
      return fail("bad_request", `Line ${number}: ${problem}. Nothing was imported.`);
    }
    writeCheckpoint(database, state, parts.upcaster);
    return staged.end();
  });
  if (!received.ok) return received;
  if (state.seq !== header.events || state.head !== header.head) {
    return fail(
      "bad_request",
      `The export is incomplete: its header says ${header.events} events up to ${header.head.slice(0, 12)}, but it has ${state.seq}.`,
    );
  }
  const isMissing = (artifact: string) =>
    !staged.has(artifact) && !excused.has(artifact) && parts.artifacts.size(artifact) === undefined;
  const missing = [...needed].find(isMissing);
  if (missing !== undefined)
    return fail("bad_request", `Artifact ${missing} is referenced but missing from the export.`);
  return ok(id);
}

/** Incoming artifacts: checked against their ids, and not part of the store before `keepAll`. */
class StagedArtifacts {
  readonly #directory: ArtifactDirectory;
  readonly #staged = new Map<ArtifactId, ArtifactDraft>();
  #current: { readonly id: ArtifactId; readonly draft: ArtifactDraft } | undefined;

  constructor(directory: ArtifactDirectory) {
    this.#directory = directory;
  }

  has(id: ArtifactId): boolean {
    return this.#staged.has(id);
  }

  /** The pieces of one artifact are consecutive. File system errors are thrown. */
  add({ artifact, offset, base64 }: Extract<z.infer<typeof artifactLine>, { base64: string }>): Outcome<void> {
    if (!isArtifactId(artifact)) return fail("bad_request", `${JSON.stringify(artifact)} is not an artifact id.`);
    if (this.#current?.id !== artifact) {
      const ended = this.end();
      if (!ended.ok) return ended;
      if (this.#staged.has(artifact)) return fail("bad_request", `Duplicate artifact ${artifact}.`);
      this.#current = { id: artifact, draft: new ArtifactDraft(this.#directory) };
    }
    const { draft } = this.#current;
    if (draft.bytes !== offset)
      return fail("bad_request", `A piece of artifact ${artifact} is missing before byte ${offset}.`);
    draft.write(Buffer.from(base64, "base64"));
    return ok(undefined);
  }

  end(): Outcome<void> {
    if (this.#current === undefined) return ok(undefined);
    const { id, draft } = this.#current;
    this.#current = undefined;
    this.#staged.set(id, draft);
    if (draft.end() === id) return ok(undefined);
    return fail("bad_request", `The content of artifact ${id} does not match its id.`);
  }

  keepAll(): Outcome<void> {
    for (const draft of this.#staged.values()) {
      const kept = draft.keep();
      if (!kept.ok) return kept;
    }
    return ok(undefined);
  }

  discard(): void {
    this.#current?.draft.discard();
    for (const draft of this.#staged.values()) draft.discard();
  }
}
