import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";
import type { HookHandler, LayerName } from "../contract/settings.ts";
import { classifyPath } from "../effects/classify-path.ts";
import { createMetadata } from "../host/files/metadata.ts";
import { ownFiles } from "./hooks.ts";

function shown(handler: Omit<HookHandler, "type">, layer: LayerName = "user"): readonly string[] {
  const fixture = makeFixture({ "check.sh": "true" });
  const { home, root, state } = fixture;
  for (const directory of ["bin", ".ssh"]) mkdirSync(path.join(home, directory), { recursive: true });
  for (const file of ["bin/guard.sh", "bin/my guard.sh", ".ssh/id_rsa", ".env"])
    writeFileSync(path.join(home, file), "");
  symlinkSync(path.join(home, "bin", "guard.sh"), path.join(home, "link.sh"));
  writeFileSync(path.join(state, "index.db"), "");
  const fill = (text: string) => text.replaceAll("ROOT", root).replaceAll("STATE", state).replaceAll("USER", home);
  const filled = {
    ...handler,
    command: fill(handler.command),
    ...(handler.args === undefined ? {} : { args: handler.args.map(fill) }),
  };
  const setting = { event: "PreToolUse", handler: { type: "command", ...filled }, layer, origin: "test" } as const;
  const places = { home, stateDirectory: state, metadata: createMetadata() };
  const classify = (file: string) => classifyPath(file, { roots: [root], home, stateDirectory: state });
  return ownFiles(setting, [root], { ...places, classify }).map((file) => file.replace(home, "USER"));
}

const guard = ["USER/bin/guard.sh"];

test.each<[string, readonly string[]]>([
  ["USER/bin/guard.sh", guard],
  ["~/bin/guard.sh --strict", guard],
  ["$HOME/bin/guard.sh", guard],
  [`python3 "\${HOME}/bin/guard.sh" 2>/dev/null`, guard],
  ["RULES=~/bin/guard.sh; cat <~/bin/guard.sh; (~/bin/guard.sh)", guard],
  ["USER/bin/../bin/guard.sh", guard],
  ["cat ~/bin/*.sh ~/b?n/guard.sh", []],
  ["ls ~/bin ~ / ~/", []],
  ["cat ~/.ssh/id_rsa ~/.env", []],
  ["~/link.sh", []],
  ["cat STATE/index.db", []],
  ["ROOT/check.sh", []],
  ["/usr/bin/env bash /etc/passwd /proc/self/environ > /dev/null", []],
  ["~/bin/none.sh", []],
])("%s", (command, expected) => {
  expect(shown({ command })).toEqual(expected);
  expect(shown({ command }, "project")).toEqual([]);
});

test("every word of the exec form counts", () => {
  expect(shown({ command: "python3", args: ["USER/bin/guard.sh", "-v"] })).toEqual(guard);
});
