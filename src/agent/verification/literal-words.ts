import type { SimpleCommand } from "../../shell/tree.ts";

/** What only the running shell knows is shown as `?`, which no program is called. */
export function literalWords({ words }: SimpleCommand): readonly string[] {
  return words.map(({ pieces }) => pieces.map((piece) => (piece.kind === "text" ? piece.value : "?")).join(""));
}
