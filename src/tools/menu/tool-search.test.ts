import { expect, test } from "vitest";
import type { VisibilityContext } from "../../contract/tool.ts";
import { toolSearch } from "./tool-search.ts";

const context: VisibilityContext = {
  mode: "default",
  hasWorkspace: true,
  sandbox: { backend: "none", enforces: false, detail: "", limits: [] },
};
const deferral = { loaded: [], contextTokens: 1000, above: 60, share: 0.1 };

test.each([
  ["for a model that is shown some by name", { deferral, deferring: true }, { visible: true }],
  [
    "for a model that is shown all of them",
    { deferral, deferring: false },
    { visible: false, reason: "every tool is on the menu already" },
  ],
  ["without a model", {}, { visible: false, reason: "without a model every tool can be called as it is" }],
])("%s", (_whose, change, visibility) => {
  expect(toolSearch.visible({ ...context, ...change })).toEqual(visibility);
});
