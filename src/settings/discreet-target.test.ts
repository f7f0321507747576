// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of servers are written like that.
import { expect, it } from "vitest";
import { discreetTarget } from "./discreet-target.ts";

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
