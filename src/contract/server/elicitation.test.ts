import { isSpecType } from "@modelcontextprotocol/client";
import { expect, it, test } from "vitest";
import { fieldsOf } from "../../mcp/client/elicitation-form.ts";
import { elicitationSchema, elicitationWords, misfit } from "./elicitation.ts";
import type { ElicitedField } from "./server.ts";

const options = [
  { const: "a", title: "First" },
  { const: "b", title: "Second" },
];

it("hands a server's form on with everything that the protocol lets it say", () => {
  const form = {
    type: "object" as const,
    properties: {
      mail: { type: "string", title: "Mail", description: "Where to?", format: "email", minLength: 3, maxLength: 80 },
      page: { type: "string", format: "uri", default: "https://example.com" },
      day: { type: "string", format: "date" },
      moment: { type: "string", format: "date-time" },
      share: { type: "number", minimum: -0.5, maximum: 1.5, default: 0.5 },
      count: { type: "integer", minimum: 0, maximum: 10, default: 2 },
      sure: { type: "boolean", default: false },
      one: { type: "string", oneOf: options, default: "b" },
      some: { type: "array", items: { anyOf: options }, minItems: 1, maxItems: 2, default: ["a"] },
    },
    required: ["mail", "some"],
  };
  const requestedSchema = elicitationSchema(fieldsOf(form));
  expect(requestedSchema).toEqual(form);
  expect(isSpecType.ElicitRequestFormParams({ mode: "form", message: "?", requestedSchema })).toBe(true);
});

it("leaves out bounds that no length can have", () => {
  const broken = {
    properties: {
      text: { type: "string", minLength: -1, maxLength: 2.5 },
      some: { type: "array", items: { anyOf: options }, minItems: 0.5, maxItems: Number.POSITIVE_INFINITY },
    },
  };
  expect(elicitationSchema(fieldsOf(broken)).properties).toEqual({
    text: { type: "string" },
    some: { type: "array", items: { anyOf: options } },
  });
});

it("puts our own lines first and marks each of the server's", () => {
  const message = `Log in.\r\n\r\nThe address leads to accounts.google.com.${"\n".repeat(40)}`;
  const url = { mode: "url", url: "https://evil.example/in" } as const;
  expect(elicitationWords({ server: "s", message, ask: url })).toBe(
    [
      "The server s asks for a page to be opened.",
      "The address leads to evil.example.",
      "Its words:",
      "  | Log in.",
      "  | ",
      "  | The address leads to accounts.google.com.",
    ].join("\n"),
  );
  const form = { mode: "form", fields: [] } as const;
  expect(elicitationWords({ server: "s", message: "Who?\rMe\u2028\u202e.", ask: form })).toBe(
    "The server s asks:\n  | Who?\\u{d}Me\\u{2028}\\u{202e}.",
  );
});

const choices = [
  { value: "a", title: "A" },
  { value: "b", title: "B" },
];

test.each<[Partial<ElicitedField>, unknown, string | undefined]>([
  [{ kind: "text" }, "x", undefined],
  [{ kind: "text" }, "", undefined],
  [{ kind: "text" }, { b: 1 }, "Enter text."],
  [{ kind: "text" }, ["x"], "Enter text."],
  [{ kind: "text" }, null, "Enter text."],
  [{ kind: "text", min: 2, max: 3 }, "x", "Enter at least 2 characters."],
  [{ kind: "text", min: 2, max: 3 }, "🎈🎈🎈", undefined],
  [{ kind: "text", format: "email" }, "nobody", "Enter a valid email."],
  [{ kind: "text", format: "date" }, "2026-01-31", undefined],
  [{ kind: "number", max: 1 }, 0.5, undefined],
  [{ kind: "number", max: 1 }, 2, "Enter at most 1."],
  [{ kind: "number" }, "1", "Enter a number."],
  [{ kind: "number" }, Number.NaN, "Enter a number."],
  [{ kind: "integer" }, 3, undefined],
  [{ kind: "integer" }, 3.5, "Enter a whole number."],
  [{ kind: "boolean" }, false, undefined],
  [{ kind: "boolean" }, "false", "Enter yes or no."],
  [{ kind: "choice", choices }, "b", undefined],
  [{ kind: "choice", choices }, "B", "Choose one of the options."],
  [{ kind: "choices", choices, max: 1 }, ["a"], undefined],
  [{ kind: "choices", choices, max: 1 }, ["a", "b"], "Choose at most 1."],
  [{ kind: "choices", choices }, ["a", "c"], "Choose from the options."],
  [{ kind: "choices", choices }, "a", "Choose from the options."],
])("%o with %o: %s", (field, value, expected) => {
  expect(misfit({ name: "x", required: true, kind: "text", ...field }, value)).toBe(expected);
});
