import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fail, ok } from "../contract/codes.ts";
import { updatePrivateText } from "./update-private-text.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), "gauntlet-private-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const append = (word: string) => (before: string | undefined) => ok(`${before ?? ""}${word}\n`);

describe("updatePrivateText", () => {
  test("makes the file and its directories for nobody else", () => {
    const file = path.join(directory, "projects", "a", "settings.json");
    expect(updatePrivateText(file, append("one"))).toEqual({ ok: true, value: undefined });
    expect(updatePrivateText(file, append("two"))).toEqual({ ok: true, value: undefined });
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
    expect([statSync(file).mode & 0o777, statSync(path.dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(readdirSync(path.dirname(file))).toEqual(["settings.json"]);
  });

  test("keeps what somebody else wrote in between", () => {
    const file = path.join(directory, "settings.json");
    writeFileSync(file, "one\n");
    const seen: (string | undefined)[] = [];
    const outcome = updatePrivateText(file, (before) => {
      if (seen.push(before) === 1) writeFileSync(file, "one\nother\n");
      return append("mine")(before);
    });
    expect([outcome.ok, seen, readFileSync(file, "utf8")]).toEqual([
      true,
      ["one\n", "one\nother\n"],
      "one\nother\nmine\n",
    ]);
  });

  test("gives up when it never stands still, and leaves the other's text", () => {
    const file = path.join(directory, "settings.json");
    let writes = 0;
    const outcome = updatePrivateText(file, (before) => {
      writeFileSync(file, `${++writes}`);
      return append("mine")(before);
    });
    expect([outcome, readFileSync(file, "utf8"), readdirSync(directory)]).toMatchObject([
      { ok: false, failure: { code: "tool_failed" } },
      "5",
      ["settings.json"],
    ]);
  });

  test("writes nothing when the change is refused", () => {
    const file = path.join(directory, "settings.json");
    expect(updatePrivateText(file, () => fail("bad_request", "no"))).toMatchObject({ failure: { message: "no" } });
    expect(readdirSync(directory)).toEqual([]);
  });

  test("writes where a link leads, and the link stays", () => {
    const [file, real] = [path.join(directory, "settings.json"), path.join(directory, "kept.json")];
    writeFileSync(real, "one\n");
    symlinkSync(real, file);
    expect(updatePrivateText(file, append("two")).ok).toBe(true);
    expect([lstatSync(file).isSymbolicLink(), readFileSync(real, "utf8")]).toEqual([true, "one\ntwo\n"]);
  });

  test("says what is in the way", () => {
    const file = path.join(directory, "settings.json", "below");
    writeFileSync(path.join(directory, "settings.json"), "");
    expect(updatePrivateText(file, append("one"))).toMatchObject({ ok: false, failure: { code: "tool_failed" } });
  });
});
