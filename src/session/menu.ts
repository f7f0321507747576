import { digestOf, sha256 } from "../base/digest.ts";
import type { Door } from "../contract/app/door.ts";
import { type Outcome, ok } from "../contract/codes.ts";
import type { EventData, EventDraft } from "../contract/events/index.ts";
import { menuEntry, type ShownTool } from "../registry/registry.ts";
import type { SessionParts } from "./parts.ts";
import { visibilityContext } from "./question.ts";

/** Records what a model is shown: once at the start, and again whenever the menu or the input changes. */
export function projectMenu(
  session: SessionParts,
  { phase: wantedPhase, modelInput, turnId, decisions, tokens }: Parameters<Door["projectContext"]>[0],
): ReturnType<Door["projectContext"]> {
  const { state } = session.log;
  const { registry, keepCatalogue } = session.tools;
  registry.refresh();
  const phase = wantedPhase ?? state.phase;
  const visibility = { ...visibilityContext(session), phase };
  const menuHash = registry.menuHash(visibility);
  const sameMenu = menuHash === state.menuHash;
  const unchanged = sameMenu && phase === state.phase;
  if (unchanged && modelInput === undefined) return ok({ menuHash });

  const input = storeInput(session, modelInput);
  if (!input.ok) return input;
  const shown = sameMenu ? [] : registry.shown(visibility);
  const data: EventData<"context.projected"> = {
    ...{ turnId, phase: wantedPhase, menuHash, modelInput: input.value, tokens },
    ...(!sameMenu && recordedMenu(shown)),
    decisions: decisions && [...decisions],
  };
  const stored = session.log.append([
    ...(unchanged ? [] : changedDefinitions(session)),
    { type: "context.projected", data },
  ]);
  if (!stored.ok) return stored;
  if (!sameMenu) keepCatalogue?.(menuHash, () => shown.map(({ tool }) => menuEntry(tool, visibility)));
  const { hash, total } = input.value ?? {};
  return ok({ menuHash, ...(hash !== undefined && total !== undefined && { input: { hash, total } }) });
}

function recordedMenu(shown: readonly ShownTool[]): Pick<EventData<"context.projected">, "menu" | "named"> {
  const loaded = shown.filter((one) => one.loaded).map(({ tool }) => tool);
  const named = shown.filter((one) => !one.loaded).map(({ tool }) => tool.name);
  const menu = loaded.map(({ name, version, schemaHash, source }) => ({ name, version, schemaHash, source }));
  return { menu, ...(named.length > 0 && { named }) };
}

const longestInline = 32 * 1024;

/** Only the new part: an input that grows with every turn is not written again. */
function storeInput(
  { storage: { artifacts, redact } }: SessionParts,
  input: Parameters<Door["projectContext"]>[0]["modelInput"],
): Outcome<EventData<"context.projected">["modelInput"]> {
  if (input === undefined) return ok(undefined);
  const { added, continues } = input;
  const bytes = Buffer.byteLength(added);
  const hash = digestOf([continues?.hash ?? "", `sha256-${sha256(added)}`]);
  const common = { hash, continues: continues?.hash, bytes, total: bytes + (continues?.total ?? 0) };
  // A file for every turn is expensive; only text that the log would redact needs one.
  if (bytes <= longestInline && redact(added) === added) return ok({ ...common, added });
  const stored = artifacts.put("model_input", added);
  return stored.ok ? ok({ ...common, artifact: stored.value.id }) : stored;
}

/** Definitions are frozen for a session; one that differs from the record is itself a fact. */
function changedDefinitions({ log, tools: { registry } }: SessionParts): readonly EventDraft[] {
  return [...log.state.definitions].flatMap(([tool, { version, schemaHash }]): EventDraft[] => {
    const now = registry.tools.find(({ name }) => name === tool);
    if (now?.schemaHash === schemaHash) return [];
    const to = now && { version: now.version, schemaHash: now.schemaHash };
    return [{ type: "session.definition_changed", data: { tool, from: { version, schemaHash }, to } }];
  });
}
