const longestSlip = 200;
const mostNear = 3;

export function nearest(name: string, known: readonly string[]): readonly string[] {
  if (name.length > longestSlip) return [];
  const wanted = name.toLowerCase();
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  return known
    .map((candidate) => ({ candidate, distance: distance(wanted, candidate.toLowerCase()) }))
    .filter((entry) => entry.distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, mostNear)
    .map((entry) => entry.candidate);
}

export function nearestTools(name: string, known: readonly string[]): readonly string[] {
  const ending = known.filter((candidate) => candidate.endsWith(`__${name}`));
  return ending.length > 0 ? ending.slice(0, mostNear) : nearest(name, known);
}

function distance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(before, j - 2) + 1 : substitute;
      next.push(Math.min(at(row, j) + 1, at(next, j - 1) + 1, substitute, swapped));
    }
    before = row;
    row = next;
  }
  return at(row, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
