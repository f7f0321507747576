import { availableParallelism } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { slowestFiles } from "./test/support/slowest-files.ts";

/** They count descriptors, children or memory of their own process, so nobody else may be in it. */
const alone = [
  "src/sandbox/run/serve.test.ts",
  "src/sandbox/warm/starter.test.ts",
  "test/escape/backend-waiting.test.ts",
  "test/escape/backends.test.ts",
];

export default defineConfig({
  test: {
    pool: "forks",
    reporters: ["default", slowestFiles],
    setupFiles: ["test/fuzz/fixed-seed.ts"],
    // Many tests wait for programs that they started: one more than there are processors leaves none idle.
    maxWorkers: availableParallelism() + 1,
    // Every processor is busy then, and others may use the machine: these bound what hangs, not what takes its time.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    // For programs of the tests that are started again and again.
    env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, "node_modules/.cache/compiled-tests") },
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
