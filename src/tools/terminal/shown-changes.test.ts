import { describe, expect, test } from "vitest";
import { notableNote, type ShownChange, shownChanges } from "./shown-changes.ts";

const created = (path: string, notable?: string): ShownChange => ({
  path,
  change: "created",
  ...(notable === undefined ? {} : { notable }),
});
const many = (count: number, directory: string, notable?: string) =>
  Array.from({ length: count }, (_, at) => created(`${directory}/${at}`, notable));

function listed(changes: readonly ShownChange[]): readonly string[] {
  return shownChanges(changes, "files").flatMap((draft) => (draft.format === "stream" ? [] : draft.text.split("\n")));
}

describe("what a command changed", () => {
  test("nothing", () => {
    expect([shownChanges([], "files"), notableNote([])]).toEqual([[], ""]);
  });

  test("nothing that anybody must know of", () => {
    expect([listed(many(2, "out")), notableNote(many(2, "out"))]).toEqual([["created out/0", "created out/1"], ""]);
  });

  test("what is notable is not pushed out by what is notable as well", () => {
    const changes = [
      ...many(500, "a/.github/workflows", "protected: CI workflow"),
      created(".npmrc", "protected: tool"),
    ];
    const lines = [
      "created .npmrc (protected: tool)",
      "changed 500 files in a/.github/workflows (protected: CI workflow)",
    ];
    expect(listed(changes)).toEqual(lines);
    expect(notableNote(changes)).toBe(` It also ${lines.join(", ")}.`);
  });

  test("a move says where to", () => {
    expect(listed([{ path: "a", change: "moved", to: ".npmrc", notable: "protected: tool" }])).toEqual([
      "moved a to .npmrc (protected: tool)",
    ]);
  });

  test("a name cannot pretend to be another line", () => {
    expect(listed([created("a\ncreated b\u202e\r")])).toEqual(["created a\\ncreated b\\u{202e}\\u{d}"]);
  });
});
