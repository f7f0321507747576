import { parsePatch, type StructuredPatch, type StructuredPatchHunk } from "diff";
import { messageOf } from "../../base/text.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { toLf } from "./text-file.ts";

/** A unified diff, as git writes it, or the `*** Begin Patch` form. */
export function parsePatchText(patch: string): Outcome<readonly FilePatch[]> {
  const text = toLf(patch);
  const parsed = isEnvelope(text) ? parseEnvelope(text) : parseUnified(text);
  if (!parsed.ok) return parsed;
  if (parsed.value.length === 0) return invalidPatch("it has no file name");
  if (parsed.value.length > mostFiles) return tooManyFiles;
  const named = new Set<string>();
  for (const { path } of parsed.value) {
    if (named.has(path)) return invalidPatch(`it names ${path} twice`);
    named.add(path);
  }
  return parsed;
}

const fileHeader = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const kinds = { Add: "create", Update: "modify", Delete: "delete" } as const;

function isEnvelope(text: string): boolean {
  return /^\*\*\* Begin Patch\s*$/m.test(text);
}

/** `*** Begin Patch … *** End Patch`: hunks without line numbers, found by their lines. */
function parseEnvelope(text: string): Outcome<readonly FilePatch[]> {
  const lines = text.split("\n");
  const begin = lines.findIndex((line) => line.trimEnd() === "*** Begin Patch");
  const end = lines.findIndex((line) => line.trimEnd() === "*** End Patch");
  if (end < begin) return invalidPatch("*** End Patch is missing");

  const files: FilePatch[] = [];
  let at = begin + 1;
  while (at < end) {
    const line = lines[at] ?? "";
    const header = fileHeader.exec(line.trimEnd());
    if (header === null) {
      if (line.trim() !== "") return invalidPatch(`line ${at + 1} is not a file header`);
      at += 1;
      continue;
    }
    let next = at + 1;
    while (next < end && !fileHeader.test((lines[next] ?? "").trimEnd())) next += 1;
    const body = lines.slice(at + 1, next);
    const file = fileOf(kinds[header[1] as keyof typeof kinds], header[2] ?? "", body);
    if (!file.ok) return file;
    files.push(file.value);
    if (files.length > mostFiles) return tooManyFiles;
    at = next;
  }
  return ok(files);
}

function fileOf(kind: FilePatch["kind"], path: string, body: readonly string[]): Outcome<FilePatch> {
  if (kind === "delete") {
    const extra = body.some((line) => line.trim() !== "");
    return extra ? invalidPatch(`${path} is deleted, but lines follow`) : ok({ kind, path, hunks: [] });
  }
  if (kind === "create") {
    const added = body.filter((line, index) => line !== "" || index < body.length - 1);
    if (!added.every((line) => line.startsWith("+"))) return invalidPatch(`a line of ${path} does not start with +`);
    return ok({ kind, path, hunks: added.length === 0 ? [] : [{ lines: added.map(patchLine) }] });
  }
  const hunks = hunksOf(path, body);
  if (!hunks.ok) return hunks;
  return hunks.value.length === 0 ? invalidPatch(`${path} has no hunks`) : ok({ kind, path, hunks: hunks.value });
}

function hunksOf(path: string, body: readonly string[]): Outcome<readonly PatchHunk[]> {
  const hunks: PatchHunk[] = [];
  let anchor = "";
  let lines: PatchLine[] = [];
  let atEnd = false;

  function close(): void {
    if (lines.length > 0) {
      hunks.push({ lines, ...(anchor === "" ? {} : { anchor }), ...(atEnd ? { atEnd } : {}) });
    }
    anchor = "";
    lines = [];
    atEnd = false;
  }

  for (const line of body) {
    if (line.startsWith("*** Move to:")) return invalidPatch(`${path}: renames are not supported, use move`);
    if (line.startsWith("@@")) {
      close();
      anchor = line.slice(2).trim();
    } else if (line.trimEnd() === "*** End of File") {
      atEnd = true;
    } else if (line === "" || /^[ +-]/.test(line)) {
      lines.push(patchLine(line === "" ? " " : line));
    } else {
      return invalidPatch(`${path}: a line starts with neither space, + nor -`);
    }
  }
  close();
  if (hunks.some((hunk) => hunk.anchor === undefined && hunk.lines.every((line) => line.op === "add"))) {
    return invalidPatch(`${path}: a hunk that only adds needs a line of context or an @@ anchor`);
  }
  return ok(hunks);
}

function parseUnified(text: string): Outcome<readonly FilePatch[]> {
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

interface PatchLine {
  readonly op: "keep" | "remove" | "add";
  readonly text: string;
}

export interface PatchHunk {
  readonly lines: readonly PatchLine[];
  /** 0-based start line from the header of a unified hunk. */
  readonly at?: number;
  readonly anchor?: string;
  readonly atEnd?: boolean;
  /** Whether the patched file ends with a newline; absent if the patch does not say. */
  readonly finalNewline?: { readonly before: boolean; readonly after: boolean };
}

export interface FilePatch {
  readonly kind: "create" | "modify" | "delete";
  readonly path: string;
  readonly hunks: readonly PatchHunk[];
}

const mostFiles = 500;

const tooManyFiles: Outcome<never> = fail("schema_invalid", `The patch names more than ${mostFiles} files.`, {
  field: "patch",
  recovery: "Send it in several patches.",
});

function invalidPatch(why: string): Outcome<never> {
  return fail("schema_invalid", `The patch is invalid: ${why}.`, {
    field: "patch",
    recovery: "Send a unified diff with --- and +++ headers and correct @@ counts, or the *** Begin Patch form.",
  });
}

function patchLine(line: string): PatchLine {
  const op = line.startsWith("+") ? "add" : line.startsWith("-") ? "remove" : "keep";
  return { op, text: line.slice(1) };
}
