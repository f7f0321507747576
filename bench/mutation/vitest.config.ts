import { configDefaults, defineConfig } from "vitest/config";

/**
 * The tests that a mutant of `effects/` or `gate/` is tried against: those that say the same thing every time and
 * say it quickly. Thousands of random texts, and other programs asked what they make of them, find new faults;
 * for each of thousands of mutants they would take days.
 */
export default defineConfig({
  test: {
    include: [
      "src/effects/**/*.test.ts",
      "src/gate/**/*.test.ts",
      "test/gate-matrix/defaults.test.ts",
      "test/gate-matrix/rules.test.ts",
      "test/gate-matrix/suggested-rules.test.ts",
    ],
    exclude: [...configDefaults.exclude, "src/effects/shell/words-like-bash.test.ts"],
    testNamePattern: /^(?!.*(?:never throws|is the judge|itself finds|runs it$|random))/,
    testTimeout: 30_000,
    pool: "forks",
  },
});
