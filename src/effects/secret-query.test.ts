import { expect, test } from "vitest";
import { secretQueryReason } from "./secret-query.ts";

test.each([
  "AKIA",
  "AKIA[0-9A-Z]{16}",
  "PRIVATE KEY",
  "-----BEGIN RSA",
  "password=",
  "password\\s*[:=]",
  "api[_-]?key\\s*=",
  "(secret|token)=",
  "ghp_",
  "sk-ant",
])("%s is a search for secrets", (pattern) => {
  expect(secretQueryReason(pattern)).toEqual(expect.any(String));
});

test.each([
  "sum",
  "export function",
  "TODO",
  "password",
  "tokenize",
  "publicKey",
  "import .* from",
  "task-ant",
  "asian",
])("%s is an ordinary word", (pattern) => {
  expect(secretQueryReason(pattern)).toBeUndefined();
});
