import { z } from "zod";
import { lazy } from "../../base/async.ts";

export const pathSpellings = {
  file_path: "path",
  filePath: "path",
  filepath: "path",
  file: "path",
  filename: "path",
  absolute_path: "path",
  target_file: "path",
} as const;

export const replacementSpellings = {
  old_text: "old_string",
  oldText: "old_string",
  oldString: "old_string",
  old_str: "old_string",
  oldStr: "old_string",
  search: "old_string",
  new_text: "new_string",
  newText: "new_string",
  newString: "new_string",
  new_str: "new_string",
  newStr: "new_string",
  replace: "new_string",
  replaceAll: "replace_all",
} as const;

export const replacementFields = lazy(() => ({
  old_string: z.string().min(1, "must not be empty; use write for a file that is new or empty"),
  new_string: z.string(),
  replace_all: z.exactOptional(z.boolean()),
}));

export function differs(replacement: { readonly old_string: string; readonly new_string: string }): boolean {
  return replacement.old_string !== replacement.new_string;
}
