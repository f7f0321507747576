import fc from "fast-check";

/** Names that some reader of paths has stumbled over: patterns, spaces, other scripts, two Unicode forms, long ones. */
const characters = [..."abcXYZ019._- ~!@#$%^&()+=,;'`\"[]{}*?\\:|<>\t", "é", "e\u0301", "Å", "ß", "İ", "ﬁ", "日", "🧤"];

export const oddName: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 6, arbitrary: fc.array(fc.constantFrom(...characters), { minLength: 1, maxLength: 8 }).map(joined) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "...",
        "-rf",
        "*",
        "**",
        "a*b",
        "[ab]",
        "{a,b}",
        "\\",
        "!",
        "~",
        "~root",
        "x".repeat(200),
      ),
    },
  )
  .filter((name) => name !== "." && name !== "..");

function joined(parts: readonly string[]): string {
  return parts.join("");
}
