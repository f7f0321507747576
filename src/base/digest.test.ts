import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalCopy, canonicalJson, sha256 } from "./digest.ts";

/** As it is defined: the same JSON, with the keys of every object in order. */
function slowly(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}

test("is JSON with sorted keys, for anything that JSON can be made of", () => {
  fc.assert(
    fc.property(fc.anything({ withDate: true, withNullPrototype: true, withSparseArray: true }), (value) => {
      expect(canonicalJson({ value })).toBe(slowly({ value }));
    }),
  );
});

test.each([
  ["a name that is a prototype elsewhere", JSON.parse('{"z":1,"__proto__":{"b":1,"a":2}}')],
  ["nothing, where it counts and where it does not", { b: undefined, a: [undefined, () => 1], c: Number.NaN }],
  ["names that are numbers", { b: 1, 10: 2, 9: 3 }],
])("%s", (_name, value) => {
  expect(canonicalJson(value)).toBe(slowly(value));
});

test("a canonical copy is what its JSON is read as, and shares nothing with what it was made of", () => {
  fc.assert(
    fc.property(fc.anything({ withDate: true, withNullPrototype: true, withSparseArray: true }), (value) => {
      const copy = canonicalCopy({ value });
      expect(copy).toStrictEqual(JSON.parse(canonicalJson({ value })));
      expect(Object.keys(copy as object).length === 0 || sharesNothing(copy, { value })).toBe(true);
    }),
  );
});

function sharesNothing(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null) return true;
  return (
    one !== other && Object.keys(one).every((key) => sharesNothing(Reflect.get(one, key), Reflect.get(other, key)))
  );
}

test("hashes to hexadecimal", () => {
  expect(sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
});
