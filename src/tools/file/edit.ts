import { normalize } from "node:path";
import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import { defineTool } from "../../contract/tool.ts";
import { aliasesOf } from "../../contract/tool-names.ts";
import { readEffect, writeEffect } from "../../effects/file-effects.ts";
import {
  applyChanges,
  type ChangeReport,
  noDiff,
  type PlannedChange,
  plannedModify,
  previewChanges,
  summarizeChanges,
} from "./change-files.ts";
import { differs, pathSpellings, replacementFields, replacementSpellings } from "./input.ts";
import { checkingSource, type FileSource, mayTell, openFile, runningSource } from "./open-file.ts";
import { replaceText } from "./replace-text.ts";

const input = lazy(() =>
  z
    .strictObject({ path: z.string(), ...replacementFields() })
    .refine(differs, { path: ["new_string"], message: "must differ from old_string" }),
);
type EditInput = z.infer<ReturnType<typeof input>>;

export const edit = defineTool<EditInput, ChangeReport>({
  name: "edit",
  version: "1",
  description:
    "Replaces exact text in a file read in this session. old_string must occur once unless replace_all is set; leave out the line numbers that read shows.",
  family: "file",
  risks: ["write"],
  searchHint: "change modify replace text in a file",
  aliases: aliasesOf("edit"),
  inputAliases: { ...pathSpellings, ...replacementSpellings },
  input,
  describeCall: ({ path }) => `Edit ${path}`,
  effects: (call, view) => ({ effects: [readEffect(view, call.path, "file"), writeEffect(view, call.path, "file")] }),
  concurrency: (call) => ({ key: `file:${normalize(call.path)}` }),
  interrupt: "block",
  alwaysLoad: true,

  async preconditions(call, view) {
    if (!mayTell(view, [call.path])) return undefined;
    const planned = await planEdit(call, checkingSource(view));
    return planned.ok ? undefined : planned.failure;
  },

  async preview(call, view) {
    const planned = await planEdit(call, checkingSource(view));
    return planned.ok ? previewChanges([planned.value.change]) : noDiff(planned.failure);
  },

  async run(call, context) {
    const planned = await planEdit(call, runningSource(context));
    if (!planned.ok) return planned;
    const { change, replacements } = planned.value;
    const applied = await applyChanges([change], context);
    return applied.ok ? { ok: true, data: { files: applied.value, replacements } } : applied;
  },

  summarize: (result, call) => summarizeChanges(`Edit ${call.path}`, result),
});

async function planEdit(
  call: EditInput,
  source: FileSource,
): Promise<Outcome<{ readonly change: PlannedChange; readonly replacements: number }>> {
  const opened = await openFile(source, call.path, { reach: "range" });
  if (!opened.ok) return opened;
  const open = opened.value;
  const replaced = replaceText({ text: open.file.text, eol: open.file.eol, read: open.read }, call, open);
  if (!replaced.ok) return replaced;
  const change = plannedModify(open, replaced.value.text, replaced.value.read);
  return change.ok ? ok({ change: change.value, replacements: replaced.value.count }) : change;
}
