import type { Outcome } from "../../contract/codes.ts";
import { isEnvelope, parseEnvelope } from "./patch-envelope.ts";
import { type FilePatch, invalidPatch, mostFiles, tooManyFiles } from "./patch-file.ts";
import { parseUnified } from "./patch-unified.ts";
import { toLf } from "./text-file.ts";

/** A unified diff, as git writes it, or the `*** Begin Patch` form. */
export function parsePatchText(patch: string): Outcome<readonly FilePatch[]> {
  const text = toLf(patch);
  const parsed = isEnvelope(text) ? parseEnvelope(text) : parseUnified(text);
  if (!parsed.ok) return parsed;
  if (parsed.value.length === 0) return invalidPatch("it names no file");
  if (parsed.value.length > mostFiles) return tooManyFiles;
  const named = new Set<string>();
  for (const { path } of parsed.value) {
    if (named.has(path)) return invalidPatch(`it names ${path} twice`);
    named.add(path);
  }
  return parsed;
}
