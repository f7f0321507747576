import { digestOf, sha256 } from "../base/digest.ts";
import type { Door } from "../contract/app/door.ts";
import { type Outcome, ok } from "../contract/codes.ts";
import type { EventData, EventDraft } from "../contract/events/index.ts";
import { menuEntry, type ShownTool } from "../registry/registry.ts";
import { type SessionParts, visibilityContext } from "./parts.ts";

/** Records what a model is shown: once at the start, and again whenever the menu or the input is another. */
export function projectMenu(
  session: SessionParts,
  context: Parameters<Door["projectContext"]>[0],
): ReturnType<Door["projectContext"]> {
  session.registry.refresh();
  const phase = context.phase ?? session.log.state.phase;
  const visibility = { ...visibilityContext(session), phase };
  const menuHash = session.registry.menuHash(visibility);
  const unchanged = menuHash === session.log.state.menuHash && phase === session.log.state.phase;
  if (unchanged && context.modelInput === undefined) return ok({ menuHash });

  const input = storeInput(session, context.modelInput);
  if (!input.ok) return input;
  const sameMenu = menuHash === session.log.state.menuHash;
  const shown = sameMenu ? [] : session.registry.shown(visibility);
  const stored = session.log.append([
    ...(unchanged ? [] : changedDefinitions(session)),
    {
      type: "context.projected",
      data: {
        ...(context.turnId === undefined ? {} : { turnId: context.turnId }),
        ...(context.phase === undefined ? {} : { phase: context.phase }),
        ...(sameMenu ? {} : recordedMenu(shown)),
        menuHash,
        ...(input.value === undefined ? {} : { modelInput: input.value }),
        ...(context.decisions === undefined ? {} : { decisions: [...context.decisions] }),
        ...(context.tokens === undefined ? {} : { tokens: context.tokens }),
      },
    },
  ]);
  if (!stored.ok) return stored;
  if (!sameMenu) session.keepCatalogue?.(menuHash, () => shown.map(({ tool }) => menuEntry(tool, visibility)));
  return ok({
    menuHash,
    ...(input.value === undefined ? {} : { input: { hash: input.value.hash, total: input.value.total } }),
  });
}

function recordedMenu(shown: readonly ShownTool[]): Pick<EventData<"context.projected">, "menu" | "named"> {
  const menu = shown.filter(({ loaded }) => loaded).map(({ tool }) => recordedEntry(tool));
  const named = shown.filter(({ loaded }) => !loaded).map(({ tool }) => tool.name);
  return { menu, ...(named.length === 0 ? {} : { named }) };
}

function recordedEntry({ name, version, schemaHash, source }: ShownTool["tool"]) {
  return { name, version, schemaHash, source };
}

const longestInline = 32 * 1024;

/** Only what is new: an input that grows by a turn is not written anew with every turn. */
function storeInput(
  { artifacts, redact }: SessionParts,
  input: Parameters<Door["projectContext"]>[0]["modelInput"],
): Outcome<EventData<"context.projected">["modelInput"]> {
  if (input === undefined) return ok(undefined);
  const { added, continues } = input;
  const bytes = Buffer.byteLength(added);
  const common = {
    hash: digestOf([continues?.hash ?? "", `sha256-${sha256(added)}`]),
    ...(continues === undefined ? {} : { continues: continues.hash }),
    bytes,
    total: bytes + (continues?.total ?? 0),
  };
  // A file for every turn costs more than all the rest of it; what would be changed on its way into the log needs one.
  if (bytes <= longestInline && redact(added) === added) return ok({ ...common, added });
  const stored = artifacts.put("model_input", added);
  return stored.ok ? ok({ ...common, artifact: stored.value.id }) : stored;
}

/** Definitions are frozen for a session; one that differs from the record is itself a fact. */
function changedDefinitions(session: SessionParts): readonly EventDraft[] {
  const current = new Map(session.registry.tools.map((tool) => [tool.name, tool]));
  return [...session.log.state.definitions].flatMap(([name, known]): EventDraft[] => {
    const tool = current.get(name);
    if (tool?.schemaHash === known.schemaHash) return [];
    return [
      {
        type: "session.definition_changed",
        data: {
          tool: name,
          from: { version: known.version, schemaHash: known.schemaHash },
          ...(tool === undefined ? {} : { to: { version: tool.version, schemaHash: tool.schemaHash } }),
        },
      },
    ];
  });
}
