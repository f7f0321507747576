import type { Prompt, Resource, ResourceTemplateType, Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { sha256 } from "../../base/digest.ts";
import type { Offer } from "./offer.ts";

export interface Page<Entry> {
  readonly entries: Entry[];
  /** Absent on the last one. */
  readonly nextCursor?: string | undefined;
}

export interface PagedList<Entry> {
  /** `undefined` for a cursor that does not belong to this list. */
  page(cursor: string | undefined): Promise<Page<Entry> | undefined>;
  forget(): void;
}

const most = { entries: 200, bytes: 1024 * 1024 };
/** For whoever reads page after page. */
const keptMs = 60_000;

/** A cursor says which entry was the last. Where that entry is gone by now, the list continues at its position. */
export function pagedList<Entry>(parts: {
  readonly name: string;
  readonly load: () => readonly Entry[] | Promise<readonly Entry[]>;
  /** What tells an entry from all others. */
  readonly keyOf: (entry: Entry) => string;
  readonly now: () => number;
}): PagedList<Entry> {
  const { name, load, keyOf, now } = parts;
  const cursors = z.tuple([z.literal(name), z.int().nonnegative(), z.string()]);
  let kept: { readonly all: readonly Entry[]; readonly until: number } | undefined;

  function read(cursor: string) {
    try {
      return cursors.safeParse(JSON.parse(Buffer.from(cursor, "base64url").toString())).data;
    } catch {
      return undefined;
    }
  }

  function startOf(all: readonly Entry[], [, at, last]: z.infer<typeof cursors>): number {
    const isLast = (entry: Entry | undefined) => entry !== undefined && short(keyOf(entry)) === last;
    return isLast(all[at - 1]) ? at : all.findIndex(isLast) + 1 || at;
  }

  return {
    async page(cursor) {
      const place = cursor === undefined ? undefined : read(cursor);
      if (cursor !== undefined && place === undefined) return undefined;
      if (place === undefined || kept === undefined || kept.until < now()) {
        kept = { all: await load(), until: now() + keptMs };
      }
      const { all } = kept;
      const from = place === undefined ? 0 : startOf(all, place);
      const entries = fittingFrom(all, from);
      const last = entries.at(-1);
      const end = from + entries.length;
      if (last !== undefined && end < all.length) {
        const next = JSON.stringify([name, end, short(keyOf(last))]);
        return { entries, nextCursor: Buffer.from(next).toString("base64url") };
      }
      kept = undefined;
      return { entries };
    },
    forget() {
      kept = undefined;
    },
  };
}

/** At least one, however large it is: nobody would get past it otherwise. */
function fittingFrom<Entry>(all: readonly Entry[], from: number): Entry[] {
  const entries = all.slice(from, from + most.entries);
  let room = most.bytes;
  const tooMany = entries.findIndex((entry, index) => {
    room -= JSON.stringify(entry).length;
    return room < 0 && index > 0;
  });
  return tooMany < 0 ? entries : entries.slice(0, tooMany);
}

function short(key: string): string {
  return sha256(key).slice(0, 16);
}

export type OfferedLists = ReturnType<typeof offeredLists>;

/** The lists of an offer for all of its clients. */
export function offeredLists({ tools, prompts, resources }: Offer) {
  const now = () => performance.now();
  const uriOf = ({ uri }: Resource) => uri;
  const templateOf = ({ uriTemplate }: ResourceTemplateType) => uriTemplate;
  const nameOf = ({ name }: Tool | Prompt) => name;
  return {
    tools: pagedList({ name: "tools/list", load: () => tools?.list() ?? [], keyOf: nameOf, now }),
    prompts: pagedList({ name: "prompts/list", load: () => prompts?.list() ?? [], keyOf: nameOf, now }),
    resources: pagedList({ name: "resources/list", load: () => resources?.list() ?? [], keyOf: uriOf, now }),
    templates: pagedList({
      name: "resources/templates/list",
      load: () => resources?.templates() ?? [],
      keyOf: templateOf,
      now,
    }),
  };
}
