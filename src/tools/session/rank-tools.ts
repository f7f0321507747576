import type { MenuEntry } from "../../contract/tool-facts.ts";

type Described = Pick<MenuEntry, "name" | "description" | "searchHint">;

const weights = { name: 8, hint: 4, description: 1 } as const;
const wholeName = 20;

/** Best first, without tools that match no word of the query. Ties are in order of their names. */
export function rankTools<Entry extends Described>(query: string, entries: readonly Entry[]): readonly Entry[] {
  const wanted = [...new Set(wordsOf(query))];
  const rarity = rarityOf(wanted, entries);
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, wanted, rarity) + namedBy(query, entry) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.entry.name < b.entry.name ? -1 : 1))
    .map(({ entry }) => entry);
}

function namedBy(query: string, { name }: Described): number {
  const words = wordsOf(query).join(" ");
  return words !== "" && wordsOf(name).join(" ").endsWith(words) ? wholeName : 0;
}

function scoreOf(entry: Described, wanted: readonly string[], rarity: ReadonlyMap<string, number>): number {
  const places = placesOf(entry);
  return wanted.reduce((sum, word) => sum + (rarity.get(word) ?? 0) * bestPlace(word, places), 0);
}

function bestPlace(word: string, places: ReturnType<typeof placesOf>): number {
  return Math.max(...places.map(({ words, weight }) => weight * likeness(word, words)));
}

/** Verbs with the same meaning. */
const sameVerbs = [
  "add create insert launch make new post schedule write",
  "cancel clear delete destroy drop erase purge remove",
  "browse enumerate find list lookup query search show",
  "describe fetch get inspect read retrieve show view",
  "alter change edit modify move rename set update",
  "execute invoke launch run start",
].map((line) => new Set(line.split(" ")));

/** The same word, one with the same beginning, or a synonym. */
function likeness(word: string, words: ReadonlySet<string>): number {
  if (words.has(word)) return 1;
  if (sameVerbs.some((verbs) => verbs.has(word) && [...verbs].some((verb) => words.has(verb)))) return 0.5;
  if (word.length < 3) return 0;
  for (const other of words) {
    if (other.length >= 3 && (other.startsWith(word) || word.startsWith(other))) return 0.6;
  }
  return 0;
}

/** A word that every tool has distinguishes them least. */
function rarityOf(wanted: readonly string[], entries: readonly Described[]): ReadonlyMap<string, number> {
  const all = entries.map((entry) => placesOf(entry));
  return new Map(
    wanted.map((word) => {
      const having = all.filter((places) => bestPlace(word, places) > 0).length;
      return [word, Math.log(1 + entries.length / (1 + having))];
    }),
  );
}

function placesOf({ name, searchHint = "", description }: Described) {
  return [
    { words: new Set(wordsOf(name)), weight: weights.name },
    { words: new Set(wordsOf(searchHint)), weight: weights.hint },
    { words: new Set(wordsOf(description)), weight: weights.description },
  ];
}

const empty = new Set("a an and as at by for from in into is it its of on or that the this to with mcp".split(" "));

/** `getUserById`, `get_user-by.id` and `Get user by id` are the same words. */
function wordsOf(text: string): readonly string[] {
  return text
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && !empty.has(word))
    .map(singular);
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}
