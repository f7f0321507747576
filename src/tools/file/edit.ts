import { normalize } from "node:path";
import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import { readEffect, writeEffect } from "../../effects/file-effects.ts";
import { type ChangePlan, defineChangeTool, plannedModify } from "./change-files.ts";
import { differs, pathSpellings, replacementFields, replacementSpellings } from "./input.ts";
import { type FileSource, openFile } from "./open-file.ts";
import { replaceText } from "./replace-text.ts";

const input = lazy(() =>
  z
    .strictObject({ path: z.string(), ...replacementFields() })
    .refine(differs, { path: ["new_string"], message: "must differ from old_string" }),
);
type EditInput = z.infer<ReturnType<typeof input>>;

export const edit = defineChangeTool<EditInput>({
  name: "edit",
  description:
    "Replaces exact text in a file read in this session. old_string must occur once unless replace_all is set; leave out the line numbers that read shows.",
  searchHint: "change modify replace text in a file",
  inputAliases: { ...pathSpellings, ...replacementSpellings },
  input,
  effects: (call, view) => ({ effects: [readEffect(view, call.path, "file"), writeEffect(view, call.path, "file")] }),
  concurrency: (call) => ({ key: `file:${normalize(call.path)}` }),
  alwaysLoad: true,
  title: ({ path }) => `Edit ${path}`,
  paths: ({ path }) => [path],
  plan: planEdit,
});

async function planEdit(call: EditInput, source: FileSource): Promise<Outcome<ChangePlan>> {
  const opened = await openFile(source, call.path, { reach: "range" });
  if (!opened.ok) return opened;
  const open = opened.value;
  const replaced = replaceText({ text: open.file.text, eol: open.file.eol, read: open.read }, call, open);
  if (!replaced.ok) return replaced;
  const change = plannedModify(open, replaced.value.text, replaced.value.read);
  return change.ok ? ok({ changes: [change.value], replacements: replaced.value.count }) : change;
}
