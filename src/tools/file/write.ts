import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { readEffect, writeEffect } from "../../effects/file-effects.ts";
import { defineChangeTool, type PlannedChange, plannedCreate, plannedModify } from "./change-files.ts";
import { pathSpellings, spellings } from "./input.ts";
import { countLines } from "./lines.ts";
import { type FileSource, openFile, shownPath } from "./open-file.ts";
import { newFileStyle, type TextFile, toCrlf } from "./text-file.ts";

const input = lazy(() => z.strictObject({ path: z.string(), content: z.string().describe("The whole content") }));
type WriteInput = z.infer<ReturnType<typeof input>>;

export const write = defineChangeTool<WriteInput>({
  name: "write",
  description: "Creates a file, or replaces one that was read completely in this session. Prefer edit for changes.",
  searchHint: "create new file overwrite content",
  inputAliases: { ...pathSpellings, ...spellings({ content: "contents text file_text" }) },
  input,
  effects(call, view) {
    const target = view.resolve(call.path);
    const exists = !target.ok || target.value.kind !== "missing";
    return {
      effects: [...(exists ? [readEffect(view, call.path, "file")] : []), writeEffect(view, call.path, "file")],
    };
  },
  alwaysLoad: true,
  title: ({ path }) => `Write ${path}`,
  paths: ({ path }) => [path],
  async plan(call, source) {
    const change = await planWrite(call, source);
    return change.ok ? ok({ changes: [change.value] }) : change;
  },
});

async function planWrite(call: WriteInput, source: FileSource): Promise<Outcome<PlannedChange>> {
  const resolved = source.resolve(call.path);
  if (!resolved.ok) return { ok: false, failure: { ...resolved.failure, field: "path" } };
  const path = resolved.value.resolved;
  if (resolved.value.kind !== "missing") {
    const opened = await openFile(source, call.path, { reach: "whole" });
    if (!opened.ok) return opened;
    const text = inStyleOf(opened.value.file, call.content);
    return plannedModify(opened.value, text, { from: 1, to: countLines(text) });
  }
  if (call.path.endsWith("/")) {
    return fail("runtime_precondition_failed", `${call.path} is a directory.`, {
      field: "path",
      recovery: "End the path with a file name; missing directories are created.",
    });
  }
  const bom = call.content.startsWith("\ufeff");
  const target = { path, shown: shownPath(source.workspace, path) };
  return plannedCreate(target, bom ? call.content.slice(1) : call.content, { ...newFileStyle, bom });
}

/** The model sends `\n` and no byte order mark; a file with CRLF or a mark keeps them. */
function inStyleOf(file: TextFile, content: string): string {
  const unmarked = file.bom && content.startsWith("\ufeff") ? content.slice(1) : content;
  return file.eol === "crlf" && !unmarked.includes("\r\n") ? toCrlf(unmarked) : unmarked;
}
