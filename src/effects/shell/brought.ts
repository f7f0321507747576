/** What of a text came from another machine, on the way through it. It only grows: a loop may come back. */
export interface Brought {
  /** Absolute. */
  readonly files: Set<string>;
  /** Last names of files that may lie anywhere. */
  readonly names: Set<string>;
  readonly variables: Set<string>;
}

export function nothingBrought(): Brought {
  return { files: new Set(), names: new Set(), variables: new Set() };
}
