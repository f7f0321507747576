import { expect, it } from "vitest";
import { nearest } from "./nearest.ts";

const known = ["read", "write", "edit", "multi_edit", "read_artifact", "grep"];

it.each([
  ["raed", ["read"]],
  ["REDA", ["read"]],
  ["wrte", ["write"]],
  ["edti", ["edit"]],
  ["multiedit", ["multi_edit"]],
  ["read_artefact", ["read_artifact"]],
  ["teleport", []],
  ["", []],
  ["read".repeat(1_000_000), []],
])("%.40s probably means %j", (name, meant) => {
  expect(nearest(name, known)).toEqual(meant);
});
