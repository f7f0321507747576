import { type Outcome, ok } from "../../contract/codes.ts";
import {
  type FilePatch,
  invalidPatch,
  mostFiles,
  type PatchHunk,
  type PatchLine,
  patchLine,
  tooManyFiles,
} from "./patch-file.ts";

const fileHeader = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const kinds = { Add: "create", Update: "modify", Delete: "delete" } as const;

export function isEnvelope(text: string): boolean {
  return /^\*\*\* Begin Patch\s*$/m.test(text);
}

/** `*** Begin Patch … *** End Patch`: hunks without line numbers, found by their lines. */
export function parseEnvelope(text: string): Outcome<readonly FilePatch[]> {
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
      if (line.trim() !== "") return invalidPatch(`line ${at + 1} is no file header`);
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
