import { expect, test } from "vitest";
import type { PathClass } from "../../contract/gate.ts";
import { whyNotSaved } from "./compile-rules.ts";

const places = { workspace: "/w", home: "/home/me" };

function classify(path: string): PathClass | undefined {
  return path.startsWith("/w/.git/") ? "protected" : path === "/w/.env" ? "secret" : undefined;
}

test.each<[string, string | undefined]>([
  ["Bash(npm test)", undefined],
  ["Edit(/src/a.ts)", undefined],
  ["WebFetch(domain:example.com)", undefined],
  ["Bash(*)", "Bash(*) is too broad: "],
  ["Edit", "Edit is too broad: "],
  ["Edit(/.git/config)", "Edit(/.git/config) covers /w/.git/config, which is protected"],
  ["Read(/.env)", "Read(/.env) covers /w/.env, which is protected"],
  ["Bash(", "Bash( is invalid: "],
])("%s: %s", (text, expected) => {
  const why = whyNotSaved(text, places, classify);
  if (expected?.endsWith(": ")) expect(why?.slice(0, expected.length)).toBe(expected);
  else expect(why).toBe(expected);
});
