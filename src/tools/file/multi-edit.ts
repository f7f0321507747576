import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import { readEffect, writeEffect } from "../../effects/file-effects.ts";
import { type ChangePlan, defineChangeTool, type PlannedChange, plannedModify } from "./change-files.ts";
import { differs, pathSpellings, replacementFields, replacementSpellings } from "./input.ts";
import { type FileSource, type OpenFile, openFile } from "./open-file.ts";
import { type Replacement, replaceText, type TextUnderChange } from "./replace-text.ts";

const replacement = lazy(() =>
  z
    .strictObject({ path: z.exactOptional(z.string()), ...replacementFields() })
    .refine(differs, { path: ["new_string"], message: "must differ from old_string" }),
);

const input = lazy(() =>
  z
    .strictObject({
      path: z.exactOptional(z.string()).describe("Default for edits without file_path"),
      edits: z.array(replacement()).min(1),
    })
    .superRefine((call, check) => {
      for (const [index, edit] of call.edits.entries()) {
        if (edit.path === undefined && call.path === undefined) {
          check.addIssue({ code: "custom", path: ["edits", index, "path"], message: "is missing" });
        }
      }
    }),
);
type MultiEditInput = z.infer<ReturnType<typeof input>>;

export const multiEdit = defineChangeTool<MultiEditInput>({
  name: "multi_edit",
  description:
    "Makes several edits in order, in one or more files; all happen or none. Each follows the rules of edit.",
  searchHint: "several edits at once atomic many files",
  inputAliases: { ...pathSpellings, ...replacementSpellings },
  input,
  effects: (call, view) => ({
    effects: pathsOf(call).flatMap((path) => [readEffect(view, path, "file"), writeEffect(view, path, "file")]),
  }),
  title: (call) => `Edit ${pathsOf(call).join(", ")}`,
  paths: pathsOf,
  plan: planEdits,
});

interface FileUnderChange {
  readonly open: OpenFile;
  readonly text: TextUnderChange;
}

async function planEdits(call: MultiEditInput, source: FileSource): Promise<Outcome<ChangePlan>> {
  const files = new Map<string, FileUnderChange>();
  let replacements = 0;
  for (const [index, edit] of editsOf(call).entries()) {
    const opened = await openOnce(source, files, edit.path, `edits[${index}].path`);
    if (!opened.ok) return opened;
    const { open, text } = opened.value;
    const replaced = replaceText(text, edit, { shown: open.shown, prefix: `edits[${index}].` });
    if (!replaced.ok) return replaced;
    files.set(open.path, { open, text: replaced.value });
    replacements += replaced.value.count;
  }

  const changes: PlannedChange[] = [];
  for (const { open, text } of files.values()) {
    const change = plannedModify(open, text.text, text.read);
    if (!change.ok) return change;
    changes.push(change.value);
  }
  return ok({ changes, replacements });
}

/** Two spellings of one path must mean one file, or the later edit would undo the earlier one. */
async function openOnce(
  source: FileSource,
  files: ReadonlyMap<string, FileUnderChange>,
  written: string,
  field: string,
): Promise<Outcome<FileUnderChange>> {
  const resolved = source.resolve(written);
  const known = resolved.ok ? files.get(resolved.value.resolved) : undefined;
  if (known !== undefined) return ok(known);
  const opened = await openFile(source, written, { reach: "range", field });
  if (!opened.ok) return opened;
  const open = opened.value;
  return ok({ open, text: { text: open.file.text, eol: open.file.eol, read: open.read } });
}

function editsOf(call: MultiEditInput): (Replacement & { readonly path: string })[] {
  return call.edits.map((edit) => ({ ...edit, path: edit.path ?? call.path ?? "" }));
}

function pathsOf(call: MultiEditInput): string[] {
  return [...new Set(editsOf(call).map((edit) => edit.path))];
}
