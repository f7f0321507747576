import { expect, test } from "vitest";
import { modelSchema } from "./registry.ts";

test("bounds go, whatever says what a value means stays, and a property may be called like a bound", () => {
  expect(
    modelSchema({
      type: "object",
      properties: {
        maximum: { type: "integer", minimum: 1, maximum: 5, description: "How many" },
        path: { type: "string", minLength: 1, pattern: "^a" },
        glob: {
          anyOf: [
            { type: "string", maxLength: 9 },
            { type: "array", maxItems: 3, items: { type: "string", minLength: 1 } },
          ],
        },
        kind: { enum: ["file", "directory"], default: "file" },
        rest: { type: "object", additionalProperties: { type: "string", maxLength: 2 } },
        open: { type: "object", additionalProperties: true },
      },
      required: ["maximum"],
      additionalProperties: false,
    }),
  ).toEqual({
    type: "object",
    properties: {
      maximum: { type: "integer", description: "How many" },
      path: { type: "string", pattern: "^a" },
      glob: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
      kind: { enum: ["file", "directory"], default: "file" },
      rest: { type: "object", additionalProperties: { type: "string" } },
      open: { type: "object", additionalProperties: true },
    },
    required: ["maximum"],
  });
});
