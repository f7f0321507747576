import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fail, ok } from "../../contract/codes.ts";
import { createPromptHistory } from "./prompt-history.ts";

function historyFile(): string {
  const directory = mkdtempSync(path.join(os.tmpdir(), "gauntlet-history-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return path.join(directory, "project", "prompts.json");
}

const asIs = (text: string) => ok(text);

test("what was written is there for the next, once in a row, and for nobody else", () => {
  const file = historyFile();
  const first = createPromptHistory(file, asIs);
  expect(first.read()).toEqual([]);
  for (const text of ["one", "two\nlines", "two\nlines", "one"]) expect(first.add(text)).toEqual(ok(undefined));
  expect(createPromptHistory(file, asIs).read()).toEqual(["one", "two\nlines", "one"]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("is bounded in number and in length", () => {
  const history = createPromptHistory(historyFile(), asIs);
  for (let count = 0; count < 205; count++) history.add(`message ${count}`);
  history.add("x".repeat(4_001));
  expect([history.read().length, history.read()[0], history.read().at(-1)]).toEqual([200, "message 5", "message 204"]);
});

test("secrets are kept as marks, and nothing is kept when they cannot be found", () => {
  const file = historyFile();
  createPromptHistory(file, (text) => ok(text.replace("s3cret", "[mark]"))).add("use s3cret");
  expect(readFileSync(file, "utf8")).toBe('["use [mark]"]\n');
  expect(createPromptHistory(file, () => fail("log_unavailable", "no key")).add("use s3cret").ok).toBe(false);
  expect(readFileSync(file, "utf8")).toBe('["use [mark]"]\n');
});

test.each(["{", '{"a":1}', "[1,null,[]]"])("a file with %s in it is as good as none", (text) => {
  const file = historyFile();
  const history = createPromptHistory(file, asIs);
  history.add("before");
  writeFileSync(file, text);
  expect(history.read()).toEqual([]);
  history.add("after");
  expect(history.read()).toEqual(["after"]);
});
