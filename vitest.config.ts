import { defineConfig } from "vitest/config";

/** Count on descriptors and processes that nobody else has in their process. */
const alone = ["src/sandbox/starter.test.ts"];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    pool: "forks",
    projects: [
      {
        extends: true,
        // The modules of a file are loaded once for all that come after it in the same process: loading them for each
        // took as long as half of the tests. Nothing in src may keep state in a module, so nothing is shared but that.
        test: {
          name: "together",
          include: ["src/**/*.test.{ts,tsx}", "test/**/*.test.ts"],
          exclude: alone,
          isolate: false,
        },
      },
      { extends: true, test: { name: "alone", include: alone } },
    ],
  },
});
