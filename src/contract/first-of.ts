/** What is found first, looking at one after the other. */
export function firstOf<Item, Found>(
  items: readonly Item[],
  look: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
