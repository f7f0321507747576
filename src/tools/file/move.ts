import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { isInside } from "../../contract/effect.ts";
import { defineTool } from "../../contract/tool.ts";
import { aliasesOf } from "../../contract/tool-names.ts";
import { deleteEffect, resolveEntry, writeEffect } from "../../effects/file-effects.ts";
import { summarizer } from "../summary.ts";
import { describeEntry, noDiff, onOneLine } from "./change-files.ts";
import { spellings } from "./input.ts";
import { type EntrySource, mayTell, type NamedEntry, namedEntry, shownPath } from "./open-file.ts";

const input = lazy(() =>
  z.strictObject({
    from: z.string(),
    to: z.string().describe("New path, name included"),
  }),
);
type MoveInput = z.infer<ReturnType<typeof input>>;

interface MoveResult {
  readonly from: string;
  readonly to: string;
  readonly kind: "file" | "directory";
}

export const move = defineTool<MoveInput, MoveResult>({
  name: "move",
  version: "1",
  description: "Moves or renames a file or directory. Never overwrites.",
  family: "file",
  risks: ["write"],
  searchHint: "rename file directory",
  aliases: aliasesOf("move"),
  inputAliases: spellings({
    from: "source src old_path from_path",
    to: "destination dest target new_path to_path",
  }),
  input,
  describeCall: ({ from, to }) => `Move ${from} to ${to}`,
  effects(call, view) {
    const from = resolveEntry(view, call.from);
    const scope = from.ok && from.value.kind === "directory" ? "tree" : "file";
    const changes = [deleteEffect(view, call.from, scope), writeEffect(view, call.to, scope)];
    // Reading too: under its new name content could become readable that was closed under the old one.
    return { effects: from.ok ? [{ op: "read", path: from.value, scope }, ...changes] : changes, moves: true };
  },
  interrupt: "block",

  preconditions(call, view) {
    const tellable = mayTell(view, [call.from], (path) => resolveEntry(view, path)) && mayTell(view, [call.to]);
    if (!tellable) return undefined;
    const planned = planMove(call, view);
    return planned.ok ? undefined : planned.failure;
  },

  async preview(call, view) {
    const planned = planMove(call, view);
    if (!planned.ok) return noDiff(planned.failure);
    return `Moves ${describeEntry(planned.value.from, view)} → ${onOneLine(planned.value.to)}`;
  },

  async run(call, context) {
    const planned = planMove(call, context);
    if (!planned.ok) return planned;
    const { from, to } = planned.value;
    const moved = await context.files.move(from.ref.resolved, to);
    if (!moved.ok) return moved;

    const baseline = context.session.baseline(from.ref.resolved);
    if (baseline !== undefined) {
      context.session.forgetBaseline(from.ref.resolved);
      context.session.recordBaseline({ ...baseline, path: to });
    }
    const kind = from.ref.kind === "directory" ? "directory" : "file";
    return { ok: true, data: { from: from.shown, to: shownPath(context.workspace, to), kind } };
  },

  summarize: summarizer(
    (call) => `Move ${call.from} to ${call.to}`,
    ({ from, to, kind }) => {
      const summary = `Moved the ${kind} ${from} to ${to}.`;
      const data = { from, to, kind, change: "moved" };
      return { summary, model: [{ format: "text", text: summary }], user: `${from} → ${to}`, data };
    },
  ),
});

function planMove(call: MoveInput, source: EntrySource): Outcome<{ readonly from: NamedEntry; readonly to: string }> {
  const from = namedEntry(source, call.from, "from");
  if (!from.ok) return from;
  const to = source.resolve(call.to);
  if (!to.ok) return { ok: false, failure: { ...to.failure, field: "to" } };
  const shown = shownPath(source.workspace, to.value.resolved);
  if (to.value.kind !== "missing") {
    return fail("runtime_precondition_failed", `${shown} already exists.`, {
      field: "to",
      recovery:
        to.value.kind === "directory"
          ? "Give the whole new path, name included."
          : "Choose another path, or delete it.",
    });
  }
  if (isInside(to.value.resolved, from.value.ref.resolved)) {
    return fail("runtime_precondition_failed", `${shown} is inside ${from.value.shown}.`, {
      field: "to",
      recovery: "Choose a path outside the directory that you move.",
    });
  }
  return ok({ from: from.value, to: to.value.resolved });
}
