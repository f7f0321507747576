/** A change in one of these folders is tried against these tests. */
export const rooms: readonly { readonly folder: string; readonly tests: readonly string[] }[] = [
  { folder: "src/effects/", tests: ["src/effects/**/*.test.ts", "src/shell/**/*.test.ts"] },
  { folder: "src/programs/", tests: ["src/programs/**/*.test.ts", "src/shell/**/*.test.ts"] },
  { folder: "src/shell/", tests: ["src/shell/**/*.test.ts"] },
  {
    folder: "src/gate/",
    tests: ["src/gate/**/*.test.ts", "test/gate-matrix/{defaults,denied-forms,matrix,rules,suggested-rules}.test.ts"],
  },
];

/**
 * What is not tried: thousands of random texts, other programs asked what they make of them, and texts as long as the
 * limits. They find new faults; for each of thousands of mutants they would take days.
 */
export const leftOut: readonly RegExp[] = [
  /words-like-bash/,
  /never throws/,
  /is the judge/,
  /itself finds/,
  /runs it$/,
  /random/,
  /no error to bash/,
  /beyond the limits/,
  /however long the command is/,
  /however often/,
  /in time that grows/,
];
