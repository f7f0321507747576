import { spawn } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { expect, test } from "vitest";

const script = path.resolve(import.meta.dirname, "../../scripts/mcp-conformance.ts");

/** Everything that the official suite requires of both revisions, on both sides. */
test("the official suite finds nothing missing", { timeout: 15 * 60_000 }, async () => {
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  expect(printed.trimEnd().split("\n").slice(-4), printed).toEqual([
    expect.stringMatching(/^client 2025-11-25: 18\/18 scenarios, [1-9]\d* checks$/),
    expect.stringMatching(/^client 2026-07-28: 32\/32 scenarios, [1-9]\d* checks$/),
    expect.stringMatching(/^server 2025-11-25: 30\/30 scenarios, [1-9]\d* checks$/),
    expect.stringMatching(/^server 2026-07-28: 37\/37 scenarios, [1-9]\d* checks$/),
  ]);
  expect(code).toBe(0);
});
