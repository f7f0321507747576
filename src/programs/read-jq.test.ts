import { describe, expect, test } from "vitest";
import { isPlainYqFilter, jqObjection } from "./read-jq.ts";

describe("jq filters", () => {
  test.each([
    ".",
    ".include[]",
    '.["import"] | has("include")',
    '.scripts | to_entries[] | "\\(.key): \\(.value)"',
    "{env: .environment, x: .env}",
    "[.[] | select(.a > 1)] | length",
    "input_filename",
  ])("%s only prints", (filter) => {
    expect(jqObjection(filter)).toBeUndefined();
  });

  test.each([
    'import "x" as x; .',
    'include "x"; .',
    ' include "x";x',
    "env",
    "$ENV.HOME",
    ".a | env.HOME",
    '"x" | modulemeta',
  ])("%s is refused", (filter) => {
    expect(jqObjection(filter)).toBeTypeOf("string");
  });
});

describe("yq filters", () => {
  test.each([".", ".a.b[0]", ".jobs | keys", '.x[] | select(.name == "a") | .load', '.["x y"]'])(
    "%s is plain",
    (filter) => {
      expect(isPlainYqFilter(filter)).toBe(true);
    },
  );

  test.each(['load("x")', ".a | env(HOME)", ".a = 1", ".a |= 2", 'strload("x")', '"$HOME"', "eval(.a)", ". load(.x)"])(
    "%s is not",
    (filter) => {
      expect(isPlainYqFilter(filter)).toBe(false);
    },
  );
});
