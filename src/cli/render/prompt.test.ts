import { describe, expect, it } from "vitest";
import type { PermissionRequest } from "../../contract/verdict.ts";
import { requestOf } from "../surface.fixture.ts";
import { renderPrompt } from "./prompt.ts";
import { viewOn } from "./wrap.ts";

const diff = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-one\u202e\n+1\n two";

function edit(change: Partial<PermissionRequest["prompt"]>): PermissionRequest {
  const { prompt, ...request } = requestOf("req_1");
  const asked = { title: "Allow edit?", effects: ["writes /here/a"], action: "edit\nold_string: one\nnew_string: 1" };
  return { ...request, tool: "edit", prompt: { ...prompt, ...asked, ...change } };
}

function rendered(request: PermissionRequest, options: { readonly colour?: boolean; readonly whole?: boolean } = {}) {
  const view = viewOn({ colour: options.colour ?? false });
  const { shown, leftOut } = renderPrompt(request, { ...view, whole: options.whole ?? false });
  const rows = shown.text.split("\n");
  const end = rows.findIndex((row) => row.includes("R3: it runs project code"));
  return { change: rows.slice(2, end), leftOut };
}

describe("the diff of a question", () => {
  it("stands for the input, which can still be looked at", () => {
    expect(rendered(edit({ diff }))).toEqual({
      change: [
        "  --- a/a",
        "  +++ b/a",
        "  @@ -1,2 +1,2 @@",
        "  -one\\u{202e}",
        "  +1",
        "   two",
        "  ⟨3 lines of input left out⟩",
      ],
      leftOut: 3,
    });
    expect(rendered(edit({ diff }), { whole: true })).toEqual({
      change: [
        "  edit",
        "  old_string: one",
        "  new_string: 1",
        "  --- a/a",
        "  +++ b/a",
        "  @@ -1,2 +1,2 @@",
        "  -one\\u{202e}",
        "  +1",
        "   two",
      ],
      leftOut: 0,
    });
  });

  it("is coloured where there are colours", () => {
    const { change } = rendered(edit({ diff }), { colour: true });
    expect(change).toEqual([
      "  \u001b[31m--- a/a\u001b[39m",
      "  \u001b[32m+++ b/a\u001b[39m",
      "  \u001b[36m@@ -1,2 +1,2 @@\u001b[39m",
      "  \u001b[31m-one\\u{202e}\u001b[39m",
      "  \u001b[32m+1\u001b[39m",
      "   two",
      "  \u001b[33m⟨3 lines of input left out⟩\u001b[39m",
    ]);
  });

  it("is cut in its middle when it is long, and says so", () => {
    const added = Array.from({ length: 40 }, (_, row) => `+row ${row}`);
    const long = ["--- /dev/null", "+++ b/a", "@@ -0,0 +1,40 @@", ...added].join("\n");
    const { change, leftOut } = rendered(edit({ diff: long }));
    expect(change.slice(5, 9)).toEqual(["  +row 2", "  ⟨31 lines left out⟩", "  +row 34", "  +row 35"]);
    expect([change.length, leftOut]).toEqual([14, 34]);
    expect(rendered(edit({ diff: long }), { whole: true }).change).toContain("  +row 20");
  });

  it("that is none leaves the input in sight, and says why it is none", () => {
    expect(rendered(edit({ diff: "No diff: /here/a was not read in this session." }))).toEqual({
      change: ["  edit", "  -one", "  +1", "  No diff: /here/a was not read in this session."],
      leftOut: 0,
    });
  });

  it("takes nothing away from what is no question of a file tool", () => {
    expect(rendered(edit({ diff, effects: ["writes /here/a", "calls edit of the server x"] }))).toEqual({
      change: rendered(edit({ diff }), { whole: true }).change,
      leftOut: 0,
    });
  });
});
