import { expect, test } from "vitest";
import { loaded } from "../../test/support/settings.ts";
import { type Failure, fail, ok } from "../contract/codes.ts";
import type { FoundModel } from "../contract/model.ts";
import { withoutModel } from "./open-editor-session.ts";

const failure: Failure = { code: "bad_request", message: "No model is named, and the settings describe none." };
const mine = "/home/ann/.gauntlet/settings.json";

const told = (found: readonly FoundModel[], settings: object = {}) =>
  withoutModel({ findModels: async () => found, settings: () => ok(loaded({ files: { [mine]: settings } })) }, failure);

test("an editor's person is told which models could be asked, and where to name one", async () => {
  expect(await told([{ name: "anthropic/claude-sonnet-4-5", from: "ANTHROPIC_API_KEY" }])).toEqual({
    code: "bad_request",
    message: "No model is configured.",
    recovery:
      "Available models: anthropic/claude-sonnet-4-5 (ANTHROPIC_API_KEY). " +
      'Set "model": "anthropic/claude-sonnet-4-5" in ~/.gauntlet/settings.json, ' +
      'or start the agent with "args": ["acp", "--model", "anthropic/claude-sonnet-4-5"].',
  });
  expect((await told([])).recovery).toMatch(/^Set ANTHROPIC_API_KEY, .* "model" in ~\/\.gauntlet\/settings\.json\.$/);
});

test("what is wrong for another reason is said as it is", async () => {
  expect(await told([], { model: "some/model" })).toBe(failure);
  const unreadable = { findModels: async () => [], settings: () => fail("bad_request", "no JSON") };
  expect(await withoutModel(unreadable, failure)).toBe(failure);
});
