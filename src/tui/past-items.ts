import type { Outcome } from "../contract/codes.ts";
import type { ReplayEntry } from "../contract/replay.ts";
import { type Item, verifiedItem } from "./screen.ts";

/** As much of the past as fits a screen or two; the rest is for `gauntlet sessions replay`. */
const mostEntries = 30;

/** How an earlier session ended, as it stood on the screen then, in short. */
export function pastItems(entries: Iterable<Outcome<ReplayEntry>>): readonly Item[] {
  const last: ReplayEntry[] = [];
  let leftOut = 0;
  for (const entry of entries) {
    if (!entry.ok) continue;
    last.push(entry.value);
    if (last.length > mostEntries) {
      last.shift();
      leftOut += 1;
    }
  }
  const earlier: Item[] =
    leftOut === 0
      ? []
      : [{ kind: "note", tone: "quiet", text: `… ${leftOut} earlier steps: gauntlet sessions replay` }];
  return [...earlier, ...last.flatMap(itemOf)];
}

function itemOf(entry: ReplayEntry): readonly Item[] {
  switch (entry.kind) {
    case "message":
      return entry.by === "runtime"
        ? [{ kind: "note", tone: "quiet", text: entry.text }]
        : [{ kind: "message", text: entry.text }];
    case "answer":
      return [{ kind: "said", text: entry.text.trimEnd(), first: true }];
    case "call": {
      const mark = { ok: "●", failed: "✗", denied: "⊘", open: "…" }[entry.status];
      const tone = entry.status === "ok" ? "plain" : entry.status === "failed" ? "bad" : "warning";
      return [{ kind: "note", tone, text: `${mark} ${entry.title}` }];
    }
    case "verification":
      return [verifiedItem(entry.verification)];
    case "note":
      return [{ kind: "note", tone: entry.bad === true ? "bad" : "quiet", text: entry.text }];
    case "reasoning":
    case "claim":
    case "input":
    case "audit":
      return [];
  }
}
