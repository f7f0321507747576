import { z } from "zod";
import { lazy } from "../../base/async.ts";

/** Aliases of input fields, by field. `file_path` also means `filePath`. */
export function spellings(fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(fields).flatMap(([field, names]) =>
    `${names} ${field}`.split(" ").flatMap((name) => {
      const camel = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
      return [name, camel].filter((one) => one !== field).map((one) => [one, field]);
    }),
  );
  return Object.fromEntries(entries);
}

export const pathSpellings = spellings({ path: "file_path filepath file filename absolute_path target_file" });

export const replacementSpellings = spellings({
  old_string: "old_text old_str search",
  new_string: "new_text new_str replace",
  replace_all: "replaceAll",
});

export const replacementFields = lazy(() => ({
  old_string: z.string().min(1, "must not be empty; use write for a new or empty file"),
  new_string: z.string(),
  replace_all: z.exactOptional(z.boolean()),
}));

export function differs(replacement: { readonly old_string: string; readonly new_string: string }): boolean {
  return replacement.old_string !== replacement.new_string;
}
