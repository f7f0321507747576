import { parsePatch, type StructuredPatch, type StructuredPatchHunk } from "diff";
import { messageOf } from "../../base/text.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import { type FilePatch, invalidPatch, type PatchHunk, type PatchLine, patchLine } from "./patch-file.ts";

export function parseUnified(text: string): Outcome<readonly FilePatch[]> {
  let patches: StructuredPatch[];
  try {
    patches = parsePatch(text);
  } catch (error) {
    return invalidPatch(messageOf(error));
  }
  const files: FilePatch[] = [];
  for (const patch of patches) {
    if (patch.oldFileName === undefined && patch.newFileName === undefined && patch.hunks.length === 0) continue;
    const file = filePatch(patch);
    if (!file.ok) return file;
    files.push(file.value);
  }
  return ok(files);
}

function filePatch(patch: StructuredPatch): Outcome<FilePatch> {
  const names = namesOf(patch);
  if (names === undefined) return invalidPatch("a hunk has no --- and +++ headers before it");
  const { before, after } = names;
  const path = after ?? before;
  if (path === undefined) return invalidPatch("a file has no name on either side");
  const unsupported = unsupportedPart(patch, before, after);
  if (unsupported !== undefined) return invalidPatch(`${path}: ${unsupported}`);

  const kind = before === undefined ? "create" : after === undefined ? "delete" : "modify";
  if (kind === "modify" && patch.hunks.length === 0) return invalidPatch(`${path} has no hunks`);
  return ok({ kind, path, hunks: patch.hunks.map(patchHunk) });
}

function namesOf(patch: StructuredPatch): { readonly before?: string; readonly after?: string } | undefined {
  const { oldFileName, newFileName } = patch;
  if (oldFileName === undefined || newFileName === undefined) return undefined;
  const prefixed =
    (oldFileName.startsWith("a/") || oldFileName === "/dev/null") &&
    (newFileName.startsWith("b/") || newFileName === "/dev/null");
  const name = (written: string) => (prefixed ? written.slice(2) : written);
  return {
    ...(oldFileName === "/dev/null" || patch.isCreate === true ? {} : { before: name(oldFileName) }),
    ...(newFileName === "/dev/null" || patch.isDelete === true ? {} : { after: name(newFileName) }),
  };
}

/** Refused instead of being applied in part. */
function unsupportedPart(
  patch: StructuredPatch,
  before: string | undefined,
  after: string | undefined,
): string | undefined {
  if (patch.isBinary === true) return "binary patches are not supported";
  if (patch.isRename === true || patch.isCopy === true || (before && after && before !== after)) {
    return "renames and copies are not supported, use move";
  }
  const changesMode = patch.oldMode !== undefined && patch.newMode !== undefined && patch.oldMode !== patch.newMode;
  const createsExecutable = patch.isCreate === true && patch.newMode !== undefined && patch.newMode !== "100644";
  return changesMode || createsExecutable ? "file modes are not applied, use chmod afterwards" : undefined;
}

function patchHunk(hunk: StructuredPatchHunk): PatchHunk {
  const lines: PatchLine[] = [];
  let bareBefore = false;
  let bareAfter = false;
  for (const line of hunk.lines) {
    if (line.startsWith("\\")) {
      const previous = lines.at(-1)?.op;
      bareBefore ||= previous !== "add";
      bareAfter ||= previous !== "remove";
      continue;
    }
    lines.push(patchLine(line));
  }
  return {
    lines,
    at: hunk.oldStart - 1,
    ...(bareBefore || bareAfter ? { finalNewline: { before: !bareBefore, after: !bareAfter } } : {}),
  };
}
