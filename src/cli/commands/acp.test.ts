import { expect, test } from "vitest";
import { type Box, run } from "../../../test/support/surface.ts";
import { fail, ok } from "../../contract/codes.ts";
import { OutputClosed, OutputFailed } from "../surface.ts";

const broken = fail("tool_failed", "It broke off.", { recovery: "Start it again." });

test.each<[string, NonNullable<Box["edits"]>, { readonly code: number; readonly stderr: string }]>([
  ["went away", async () => ok(undefined), { code: 0, stderr: "" }],
  ["reads no more", () => Promise.reject(new OutputClosed()), { code: 0, stderr: "" }],
  [
    "cannot be written to",
    () => Promise.reject(new OutputFailed("ENOSPC")),
    { code: 1, stderr: "gauntlet: standard output cannot be written: ENOSPC\n" },
  ],
  ["cannot be heard", async () => broken, { code: 1, stderr: "gauntlet: It broke off.\nStart it again.\n" }],
])("an editor that %s ends the command with a code that says so", async (_what, edits, { code, stderr }) => {
  expect(await run(["acp"], { edits })).toMatchObject({ code, stderr, stdout: "" });
});
