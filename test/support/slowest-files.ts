import path from "node:path";
import process from "node:process";
import type { Reporter } from "vitest/node";

const shown = 10;

/** Prints the test files that took longest, after everything else. */
export const slowestFiles: Reporter = {
  onTestRunEnd(modules) {
    if (modules.length <= shown) return;
    const slowest = modules
      .map((module) => ({ file: path.relative(process.cwd(), module.moduleId), ms: module.diagnostic().duration }))
      .sort((one, other) => other.ms - one.ms)
      .slice(0, shown);
    const lines = slowest.map(({ file, ms }) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${file}\n`);
    process.stdout.write(`\nSlowest test files:\n${lines.join("")}`);
  },
};
