import { expect, test } from "vitest";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";
import { createMetadata } from "../host/files/metadata.ts";
import { absentProtected } from "./repositories.ts";

const editors = [
  ...[".mcp.json", ".envrc", ".claude/settings.json", ".agents/skills", ".cursor/rules"],
  ...[".vscode/settings.json", ".husky/pre-commit", ".gauntlet/settings.json"],
];

const look = { ...createMetadata(), isStandIn: () => false };

test("in an empty root nobody has made any of them; a directory is kept away by something in it", () => {
  const { root } = makeFixture();
  const absent = editors.map((name) => `${root}/${name}`);
  expect(absentProtected(root, look, { git: false })).toEqual([...absent, `${root}/.git/HEAD`]);
  expect(absentProtected(root, look, { git: true })).toEqual(absent);
});

test("what is there, whatever it is, is not absent", () => {
  const fixture = makeFixture({ ".vscode/settings.json": "{}", ".git/HEAD": "x" });
  fixture.link(".envrc", "nowhere");
  const { root } = fixture;
  const absent = editors.filter((name) => !/^\.(?:vscode|envrc)/.test(name)).map((name) => `${root}/${name}`);
  expect(absentProtected(root, look, { git: false })).toEqual(absent);
});

test("what only stands in for it is as good as absent: its holder may take it away", () => {
  const { root } = makeFixture({ ".envrc": "", ".gauntlet": "", ".mcp.json": "", ".git/x": "" });
  const held = [".envrc", ".gauntlet", ".git"].map((name) => `${root}/${name}`);
  const found = absentProtected(root, { ...look, isStandIn: (path) => held.includes(path) }, { git: false });
  const absent = editors.filter((name) => name !== ".mcp.json").map((name) => `${root}/${name}`);
  expect(found).toEqual([...absent, `${root}/.git/HEAD`]);
});
