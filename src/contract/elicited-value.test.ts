import { expect, test } from "vitest";
import { misfit } from "./elicited-value.ts";
import type { ElicitedField } from "./server.ts";

const choices = [
  { value: "a", title: "A" },
  { value: "b", title: "B" },
];

test.each<[Partial<ElicitedField>, unknown, string | undefined]>([
  [{ kind: "text" }, "x", undefined],
  [{ kind: "text" }, "", undefined],
  [{ kind: "text" }, { b: 1 }, "It is no text."],
  [{ kind: "text" }, ["x"], "It is no text."],
  [{ kind: "text" }, null, "It is no text."],
  [{ kind: "text", min: 2, max: 3 }, "x", "Not less than 2 characters."],
  [{ kind: "text", min: 2, max: 3 }, "🎈🎈🎈", undefined],
  [{ kind: "text", format: "email" }, "nobody", "It is no email."],
  [{ kind: "text", format: "date" }, "2026-01-31", undefined],
  [{ kind: "number", max: 1 }, 0.5, undefined],
  [{ kind: "number", max: 1 }, 2, "Not more than 1."],
  [{ kind: "number" }, "1", "It is no number."],
  [{ kind: "number" }, Number.NaN, "It is no number."],
  [{ kind: "integer" }, 3, undefined],
  [{ kind: "integer" }, 3.5, "It is no whole number."],
  [{ kind: "boolean" }, false, undefined],
  [{ kind: "boolean" }, "false", "It is neither yes nor no."],
  [{ kind: "choice", choices }, "b", undefined],
  [{ kind: "choice", choices }, "B", "It is none of the choices."],
  [{ kind: "choices", choices, max: 1 }, ["a"], undefined],
  [{ kind: "choices", choices, max: 1 }, ["a", "b"], "Not more than 1 of them."],
  [{ kind: "choices", choices }, ["a", "c"], "It is none of the choices."],
  [{ kind: "choices", choices }, "a", "It is none of the choices."],
])("%o with %o: %s", (field, value, expected) => {
  expect(misfit({ name: "x", required: true, kind: "text", ...field }, value)).toBe(expected);
});
