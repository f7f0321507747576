import { callTitle } from "../cli/render/session.ts";
import { bytesText, oneLine } from "../cli/render/table.ts";
import type { App } from "../contract/app/app.ts";
import type { ReplayCall, ReplayEntry, SaidMessage } from "../contract/app/archive.ts";
import { type Outcome, ok } from "../contract/codes.ts";
import type { Event } from "../contract/events/index.ts";
import type { SessionId } from "../contract/ids.ts";
import type { Observation } from "../contract/observation.ts";
import { keepOutput } from "./call-output.ts";
import { type ScreenItem, verifiedItem } from "./screen.ts";

const mostEntries = 30;

interface Past {
  readonly items: readonly ScreenItem[];
  readonly outputs: readonly Observation[];
}

export function readPast(app: Pick<App, "replay" | "archive">, session: SessionId): Outcome<Past> {
  const replayed = app.replay(session, { view: "conversation" });
  if (!replayed.ok) return replayed;
  const { items, firstCall: from } = pastItems(replayed.value);
  if (from === undefined) return ok({ items, outputs: [] });
  const archive = app.archive();
  const observed = archive.ok ? archive.value.events(session, { from, types: ["tool.observed"] }) : archive;
  const outputs = observed.ok ? lastOutputs(observed.value) : [];
  return ok({ items: outputs.length === 0 ? items : [...items, outputHint], outputs });
}

const outputHint: ScreenItem = {
  kind: "note",
  tone: "quiet",
  text: "Ctrl+O shows the full output of the last call; again: the previous call",
};

function lastOutputs(events: Iterable<Event>): readonly Observation[] {
  let outputs: readonly Observation[] = [];
  for (const event of events) {
    if (event.type === "tool.observed") outputs = keepOutput(outputs, event.data.observation);
  }
  return outputs;
}

export function pastItems(entries: Iterable<Outcome<ReplayEntry>>): {
  readonly items: readonly ScreenItem[];
  readonly firstCall?: number;
} {
  const last: { readonly item: ScreenItem; readonly call?: number }[] = [];
  let leftOut = 0;
  for (const entry of entries) {
    if (!entry.ok) continue;
    const call = entry.value.kind === "call" ? { call: entry.value.to } : {};
    last.push(...itemsOf(entry.value).map((item) => ({ item, ...call })));
    while (last.length > mostEntries) {
      last.shift();
      leftOut += 1;
    }
  }
  const firstCall = last.find(({ call }) => call !== undefined)?.call;
  const earlier: ScreenItem[] =
    leftOut === 0
      ? []
      : [{ kind: "note", tone: "quiet", text: `… ${leftOut} earlier steps: gauntlet sessions replay` }];
  return {
    items: [...earlier, ...last.map(({ item }) => item)],
    firstCall,
  };
}

function itemsOf(entry: ReplayEntry): readonly ScreenItem[] {
  switch (entry.kind) {
    case "message":
      return entry.by === "runtime" ? [] : messageItems(entry);
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

function messageItems({ text, piped }: SaidMessage): readonly ScreenItem[] {
  const said: ScreenItem = { kind: "message", text };
  if (piped === undefined) return [said];
  return [said, { kind: "note", tone: "quiet", text: `with ${bytesText(piped.bytes)} of standard input` }];
}

function callItem({ status, code, title, tool, input, summary }: ReplayCall): ScreenItem {
  const mark = { ok: "●", failed: "✗", denied: "⊘", open: "…" }[status];
  const tone = status === "ok" ? "plain" : status === "failed" ? "bad" : "warning";
  const head = `${mark} ${oneLine(callTitle({ title, tool }, input), longestTitle)}`;
  if (status === "ok") return { kind: "note", tone, text: head };
  return { kind: "note", tone, text: `${head} ${code ?? ""}\n  ${oneLine(summary, longestTitle)}` };
}

const longestTitle = 300;

function noteItems({ about, text, bad }: Extract<ReplayEntry, { readonly kind: "note" }>): readonly ScreenItem[] {
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

function undoneText(text: string): string {
  const [outcome = ""] = text.split(",");
  return outcome === "done" ? "changes reverted" : `undo: ${outcome}`;
}
