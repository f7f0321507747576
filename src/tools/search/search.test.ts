import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSearch, textOf } from "../../../test/support/search-tools.ts";
import { ok } from "../../contract/codes.ts";
import type { Tool } from "../../contract/tool.ts";
import { resolvePath } from "../../effects/resolve-path.ts";
import { createMetadata } from "../../host/files/metadata.ts";
import { searchTools } from "../index.ts";

let place: string;
let root: string;

beforeAll(() => {
  place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "search-")));
  root = path.join(place, "work");
  const files: Record<string, string> = {
    "src/sum.ts": "import x\n\nexport function sum(a, b) {\n  return a + b;\n}\n// sum(\n",
    "src/deep/other.ts": "const a = sum(1, 2);\n",
    "src/deep/note.md": "call sum(1)\r\n",
    "tests/sum.test.ts": 'import { sum } from "../src/sum"\nexpect(sum(1, 2)).toBe(3)\n',
    "src/ignored.ts": "sum(ignored)\n",
    "node_modules/pkg/index.js": "sum(package)\n",
    "dist/out.js": "sum(built)\n",
    "coverage/lcov.js": "sum(covered)\n",
    ".git/config": "sum(git)\n",
    ".github/workflow.yml": "run: sum(\n",
    ".env": "SECRET=sum(\n",
    "keys/server.key": "sum(key)\n",
    "keys/server.key~": "sum(key)\n",
    ".aws/credentials": "sum(aws)\n",
    "image.bin": "PNG\0\0sum(\n",
    "-dash.txt": "-x sum(\n",
    "wide/ümläut 🎉.txt": "grüße sum(\n",
    ".gitignore": "src/ignored.ts\n",
    "long.js": `var a=${"y".repeat(5_000)};sum(z)\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), text);
  }
  for (let index = 0; index < 250; index += 1) {
    const directory = path.join(root, "many", index % 5 === 0 ? "few" : "most");
    fs.mkdirSync(directory, { recursive: true });
    fs.writeFileSync(path.join(directory, `m${index}.txt`), "needle\n".repeat(2));
  }
  fs.mkdirSync(path.join(place, "outside"));
  fs.writeFileSync(path.join(place, "outside", "secret.txt"), "sum(outside)\n");
  fs.symlinkSync(path.join(place, "outside"), path.join(root, "link"));
});

afterAll(() => fs.rmSync(place, { recursive: true, force: true }));

const call: ReturnType<typeof openSearch>["call"] = (name, given) => openSearch(place).call(name, given);

describe("grep", () => {
  it("finds lines with path and number, sorted, and leaves out what is ignored, built, binary or secret", async () => {
    const found = await call("grep", { pattern: "sum\\(" });
    expect(textOf(found).split("\n").slice(0, -1)).toEqual([
      "-dash.txt:1:-x sum(",
      expect.stringMatching(/^long\.js:1:…y{993};sum\(z\)$/),
      "src/deep/note.md:1:call sum(1)",
      "src/deep/other.ts:1:const a = sum(1, 2);",
      "src/sum.ts:3:export function sum(a, b) {",
      "src/sum.ts:6:// sum(",
      "tests/sum.test.ts:2:expect(sum(1, 2)).toBe(3)",
    ]);
    expect(textOf(found).split("\n").at(-1)).toBe("wide/ümläut 🎉.txt:1:grüße sum(");
    expect(found).toMatchObject({
      code: "ok",
      summary: "8 matches in 7 files.",
      omittedBytes: 4_013,
      data: { matchedCount: 8, returnedCount: 8, fileCount: 7, truncated: false, matchedCountIsLowerBound: false },
    });
    expect(found.next).toBeUndefined();
  });

  it.each([
    [
      "a directory",
      { path: "src/deep" },
      ["src/deep/note.md:1:call sum(1)", "src/deep/other.ts:1:const a = sum(1, 2);"],
    ],
    ["one file", { path: "src/deep/other.ts" }, ["src/deep/other.ts:1:const a = sum(1, 2);"]],
    ["a file whose name starts with a dash", { path: "-dash.txt" }, ["-dash.txt:1:-x sum("]],
    ["names", { glob: "*.md" }, ["src/deep/note.md:1:call sum(1)"]],
    ["paths", { glob: "tests/**/*.ts" }, ["tests/sum.test.ts:2:expect(sum(1, 2)).toBe(3)"]],
    ["all but some", { glob: ["*.ts", "!src/**"] }, ["tests/sum.test.ts:2:expect(sum(1, 2)).toBe(3)"]],
    ["hidden files, still without secrets", { glob: "*.yml", hidden: true }, [".github/workflow.yml:1:run: sum("]],
    ["a hidden directory that is named", { path: ".github" }, [".github/workflow.yml:1:run: sum("]],
    ["an ignored directory that is named", { path: "node_modules/pkg" }, ["node_modules/pkg/index.js:1:sum(package)"]],
    ["a secret by its name: nothing", { glob: "server.key", hidden: true }, ["No matches."]],
    ["secrets by a wide glob: nothing", { glob: "**/.env", hidden: true }, ["No matches."]],
  ])("searches %s", async (_, scope, lines) => {
    expect(textOf(await call("grep", { pattern: "sum\\(", ...scope })).split("\n")).toEqual(lines);
  });

  it("takes a pattern for what it is", async () => {
    const lines = async (given: Record<string, unknown>) =>
      textOf(await call("grep", { path: "src/sum.ts", ...given })).split("\n");
    expect(await lines({ pattern: "sum(", literal: true })).toEqual([
      "src/sum.ts:3:export function sum(a, b) {",
      "src/sum.ts:6:// sum(",
    ]);
    expect(await lines({ pattern: "EXPORT", ignore_case: true })).toEqual(["src/sum.ts:3:export function sum(a, b) {"]);
    expect(await lines({ pattern: "EXPORT" })).toEqual(["No matches."]);
    expect(textOf(await call("grep", { pattern: "-x" }))).toContain("-dash.txt:1:-x sum(");
    expect(textOf(await call("grep", { pattern: "--pre=id", literal: true }))).toBe("No matches.");
  });

  it("shows neighbours, and where they do not touch", async () => {
    const found = await call("grep", { pattern: "import|sum\\($", path: "src/sum.ts", context: 1 });
    expect(textOf(found).split("\n")).toEqual([
      "src/sum.ts:1:import x",
      "src/sum.ts-2-",
      "--",
      "src/sum.ts-5-}",
      "src/sum.ts:6:// sum(",
    ]);
  });

  it("stops at the limit, says how many there were, and how to narrow", async () => {
    const found = await call("grep", { pattern: "needle", limit: 10, context: 0 });
    expect(found).toMatchObject({
      summary: "500 matches in 250 files, the first 10 shown.",
      data: { matchedCount: 500, returnedCount: 10, fileCount: 250, truncated: true },
      next: { tool: "grep", input: { pattern: "needle", files_only: true } },
    });
    expect(textOf(found).split("\n")).toHaveLength(10);
    const files = await call("grep", { pattern: "needle", files_only: true, limit: 2, path: "many" });
    expect(textOf(files)).toBe("many/few/m0.txt: 2\nmany/few/m10.txt: 2");
    expect(files).toMatchObject({
      summary: "500 matches in 250 files, the first 2 shown.",
      next: { tool: "grep", input: { pattern: "needle", files_only: true, limit: 2, path: "many/most" } },
    });
  });

  it.each([
    ["an expression that grows", { pattern: "a{1000}{1000}" }, "runtime_precondition_failed", /exceeds size limit/],
    ["an expression that is none", { pattern: "foo(" }, "runtime_precondition_failed", /unclosed group/],
    ["a place that is not there", { pattern: "x", path: "nowhere" }, "file_not_found", /nowhere does not exist/],
    ["an unknown field", { pattern: "x", pre: "id" }, "schema_invalid", /schema/],
    ["an empty pattern", { pattern: "" }, "schema_invalid", /schema/],
  ])("refuses %s", async (_, given, code, message) => {
    const found = await call("grep", given);
    expect(found.code).toBe(code);
    expect(found.summary).toMatch(message);
  });

  it("does not follow links out of the workspace", async () => {
    expect(textOf(await call("grep", { pattern: "outside" }))).toBe("No matches.");
  });

  it("never looks for secrets without being asked about", async () => {
    const grep = searchTools[0] as Tool<unknown> | undefined;
    const view = {
      workspace: { root, roots: [root], cwd: root, home: "" },
      resolve: () => ok({ written: ".", resolved: root, kind: "directory" as const }),
    };
    const risks = ["AKIA[0-9A-Z]{16}", "BEGIN RSA PRIVATE KEY", "password=", "function sum"].map(
      async (pattern) => (await grep?.effects({ pattern }, view))?.raiseTo,
    );
    expect(await Promise.all(risks)).toEqual(["R4", "R4", "R4", undefined]);
  });

  it("reads a tree for a directory, and only the file for a file", async () => {
    const grep = searchTools[0] as Tool<unknown> | undefined;
    const metadata = createMetadata();
    const view = {
      workspace: { root, roots: [root], cwd: root, home: "" },
      resolve: (written: string) => resolvePath(written, { metadata, base: root, home: "" }),
    };
    const effects = async (input: object) =>
      (await grep?.effects({ pattern: "x", ...input }, view))?.effects.map((effect) =>
        effect.op === "read" || effect.op === "list" ? [effect.op, effect.scope, effect.path.resolved] : effect,
      );
    expect(await effects({})).toEqual([["read", "tree", root]]);
    expect(await effects({ path: "src/sum.ts" })).toEqual([
      ["read", "file", path.join(root, "src/sum.ts")],
      ["list", "file", path.join(root, "src")],
    ]);
  });
});

describe("glob", () => {
  it.each([
    ["a bare name at any depth", { pattern: "*.ts" }, ["src/deep/other.ts", "src/sum.ts", "tests/sum.test.ts"]],
    ["a path", { pattern: "src/*.ts" }, ["src/sum.ts"]],
    ["a path below", { pattern: "**/*sum*.ts" }, ["src/sum.ts", "tests/sum.test.ts"]],
    ["below a directory", { pattern: "*", path: "src/deep" }, ["src/deep/note.md", "src/deep/other.ts"]],
    ["an absolute pattern", { pattern: "ROOT/tests/*" }, ["tests/sum.test.ts"]],
    ["alternatives", { pattern: "*.{md,ts}", path: "src" }, ["src/deep/note.md", "src/deep/other.ts", "src/sum.ts"]],
    ["directories", { pattern: "**", kind: "directory", path: "src" }, ["src/deep"]],
    ["a hidden directory that is named", { pattern: ".github/**" }, [".github/workflow.yml"]],
    ["an ignored directory that is named", { pattern: "dist/*" }, ["dist/out.js"]],
    ["secrets: nothing", { pattern: "**/.env", hidden: true }, ["Nothing found."]],
    ["keys: nothing", { pattern: "*.key" }, ["Nothing found."]],
    ["a pattern that looks like an option", { pattern: "--files" }, ["Nothing found."]],
    ["a name that starts with a dash", { pattern: "-dash*" }, ["-dash.txt"]],
  ])("finds %s", async (_, given, paths) => {
    const found = await call("glob", { ...given, pattern: given.pattern.replace("ROOT", root) });
    expect(textOf(found).split("\n")).toEqual(paths);
  });

  it("does not let a wide pattern bring ignored files back", async () => {
    const all = textOf(await call("glob", { pattern: "**/*", limit: 1_000, hidden: true })).split("\n");
    expect(all).toContain(".github/workflow.yml");
    expect(all).toHaveLength(250 + 10);
    expect(
      all.filter((name) => /ignored|node_modules|dist|coverage|\.git\/|\.env|\.key|\.aws|link/.test(name)),
    ).toEqual([]);
  });

  it("stops at the limit, counts all, and says where most are", async () => {
    expect(await call("glob", { pattern: "m*.txt", path: "many", limit: 3 })).toMatchObject({
      summary: "250 files found, the first 3 shown.",
      data: {
        matchedCount: 250,
        returnedCount: 3,
        truncated: true,
        paths: ["many/few/m0.txt", "many/few/m10.txt", "many/few/m100.txt"],
      },
      next: { tool: "glob", input: { pattern: "m*.txt", path: "many/most", limit: 3 } },
    });
    expect((await call("glob", { pattern: "**/*" })).data).toMatchObject({ returnedCount: 200, truncated: true });
  });

  it("refuses a file as the place to look below", async () => {
    expect(await call("glob", { pattern: "*", path: "src/sum.ts" })).toMatchObject({
      code: "runtime_precondition_failed",
    });
  });
});
