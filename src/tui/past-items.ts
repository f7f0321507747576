import { callTitle } from "../cli/render/session.ts";
import { oneLine } from "../cli/render/table.ts";
import type { Outcome } from "../contract/codes.ts";
import type { ReplayCall, ReplayEntry } from "../contract/replay.ts";
import { type Item, verifiedItem } from "./screen.ts";

/** As much of the past as fits a screen or two; the rest is for `gauntlet sessions replay`. */
const mostEntries = 30;

/** How an earlier session ended, as it stood on the screen then, in short. */
export function pastItems(entries: Iterable<Outcome<ReplayEntry>>): readonly Item[] {
  const last: Item[] = [];
  let leftOut = 0;
  for (const entry of entries) {
    if (!entry.ok) continue;
    last.push(...itemOf(entry.value));
    while (last.length > mostEntries) {
      last.shift();
      leftOut += 1;
    }
  }
  const earlier: Item[] =
    leftOut === 0
      ? []
      : [{ kind: "note", tone: "quiet", text: `… ${leftOut} earlier steps: gauntlet sessions replay` }];
  return [...earlier, ...last];
}

/** What only the model was told, and what only the log needs, was not on the screen either. */
function itemOf(entry: ReplayEntry): readonly Item[] {
  switch (entry.kind) {
    case "message":
      return entry.by === "runtime" ? [] : [{ kind: "message", text: entry.text }];
    case "answer":
      return [{ kind: "said", text: entry.text.trimEnd(), first: true }];
    case "call":
      return [callItem(entry)];
    case "verification":
      return [verifiedItem(entry.verification)];
    case "note":
      return noteItems(entry);
    case "reasoning":
    case "claim":
    case "input":
    case "audit":
      return [];
  }
}

function callItem({ status, code, title, tool, input, summary }: ReplayCall): Item {
  const mark = { ok: "●", failed: "✗", denied: "⊘", open: "…" }[status];
  const tone = status === "ok" ? "plain" : status === "failed" ? "bad" : "warning";
  const head = `${mark} ${oneLine(callTitle({ title, tool }, input), longestTitle)}`;
  if (status === "ok") return { kind: "note", tone, text: head };
  return { kind: "note", tone, text: `${head} ${code ?? ""}\n  ${oneLine(summary, longestTitle)}` };
}

const longestTitle = 300;

/** In the words that the screen had for it. How a run ended is said there, so its interrupt is not said as well. */
function noteItems({ about, text, bad }: Extract<ReplayEntry, { readonly kind: "note" }>): readonly Item[] {
  switch (about) {
    case "run":
      return bad === true ? [{ kind: "note", tone: "warning", text: `■ ${text.replaceAll("_", " ")}` }] : [];
    case "interrupt":
      return [];
    case "undo":
      return [{ kind: "note", tone: "quiet", text: undoneText(text) }];
    default:
      return [{ kind: "note", tone: bad === true ? "bad" : "quiet", text: about === "mode" ? `mode ${text}` : text }];
  }
}

/** The calls that it took back stand there by their ids only. */
function undoneText(text: string): string {
  const [outcome = ""] = text.split(",");
  return outcome === "done" ? "changes were taken back" : `taking back changes: ${outcome}`;
}
