import { expect, test } from "vitest";
import { clip } from "./clip.ts";

test.each([
  ["short", 5, "short"],
  ["longer", 5, "long…"],
  ["ab🎉cd", 4, "ab…"],
  ["ab🎉cd", 5, "ab🎉…"],
  ["🎉🎉", 1, "…"],
  ["", 0, ""],
])("%j in %i characters is %j", (text, most, shown) => {
  expect(clip(text, most)).toBe(shown);
});
