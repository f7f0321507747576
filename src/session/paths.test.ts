import { expect, test } from "vitest";
import type { FileStat } from "../contract/changes.ts";
import { initialState } from "../log/reduce.ts";
import { notableChange } from "./paths.ts";

test.each<[string, Pick<FileStat, "kind">, string | undefined]>([
  ["/w/.git/COMMIT_EDITMSG", { kind: "file" }, undefined],
  ["/w/.git/COMMIT_EDITMSG", { kind: "symlink" }, "a link among git's own files that git would write through"],
  ["/elsewhere/store.git/logs/HEAD", { kind: "symlink" }, "a link among git's own files that git would write through"],
  ["/w/.git/objects/ab/cd", { kind: "symlink" }, undefined],
  ["/w/src/link", { kind: "symlink" }, undefined],
])("%s as %j is told of: %j", (path, is, why) => {
  const state = { ...initialState("ses_1"), workspace: "/w", roots: ["/w"] };
  const metadata = { lstat: () => is } as never;
  const told = notableChange({
    log: { state } as never,
    places: { home: "/home/ann", stateDirectory: "/state", metadata },
  });
  expect(told({ path, change: "modified" })).toBe(why);
});
