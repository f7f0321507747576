import { expect, test } from "vitest";
import { withModel } from "./own-file.ts";

const file = "/home/ada/.gauntlet/settings.json";

test("the model is added, and everything else stays", () => {
  const before = '{"model": "a/b", "permissions": {"deny": ["Bash(rm:*)"]}}';
  const saved = withModel(file, before, "ollama/qwen");
  expect(saved.ok && JSON.parse(saved.value)).toEqual({
    model: "ollama/qwen",
    permissions: { deny: ["Bash(rm:*)"] },
  });
  expect(withModel(file, undefined, "ollama/qwen")).toEqual({ ok: true, value: '{\n  "model": "ollama/qwen"\n}\n' });
});

test("a file that cannot be read is not replaced", () => {
  expect(withModel(file, "{ not json", "ollama/qwen")).toMatchObject({ ok: false });
  expect(withModel(file, '{"unknown": 1}', "ollama/qwen")).toMatchObject({ ok: false });
});
