/** Makes names for files that exist only while an operation is under way. The tag says whose they are after a crash. */
export type TemporaryNames = () => string;

export function createTemporaryNames(tag: string, nextNumber: () => number): TemporaryNames {
  return () => `.gauntlet-${tag}-${nextNumber()}.tmp`;
}

export function isTemporaryName(name: string, tag: string): boolean {
  const prefix = `.gauntlet-${tag}-`;
  return name.startsWith(prefix) && /^\d+\.tmp$/.test(name.slice(prefix.length));
}

export function checkTag(tag: string): void {
  if (/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(tag)) return;
  throw new Error(`A tag for temporary files must be a plain word: ${JSON.stringify(tag)}`);
}
