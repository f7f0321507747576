import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { deleteEffect, readEffect, writeEffect } from "../../effects/file-effects.ts";
import { createdText, patchedText } from "./apply-patch.ts";
import {
  type ChangePlan,
  defineChangeTool,
  type PlannedChange,
  plannedCreate,
  plannedDelete,
  plannedModify,
} from "./change-files.ts";
import { spellings } from "./input.ts";
import { type FileSource, openFile, shownPath } from "./open-file.ts";
import { type FilePatch, parsePatchText } from "./patch-text.ts";
import { newFileStyle } from "./text-file.ts";

const input = lazy(() =>
  z.strictObject({
    patch: z.string().describe("Unified diff, or *** Begin Patch form"),
  }),
);
type PatchInput = z.infer<ReturnType<typeof input>>;

export const patch = defineChangeTool<PatchInput>({
  name: "patch",
  description:
    "Creates, changes or deletes files by a patch, all or none. Context must match exactly; files that exist must have been read.",
  searchHint: "apply unified diff to several files",
  inputAliases: spellings({ patch: "input diff patch_text" }),
  input,
  destructive: (call) => filesOf(call).some((file) => file.kind === "delete"),
  effects(call, view) {
    const parsed = parsePatchText(call.patch);
    if (!parsed.ok) return { effects: [{ op: "unknown", why: parsed.failure.message }] };
    return {
      effects: parsed.value.flatMap(({ kind, path }) => [
        ...(kind === "create" ? [] : [readEffect(view, path, "file")]),
        // A deleted file is restored if a later part of the patch fails.
        writeEffect(view, path, "file"),
        ...(kind === "delete" ? [deleteEffect(view, path, "file")] : []),
      ]),
    };
  },
  title: (call) => `Patch ${filesOf(call).length === 0 ? "files" : pathsOf(call).join(", ")}`,
  paths: pathsOf,
  plan: planPatch,
});

function pathsOf(call: PatchInput): readonly string[] {
  return filesOf(call).map(({ path }) => path);
}

function filesOf(call: PatchInput): readonly FilePatch[] {
  const parsed = parsePatchText(call.patch);
  return parsed.ok ? parsed.value : [];
}

async function planPatch(call: PatchInput, source: FileSource): Promise<Outcome<ChangePlan>> {
  const parsed = parsePatchText(call.patch);
  if (!parsed.ok) return parsed;
  const changes: PlannedChange[] = [];
  for (const file of parsed.value) {
    const change = file.kind === "create" ? planCreate(file, source) : await planExisting(file, source);
    if (!change.ok) return change;
    if (changes.some((other) => other.path === change.value.path)) {
      return fail("schema_invalid", `The patch names ${change.value.shown} twice.`, { field: "patch" });
    }
    changes.push(change.value);
  }
  return ok({ changes });
}

function planCreate(file: FilePatch, source: FileSource): Outcome<PlannedChange> {
  const resolved = source.resolve(file.path);
  if (!resolved.ok) return resolved;
  const path = resolved.value.resolved;
  const shown = shownPath(source.workspace, path);
  if (resolved.value.kind !== "missing") {
    return fail("runtime_precondition_failed", `The patch creates ${shown}, which exists.`, {
      field: "patch",
      recovery: `Read ${shown} and send a patch that changes it.`,
    });
  }
  const text = createdText(file);
  return text.ok ? plannedCreate({ path, shown }, text.value, newFileStyle) : text;
}

async function planExisting(file: FilePatch, source: FileSource): Promise<Outcome<PlannedChange>> {
  const reach = file.kind === "delete" ? "whole" : "range";
  const opened = await openFile(source, file.path, { reach, field: "patch" });
  if (!opened.ok) return opened;
  const open = opened.value;
  if (file.kind === "delete" && file.hunks.length === 0) return ok(plannedDelete(open));

  const patched = patchedText({ text: open.file.text, eol: open.file.eol, read: open.read }, file, open.shown);
  if (!patched.ok) return patched;
  if (file.kind === "modify") return plannedModify(open, patched.value.text, patched.value.read);
  if (patched.value.text === "") return ok(plannedDelete(open));
  return fail("text_not_found", `The patch deletes ${open.shown}, but its hunks do not remove every line.`, {
    field: "patch",
  });
}
