import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryDirectory, temporaryStore } from "./temporary-store.ts";

const bubblewrap = "bwrap";
const diskProcess = fileURLToPath(new URL("./disk-process.ts", import.meta.url));
const readOnlyProcess = fileURLToPath(new URL("./read-only-process.ts", import.meta.url));

describe("a full disk", () => {
  it("refuses the append, keeps what was stored, and goes on when there is space again", () => {
    const directory = temporaryDirectory();
    const seen = inSandbox(["--size", String(4 << 20), "--tmpfs", directory], diskProcess, directory);
    expect(seen).toEqual({
      appended: expect.any(Number),
      refused: {
        code: "log_unavailable",
        message: expect.stringMatching(new RegExp(`append to the log: ${directory}/sessions/ses_.*no space left`)),
        recovery: expect.stringContaining("gauntlet sessions prune"),
      },
      artifact: "log_unavailable",
      streamed: "log_unavailable",
      created: "log_unavailable",
      sessions: 1,
      stateAfter: { seq: seen.appended + 1, intents: seen.appended, knows: false },
      again: true,
      verified: { ok: true, events: seen.appended + 2 },
    });
    expect(seen.appended).toBeGreaterThan(50);
  });
});

describe("a read-only disk", () => {
  it("is named, and nothing is pretended", () => {
    const directory = temporaryDirectory();
    temporaryStore({ directory }).close();
    const refusal = {
      code: "log_unavailable",
      message: expect.stringMatching(new RegExp(`${directory}/.* cannot be written \\(EROFS`)),
      recovery: expect.stringContaining("GAUNTLET_HOME"),
    };
    expect(inSandbox([], readOnlyProcess, directory)).toEqual([refusal, refusal, refusal]);
    expect(inSandbox([], readOnlyProcess, join(directory, "not-yet"))).toEqual([refusal]);
  });
});

/** Everything is read-only but for the mounts that are given. */
function inSandbox(mounts: readonly string[], script: string, directory: string) {
  const root = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
  const command = [process.execPath, script, directory];
  return JSON.parse(execFileSync(bubblewrap, [...root, ...mounts, ...command], { encoding: "utf8" }));
}
