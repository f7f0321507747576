import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { defineTool } from "../../contract/tool.ts";
import { aliasesOf } from "../../contract/tool-names.ts";
import { deleteEffect, resolveEntry } from "../../effects/file-effects.ts";
import { summarizer } from "../summary.ts";
import { describeEntry, noDiff } from "./change-files.ts";
import { pathSpellings } from "./input.ts";
import { mayTell, namedEntry } from "./open-file.ts";

const input = lazy(() => z.strictObject({ path: z.string() }));
type DeleteInput = z.infer<ReturnType<typeof input>>;

interface DeleteResult {
  readonly path: string;
  readonly kind: "file" | "directory";
  readonly trash: string;
}

export const deleteTool = defineTool<DeleteInput, DeleteResult>({
  name: "delete",
  version: "1",
  description: "Deletes a file, or a directory with its content. The user can restore it.",
  family: "file",
  risks: ["write"],
  searchHint: "remove file directory trash",
  aliases: aliasesOf("delete"),
  inputAliases: pathSpellings,
  input,
  describeCall: ({ path }) => `Delete ${path}`,
  destructive: () => true,
  effects(call, view) {
    const target = resolveEntry(view, call.path);
    const scope = target.ok && target.value.kind === "directory" ? "tree" : "file";
    return { effects: [deleteEffect(view, call.path, scope)] };
  },
  interrupt: "block",

  preconditions(call, view) {
    if (!mayTell(view, [call.path], (path) => resolveEntry(view, path))) return undefined;
    const entry = namedEntry(view, call.path, "path");
    return entry.ok ? undefined : entry.failure;
  },

  async preview(call, view) {
    const entry = namedEntry(view, call.path, "path");
    return entry.ok ? `Deletes ${describeEntry(entry.value, view)}` : noDiff(entry.failure);
  },

  async run(call, context) {
    const entry = namedEntry(context, call.path, "path");
    if (!entry.ok) return entry;
    const { ref, shown } = entry.value;
    const trashed = await context.files.trash(ref.resolved);
    if (!trashed.ok) return trashed;
    context.session.forgetBaseline(ref.resolved);
    const kind = ref.kind === "directory" ? "directory" : "file";
    return { ok: true, data: { path: shown, kind, trash: trashed.value.to ?? "" } };
  },

  summarize: summarizer(
    (call) => `Delete ${call.path}`,
    ({ path, kind, trash }) => {
      const summary = `Deleted the ${kind} ${path}; it is kept in ${trash}.`;
      const data = { path, kind, change: "deleted", trash };
      return { summary, model: [{ format: "text", text: summary }], user: `${path} deleted, kept in ${trash}`, data };
    },
  ),
});
