import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const source = fileURLToPath(new URL("../../../src/", import.meta.url));

/** Everything that the files of a folder import, as paths below `src`. */
function importsOf(folder: string): readonly string[] {
  const files = readdirSync(path.join(source, folder), { recursive: true, encoding: "utf8" });
  const found = files
    .filter((file) => file.endsWith(".ts") && !/\.(?:test|fixture)\.ts$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(path.join(source, folder, file), "utf8");
      const from = path.dirname(path.join(folder, file));
      return [...text.matchAll(/(?:from|import\() ?"(\.[^"]+)"/g)].map(([, target = ""]) => path.join(from, target));
    });
  return [...new Set(found)].sort();
}

describe("who decides what", () => {
  test("the loop asks the context policy what a model is shown, and looks into nothing by itself", () => {
    const context = importsOf("agent/loop").filter((file) => file.startsWith("agent/context/"));
    expect(context).toEqual([
      "agent/context/context-policy.ts",
      // Weighs words that a server wants the model to be shown; decides nothing.
      "agent/context/estimate-tokens.ts",
      "agent/context/notes.ts",
    ]);
  });

  test("the loop runs nothing: no tool, no gate, no execution, no provider is within its reach", () => {
    const rooms = importsOf("agent/loop").map((file) =>
      file
        .split("/")
        .slice(0, file.startsWith("agent/") ? 2 : 1)
        .join("/"),
    );
    expect(
      rooms.filter((room) =>
        ["tools", "execution", "sandbox", "provider", "observation", "host", "log"].includes(room),
      ),
    ).toEqual([]);
    expect(importsOf("agent/loop").filter((file) => file.startsWith("gate/"))).toEqual([
      // Names of directories; decides nothing.
      "gate/generated-paths.ts",
      "gate/hooks/occasion.ts",
    ]);
  });

  test("a provider knows no loop, no context and no tool", () => {
    expect(importsOf("provider").filter((file) => !/^(?:provider|contract|base|host)\//.test(file))).toEqual([]);
  });
});
