import fc from "fast-check";
import { expect, it } from "vitest";
import { turnAllowance } from "./bound-content.ts";

it.each([
  [200_000, 1, 200_000],
  [200_000, 6, 33_333],
  [1_000, 10, 400],
  [200_000, 0, 200_000],
])("%d characters for a batch of %d give %d each", (turn, batch, share) => {
  expect(turnAllowance(turn, batch)).toBe(share);
});

it("never hands out more than there is while shares leave room to say something", () => {
  fc.assert(
    fc.property(fc.integer({ min: 10_000, max: 1_000_000 }), fc.integer({ min: 1, max: 25 }), (turn, batch) => {
      expect(turnAllowance(turn, batch) * batch).toBeLessThanOrEqual(turn);
    }),
  );
});
