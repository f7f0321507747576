import { expect, test } from "vitest";
import { eventsOf, openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

/** Checks the file that was changed and tells the model what is wrong with it. */
const check = `file=$(sed -n 's/.*"file_path":"\\([^"]*\\)".*/\\1/p'); node --check "$file" 2>&1 | grep SyntaxError >&2 && exit 2; exit 0`;

test("diagnostics that are set up run after every change of a file, are recorded, and reach the model", async () => {
  const workspace = makeWorkspace({ "a.js": "const a = 1;\n" });
  const gauntlet = await openGauntlet(workspace, {
    mode: "acceptEdits",
    settings: { hooks: { PostToolUse: [{ matcher: "Edit", hooks: [{ type: "command", command: check }] }] } },
  });
  await gauntlet.call({ tool: "read", input: { path: "a.js" } });
  const edit = (before: string, after: string) =>
    gauntlet.call({ tool: "edit", input: { path: "a.js", old_string: before, new_string: after } });
  const broken = await edit("const a = 1;", "const a = ;");
  const mended = await edit("const a = ;", "const a = 2;");

  expect(broken).toMatchObject({ ok: true });
  expect(broken.model.content.at(-1)).toMatchObject({
    trust: "tool_output_untrusted",
    label: expect.stringMatching(/^hook /),
    text: expect.stringContaining("SyntaxError: Unexpected token ';'"),
  });
  expect(JSON.stringify(mended.model.content)).not.toContain("SyntaxError");
  const ran = eventsOf(gauntlet).flatMap((event) => (event.type === "hook.ran" ? [event.data] : []));
  expect(ran.map(({ event, exit, invocationId, sandboxed }) => ({ event, exit, invocationId, sandboxed }))).toEqual([
    { event: "PostToolUse", exit: "blocked", invocationId: broken.invocationId, sandboxed: true },
    { event: "PostToolUse", exit: "ok", invocationId: mended.invocationId, sandboxed: true },
  ]);
});
