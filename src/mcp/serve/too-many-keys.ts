/** Keys of one object. What a tool does not know of them is looked for among those that it knows, and told of in words. */
export const mostKeys = 10_000;

export function hasTooManyKeys(input: unknown): boolean {
  const left: unknown[] = [input];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== "object" || value === null) continue;
    const within = Object.values(value);
    if (!Array.isArray(value) && within.length > mostKeys) return true;
    for (const one of within) left.push(one);
  }
  return false;
}
