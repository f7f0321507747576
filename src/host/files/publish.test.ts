import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { keepAs, publishNew } from "./publish.ts";

let root: string;
const at = (name: string) => join(root, name);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "publish-"));
  writeFileSync(at("from"), "new");
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function linkless(): never {
  throw Object.assign(new Error("no links"), { errno: -1, code: "EPERM" });
}

describe.each([
  ["with hard links", linkSync],
  ["without hard links", linkless],
])("on a file system %s", (_, link) => {
  test("a free name is taken", () => {
    publishNew(at("from"), at("to"), link);
    expect([readdirSync(root), readFileSync(at("to"), "utf8")]).toEqual([["to"], "new"]);
  });

  test("a name that is taken stays", () => {
    writeFileSync(at("to"), "theirs");
    expect(() => publishNew(at("from"), at("to"), link)).toThrow("EEXIST");
    expect([readdirSync(root), readFileSync(at("to"), "utf8")]).toEqual([["from", "to"], "theirs"]);
  });

  test("an original is kept", () => {
    keepAs(at("from"), at("kept"), link);
    expect(readFileSync(at("kept"), "utf8")).toBe("new");
  });
});
