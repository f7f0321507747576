import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { fail, type Outcome } from "../../contract/codes.ts";
import { defineTool } from "../../contract/tool.ts";
import { aliasesOf } from "../../contract/tool-names.ts";
import { readEffect, writeEffect } from "../../effects/file-effects.ts";
import {
  applyChanges,
  type ChangeReport,
  noDiff,
  type PlannedChange,
  plannedCreate,
  plannedModify,
  previewChanges,
  summarizeChanges,
} from "./change-files.ts";
import { pathSpellings } from "./input.ts";
import { countLines } from "./lines.ts";
import { checkingSource, type FileSource, mayTell, openFile, runningSource, shownPath } from "./open-file.ts";
import { newFileStyle, type TextFile, toCrlf } from "./text-file.ts";

const input = lazy(() => z.strictObject({ path: z.string(), content: z.string().describe("The whole content") }));
type WriteInput = z.infer<ReturnType<typeof input>>;

export const write = defineTool<WriteInput, ChangeReport>({
  name: "write",
  version: "1",
  description: "Creates a file, or replaces one that was read completely in this session. Prefer edit for changes.",
  family: "file",
  risks: ["write"],
  searchHint: "create new file overwrite content",
  aliases: aliasesOf("write"),
  inputAliases: { ...pathSpellings, contents: "content", text: "content", file_text: "content", fileText: "content" },
  input,
  describeCall: ({ path }) => `Write ${path}`,
  effects(call, view) {
    const target = view.resolve(call.path);
    const exists = !target.ok || target.value.kind !== "missing";
    return {
      effects: [...(exists ? [readEffect(view, call.path, "file")] : []), writeEffect(view, call.path, "file")],
    };
  },
  interrupt: "block",
  alwaysLoad: true,

  async preconditions(call, view) {
    if (!mayTell(view, [call.path])) return undefined;
    const planned = await planWrite(call, checkingSource(view));
    return planned.ok ? undefined : planned.failure;
  },

  async preview(call, view) {
    const planned = await planWrite(call, checkingSource(view));
    return planned.ok ? previewChanges([planned.value]) : noDiff(planned.failure);
  },

  async run(call, context) {
    const planned = await planWrite(call, runningSource(context));
    if (!planned.ok) return planned;
    const applied = await applyChanges([planned.value], context);
    return applied.ok ? { ok: true, data: { files: applied.value } } : applied;
  },

  summarize: (result, call) => summarizeChanges(`Write ${call.path}`, result),
});

async function planWrite(call: WriteInput, source: FileSource): Promise<Outcome<PlannedChange>> {
  const resolved = source.resolve(call.path);
  if (!resolved.ok) return { ok: false, failure: { ...resolved.failure, field: "path" } };
  const path = resolved.value.resolved;
  if (resolved.value.kind === "missing") {
    if (call.path.endsWith("/")) {
      return fail("runtime_precondition_failed", `${call.path} names a directory.`, {
        field: "path",
        recovery: "End the path with a file name; missing directories are created.",
      });
    }
    const bom = call.content.startsWith("\ufeff");
    const target = { path, shown: shownPath(source.workspace, path) };
    return plannedCreate(target, bom ? call.content.slice(1) : call.content, { ...newFileStyle, bom });
  }
  const opened = await openFile(source, call.path, { reach: "whole" });
  if (!opened.ok) return opened;
  const text = inStyleOf(opened.value.file, call.content);
  return plannedModify(opened.value, text, { from: 1, to: countLines(text) });
}

/** The model sends `\n` and no byte order mark; a file that has CRLF or a mark keeps them. */
function inStyleOf(file: TextFile, content: string): string {
  const unmarked = file.bom && content.startsWith("\ufeff") ? content.slice(1) : content;
  return file.eol === "crlf" && !unmarked.includes("\r\n") ? toCrlf(unmarked) : unmarked;
}
