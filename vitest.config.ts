import { defineConfig } from "vitest/config";

/** They count descriptors, children or memory of their own process, so nobody else may be in it. */
const alone = [
  "src/sandbox/serve.test.ts",
  "src/sandbox/starter.test.ts",
  "test/escape/backend-waiting.test.ts",
  "test/escape/backends.test.ts",
];

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
