import { expect, test } from "vitest";
import { defaultSettings } from "../settings/fold-layers.ts";
import { builtinTools } from "./index.ts";
import { serverTools } from "./server/index.ts";

test("no definition holds a character that makes every request twice as wide in memory", () => {
  const { limits } = defaultSettings;
  const wide = [...builtinTools(limits), ...serverTools(limits, ["one"])]
    .map(({ name, description, inputJsonSchema }) => JSON.stringify({ name, description, inputJsonSchema }))
    .filter((text) => /[^\0-\xff]/.test(text));
  expect(wide).toEqual([]);
});
