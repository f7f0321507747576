import { fstatSync, statSync } from "node:fs";
import { sha256 } from "../../base/digest.ts";
import type { ArtifactKind, ArtifactRef, ArtifactStore, ArtifactWriter } from "../../contract/artifact.ts";
import { type Failure, fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ArtifactId } from "../../contract/ids.ts";
import { ifPossible } from "../../host/failure.ts";
import { closing } from "../../host/files/descriptor.ts";
import { isMissing, logFailure } from "../log-failure.ts";
import {
  type ArtifactDirectory,
  ArtifactDraft,
  artifactId,
  artifactPath,
  isArtifactId,
  isKept,
  openArtifact,
  readFully,
} from "./artifact-file.ts";

/** Files named by their content, readable by their owner only. */
export function createArtifactStore(directory: ArtifactDirectory): ArtifactStore {
  return {
    put: (kind, content) => putArtifact(directory, kind, content),
    writer: (kind) => openWriter(directory, kind),
    size: (id) => sizeOf(directory.root, id),
    read: (id, range) => readArtifact(directory.root, id, range),
  };
}

function putArtifact(
  directory: ArtifactDirectory,
  kind: ArtifactKind,
  content: Uint8Array | string,
): Outcome<ArtifactRef> {
  const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
  const id = artifactId(sha256(bytes));
  const ref: ArtifactRef = { kind, id, bytes: bytes.length };
  let draft: ArtifactDraft | undefined;
  try {
    if (isKept(directory.root, id, bytes.length)) return ok(ref);
    draft = new ArtifactDraft(directory);
    draft.write(bytes);
    draft.end();
    const kept = draft.keep();
    return kept.ok ? ok(ref) : kept;
  } catch (error) {
    draft?.discard();
    return logFailure(error, "store an artifact", artifactPath(directory.root, id));
  }
}

function sizeOf(root: string, id: ArtifactId): number | undefined {
  return isArtifactId(id) ? ifPossible(() => statSync(artifactPath(root, id)).size) : undefined;
}

/** Above this size a range is read unchecked: hashing the whole file for every page would cost more than the page. */
const checkedBytes = 4 * 1024 * 1024;

function readArtifact(
  root: string,
  id: ArtifactId,
  range?: { readonly offset: number; readonly length: number },
): Outcome<Uint8Array> {
  if (!isArtifactId(id)) return fail("bad_request", `${JSON.stringify(id)} is not an artifact id.`);
  const path = artifactPath(root, id);
  try {
    using file = closing(openArtifact(path));
    const { descriptor } = file;
    const { size } = fstatSync(descriptor);
    if (size <= checkedBytes && artifactId(sha256(readFully(descriptor, 0, size))) !== id) {
      return fail("log_unavailable", `The content of ${id} does not match its id: ${path} was modified.`, {
        happened: "nothing",
        recovery: "Run `gauntlet audit verify`; do not rely on this evidence.",
      });
    }
    const offset = Math.min(Math.max(0, range?.offset ?? 0), size);
    const length = Math.min(Math.max(0, range?.length ?? size), size - offset);
    return ok(readFully(descriptor, offset, length));
  } catch (error) {
    if (isMissing(error)) return fail("file_not_found", `There is no artifact ${id}; it may have been pruned.`);
    return logFailure(error, "read an artifact", path);
  }
}

/** A failure is reported by `finish`; nothing rejects. */
function openWriter(directory: ArtifactDirectory, kind: ArtifactKind): Outcome<ArtifactWriter> {
  let draft: ArtifactDraft | undefined;
  let failure: Failure | undefined;
  const attempt = <Result>(work: () => Result): Result | undefined => {
    try {
      return work();
    } catch (error) {
      failure ??= logFailure(error, "store an artifact", directory.root).failure;
      return undefined;
    }
  };
  const take = () => {
    const taken = draft;
    draft = undefined;
    return taken;
  };
  attempt(() => {
    draft = new ArtifactDraft(directory);
  });
  if (failure !== undefined) return { ok: false, failure };
  return ok({
    async write(chunk) {
      if (failure === undefined) attempt(() => draft?.write(chunk));
    },
    async finish() {
      const finished = take();
      if (finished === undefined) throw new Error("An artifact is finished or discarded once");
      const id = attempt(() => finished.end());
      const kept = id === undefined || failure !== undefined ? undefined : finished.keep();
      if (id !== undefined && kept?.ok) return ok({ kind, id, bytes: finished.bytes });
      finished.discard();
      return kept?.ok === false ? kept : { ok: false, failure: failure as Failure };
    },
    async discard() {
      take()?.discard();
    },
  });
}
