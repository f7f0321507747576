import fc from "fast-check";
import { expect, test } from "vitest";
import { groupedNumber } from "./grouped-number.ts";

test("reads as the language does", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      expect(groupedNumber(value)).toBe(value.toLocaleString("en-US"));
    }),
  );
});
