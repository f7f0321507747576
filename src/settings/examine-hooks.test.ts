import { describe, expect, test } from "vitest";
import type { HookHandler } from "../contract/settings.ts";
import { examineHooks } from "./examine-hooks.ts";

const there = new Set(["/bin/sh", "/usr/bin/python3", "/home/ada/check.py", "/repo/hooks/format.sh"]);

function examine(handler: Omit<HookHandler, "type">) {
  return examineHooks(
    [{ event: "PreToolUse", handler: { type: "command", ...handler }, layer: "user", origin: "/settings.json" }],
    { workspace: "/repo", home: "/home/ada", search: ["/usr/bin", "/bin"], exists: (file) => there.has(file) },
  );
}

describe("what the doctor tells about hooks", () => {
  test.each<[string, Omit<HookHandler, "type">]>([
    ["a script of the project", { command: '"$CLAUDE_PROJECT_DIR"/hooks/format.sh' }],
    ["a script of the project, by its path", { command: "hooks/format.sh --all" }],
    ["a program by its name", { command: "python3 ~/check.py" }],
    ["a program and its words", { command: "python3", args: ["/home/ada/check.py"] }],
    ["what a shell does itself", { command: "if true; then exit 2; fi" }],
    ["what only a shell can tell", { command: "$(which nothing) x" }],
    ["a program that runs a text", { command: "sh -c 'exit 0'" }],
  ])("%s is there", (_what, handler) => {
    expect(examine(handler)).toEqual({ name: "hooks", state: "ok", detail: "1 configured" });
  });

  test.each<[Omit<HookHandler, "type">, string]>([
    [{ command: "/home/ada/gone.sh --all" }, "/home/ada/gone.sh"],
    [{ command: "~/gone.sh" }, "/home/ada/gone.sh"],
    [{ command: "hooks/gone.sh" }, "hooks/gone.sh"],
    [{ command: "nothing-like-it" }, "nothing-like-it"],
    [{ command: "python3 ~/gone.py" }, "/home/ada/gone.py"],
    [{ command: "python3", args: ["gone.py"] }, "/repo/gone.py"],
  ])("%j names %s, which is not", (handler, file) => {
    expect(examine(handler)).toEqual({
      name: "hooks",
      state: "warning",
      detail: `1 configured\nPreToolUse: ${file} does not exist (/settings.json)`,
      fix: "correct or remove the hook in /settings.json",
    });
  });

  test("none are no reason to say anything is well", () => {
    const places = { workspace: "/repo", home: "/home/ada", search: [], exists: () => false };
    expect(examineHooks([], places)).toEqual({ name: "hooks", state: "absent", detail: "none configured" });
  });
});
