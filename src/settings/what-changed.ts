import type { ChangedItem } from "../contract/settings.ts";
import { visibleText } from "../contract/visible-text.ts";
import type { BoundFiles } from "./named-files.ts";
import type { Offer } from "./project-offers.ts";

/** An item as somebody trusted it. */
export interface Former {
  readonly hash: string;
  /** Those that it covered. Absent: nobody wrote them down. */
  readonly files: BoundFiles | undefined;
}

const mostNamed = 3;
const someOfIt = "its entry, or a file that it covers";

/** An item that was trusted as one of these, the latest last; none where it was not. */
export function changed(offer: Offer, former: readonly Former[]): readonly ChangedItem[] {
  const last = former.at(-1);
  const { hash, refused } = offer.item;
  if (last === undefined || refused !== undefined) return [];
  const detail = `it changed since it was trusted (${whatChanged(offer, last)})`;
  return [{ hash, formerly: former.map((one) => one.hash), detail }];
}

/** What of an item is not as it was trusted: the entry itself, or which of the files that it covers. Names only. */
function whatChanged({ item, hashWith }: Offer, { hash, files }: Former): string {
  if (files === undefined || hashWith === undefined) return someOfIt;
  const [then, now] = [new Map(files), new Map(item.bound)];
  const isEntry = hashWith(files) !== hash;
  // Another entry names other files: those alone are news that it named before.
  const all = isEntry ? [...then.keys()].filter((file) => now.has(file)) : new Set([...then.keys(), ...now.keys()]);
  const others = [...all].filter((file) => then.get(file) !== now.get(file));
  const named = others.slice(0, mostNamed).map((file) => visibleText(file).replace(/\s+/g, " "));
  const more = others.length > named.length ? [`${others.length - named.length} more`] : [];
  return [...(isEntry ? ["its entry"] : []), ...named, ...more].join(", ") || someOfIt;
}
