import { expect, test } from "vitest";
import { promptText } from "./prompt-text.ts";

test.each([
  ["none", "plain", "```"],
  ["a fence", "```\ncode\n```", "````"],
  ["very many", "`a".repeat(400_000), "```"],
])("a file with %s of the fence's characters stands inside a fence that it does not have", (_name, text, fence) => {
  const resource = { uri: "file:///a.md", text };
  const prompt = promptText([{ type: "resource", resource }]);
  expect(prompt).toEqual({ ok: true, value: `Content of file:///a.md:\n${fence}\n${text}\n${fence}` });
});
