import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Prompt, Resource, ResourceTemplateType, Tool } from "@modelcontextprotocol/server";
import type { Offer } from "./offer.ts";

export interface Page<Entry> {
  readonly entries: Entry[];
  /** Absent on the last one. */
  readonly nextCursor?: string;
}

export interface PagedList<Entry> {
  /** `undefined` for a cursor that was not given out for this list. */
  page(cursor: string | undefined): Promise<Page<Entry> | undefined>;
  /** It is another one by now. */
  forget(): void;
}

const most = { entries: 200, bytes: 1024 * 1024 };
const size = { at: 4, key: 8, seal: 16 };
const sealed = size.at + size.key;
/** For whoever reads page after page. */
const keptMs = 60_000;

/**
 * Hands out a list a page at a time. A cursor says which entry was the last, and is sealed with a key of this process:
 * nothing that is kept here has to be there for it. Where that entry is gone by now, the list goes on at its place.
 */
export function pagedList<Entry>(parts: {
  /** The protocol's name of it. */
  readonly name: string;
  readonly load: () => readonly Entry[] | Promise<readonly Entry[]>;
  /** What tells an entry from all others. */
  readonly keyOf: (entry: Entry) => string;
  readonly key: Uint8Array;
  readonly now: () => number;
}): PagedList<Entry> {
  const { name, load, keyOf, now } = parts;
  /** Pages of one reading belong together, and servers that take long are not waited for with each of them. */
  let kept: { readonly all: readonly Entry[]; readonly until: number } | undefined;

  const sealOf = (place: Uint8Array) =>
    createHmac("sha256", parts.key).update(`${name}\n`).update(place).digest().subarray(0, size.seal);

  function cursorFor(at: number, lastKey: string): string {
    const place = Buffer.alloc(sealed);
    place.writeUInt32BE(at);
    shortened(lastKey).copy(place, size.at);
    return Buffer.concat([place, sealOf(place)]).toString("base64url");
  }

  function placeOf(cursor: string): { readonly at: number; readonly last: Buffer } | undefined {
    const bytes = Buffer.from(cursor, "base64url");
    if (bytes.length !== sealed + size.seal || bytes.toString("base64url") !== cursor) return undefined;
    const place = bytes.subarray(0, sealed);
    if (!timingSafeEqual(bytes.subarray(sealed), sealOf(place))) return undefined;
    return { at: place.readUInt32BE(), last: place.subarray(size.at) };
  }

  function startOf(all: readonly Entry[], { at, last }: { readonly at: number; readonly last: Buffer }): number {
    const isLast = (entry: Entry | undefined) => entry !== undefined && shortened(keyOf(entry)).equals(last);
    if (isLast(all[at - 1])) return at;
    const found = all.findIndex(isLast);
    return found < 0 ? at : found + 1;
  }

  return {
    async page(cursor) {
      const place = cursor === undefined ? undefined : placeOf(cursor);
      if (cursor !== undefined && place === undefined) return undefined;
      if (place === undefined || kept === undefined || kept.until < now()) {
        kept = { all: await load(), until: now() + keptMs };
      }
      const { all } = kept;
      const from = place === undefined ? 0 : startOf(all, place);
      const entries = fittingFrom(all, from);
      const [last] = entries.slice(-1);
      const end = from + entries.length;
      if (last !== undefined && end < all.length) return { entries, nextCursor: cursorFor(end, keyOf(last)) };
      kept = undefined;
      return { entries };
    },
    forget() {
      kept = undefined;
    },
  };
}

/** One at least, however large it is: nobody would get past it otherwise. */
function fittingFrom<Entry>(all: readonly Entry[], from: number): Entry[] {
  const entries = all.slice(from, from + most.entries);
  let room = most.bytes;
  const tooMany = entries.findIndex((entry, index) => {
    room -= JSON.stringify(entry).length;
    return room < 0 && index > 0;
  });
  return tooMany < 0 ? entries : entries.slice(0, tooMany);
}

function shortened(key: string): Buffer {
  return createHash("sha256").update(key).digest().subarray(0, size.key);
}

/** The lists of an offer for all of its clients. */
export interface OfferedLists {
  readonly tools: PagedList<Tool>;
  readonly prompts: PagedList<Prompt>;
  readonly resources: PagedList<Resource>;
  readonly templates: PagedList<ResourceTemplateType>;
}

export function offeredLists({ tools, prompts, resources }: Offer): OfferedLists {
  const common = { key: randomBytes(32), now: () => performance.now() };
  return {
    tools: pagedList({
      ...common,
      name: "tools/list",
      load: () => tools?.list() ?? [],
      keyOf: ({ name }) => name,
    }),
    prompts: pagedList({
      ...common,
      name: "prompts/list",
      load: () => prompts?.list() ?? [],
      keyOf: ({ name }) => name,
    }),
    resources: pagedList({
      ...common,
      name: "resources/list",
      load: () => resources?.list() ?? [],
      keyOf: ({ uri }) => uri,
    }),
    templates: pagedList({
      ...common,
      name: "resources/templates/list",
      load: () => resources?.templates() ?? [],
      keyOf: ({ uriTemplate }) => uriTemplate,
    }),
  };
}
