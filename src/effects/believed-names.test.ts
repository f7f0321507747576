import { expect, test } from "vitest";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";
import { createMetadata } from "../host/metadata.ts";
import { absentProtected, believedPaths } from "./believed-names.ts";

const editors = [".mcp.json", ".claude", ".agents", ".cursor", ".vscode", ".husky", ".envrc", ".gauntlet"];

test("a stand-in may have been left for each name that is believed, and for the repository", () => {
  expect(believedPaths("/w")).toEqual([...editors, ".git"].map((name) => `/w/${name}`));
});

test("in an empty root nobody has made any of them; a repository is kept away by the file in it", () => {
  const { root } = makeFixture();
  const absent = editors.map((name) => `${root}/${name}`);
  expect(absentProtected(root, createMetadata(), { git: false })).toEqual([...absent, `${root}/.git/HEAD`]);
  expect(absentProtected(root, createMetadata(), { git: true })).toEqual(absent);
});

test("what is there, whatever it is, is not absent", () => {
  const fixture = makeFixture({ ".vscode/settings.json": "{}", ".git/HEAD": "x" });
  fixture.link(".envrc", "nowhere");
  const { root } = fixture;
  const absent = [".mcp.json", ".claude", ".agents", ".cursor", ".husky", ".gauntlet"].map((name) => `${root}/${name}`);
  expect(absentProtected(root, createMetadata(), { git: false })).toEqual(absent);
});
