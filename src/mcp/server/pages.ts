import type { McpOffer } from "./offer.ts";

export interface ListPage<Entry> {
  readonly entries: Entry[];
  readonly nextCursor?: string | undefined;
}

export interface PagedList<Entry> {
  /** `undefined` for a cursor that does not belong to this list. */
  page(cursor: string | undefined): Promise<ListPage<Entry> | undefined>;
  forget(): void;
}

const most = { entries: 200, bytes: 1024 * 1024 };

/** A cursor is a position in the list that was loaded for the last first page, until `forget`. */
export function pagedList<Entry>(
  name: string,
  load: () => readonly Entry[] | Promise<readonly Entry[]>,
): PagedList<Entry> {
  let kept: readonly Entry[] | undefined;
  return {
    async page(cursor) {
      const from = cursor === undefined ? 0 : positionIn(cursor, name);
      if (from === undefined) return undefined;
      if (cursor === undefined || kept === undefined) kept = await load();
      const entries = fittingFrom(kept, from);
      const end = from + entries.length;
      return end < kept.length ? { entries, nextCursor: `${name} ${end}` } : { entries };
    },
    forget() {
      kept = undefined;
    },
  };
}

function positionIn(cursor: string, name: string): number | undefined {
  const position = cursor.startsWith(`${name} `) ? cursor.slice(name.length + 1) : "";
  return /^\d{1,9}$/.test(position) ? Number(position) : undefined;
}

/** At least one, however large: otherwise no client could get past it. */
function fittingFrom<Entry>(all: readonly Entry[], from: number): Entry[] {
  const entries = all.slice(from, from + most.entries);
  let room = most.bytes;
  const tooMany = entries.findIndex((entry, index) => {
    room -= JSON.stringify(entry).length;
    return room < 0 && index > 0;
  });
  return tooMany < 0 ? entries : entries.slice(0, tooMany);
}

export type OfferedLists = ReturnType<typeof offeredLists>;

export function offeredLists({ tools, prompts, resources }: McpOffer) {
  return {
    tools: pagedList("tools/list", () => tools?.list() ?? []),
    prompts: pagedList("prompts/list", () => prompts?.list() ?? []),
    resources: pagedList("resources/list", () => resources?.list() ?? []),
    templates: pagedList("resources/templates/list", () => resources?.templates() ?? []),
  };
}
