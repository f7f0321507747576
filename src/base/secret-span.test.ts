import fc from "fast-check";
import { expect, test } from "vitest";
import { type SecretSpan, withMarks } from "./secret-span.ts";

const text = "a secret\nover three\r\nlines b";
const span = { from: 2, to: 26, mark: "[m]" };

test.each([
  ["nothing", text, [], undefined, text],
  ["every line of a secret", text, [span], undefined, "a [m]\n[m]\r\n[m] b"],
  ["a stretch inside", text, [span], { from: 9, to: 15 }, "[m]"],
  ["a stretch that ends inside", text, [span], { from: 0, to: 5 }, "a [m]"],
  ["a stretch that begins inside", text, [span], { from: 12, to: 28 }, "[m]\r\n[m] b"],
  ["a stretch beside", text, [span], { from: 26, to: 28 }, " b"],
  ["an empty line of a secret", "x\n\ny", [{ from: 0, to: 4, mark: "[m]" }], undefined, "[m]\n\n[m]"],
  [
    "two",
    "one two",
    [
      { from: 0, to: 3, mark: "$&" },
      { from: 4, to: 7, mark: "[b]" },
    ],
    undefined,
    "$& [b]",
  ],
])("%s", (_, whole, spans, stretch, shown) => {
  expect(withMarks(whole, spans, stretch)).toBe(shown);
});

test("lines keep their numbers, and nothing of a secret is left", () => {
  const piece = fc.record({
    plain: fc.stringMatching(/^[a-z \r\n]{0,12}$/),
    secret: fc.stringMatching(/^[A-Z\n]{0,12}$/),
  });
  fc.assert(
    fc.property(fc.array(piece), fc.nat(), fc.nat(), (pieces, a, b) => {
      const spans: SecretSpan[] = [];
      let whole = "";
      for (const { plain, secret } of pieces) {
        whole += plain;
        spans.push({ from: whole.length, to: whole.length + secret.length, mark: "*" });
        whole += secret;
      }
      const [from, to] = [a % (whole.length + 1), b % (whole.length + 1)].toSorted((x, y) => x - y) as [number, number];
      const shown = withMarks(whole, spans, { from, to });
      expect(shown.split("\n")).toHaveLength(whole.slice(from, to).split("\n").length);
      expect(shown).not.toMatch(/[A-Z]/);
      expect(shown.replace(/[*\n]/g, "")).toBe(whole.slice(from, to).replace(/[A-Z\n]/g, ""));
    }),
  );
});
