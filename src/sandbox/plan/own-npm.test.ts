import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ownPackageSettings } from "./package-managers.ts";

test("commands know the registry and the habits of the user's npm, and none of its credentials", () => {
  const home = mkdtempSync(join(tmpdir(), "gauntlet-npm-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  expect(ownPackageSettings(home)).toEqual([]);
  const lines = [
    "registry = https://registry.example/",
    "@own:registry=https://own.example/",
    "//registry.example/:_authToken=abc",
    "_auth=abc",
    "save-exact=true",
    `cafile=${"$"}{HOME}/token`,
    "proxy=http://user:pass@proxy.example",
    "@two:registry=https://user:pass@two.example/",
    "script-shell=/tmp/x",
  ];
  writeFileSync(join(home, ".npmrc"), lines.join("\n"));
  mkdirSync(join(home, ".config/pnpm"), { recursive: true });
  writeFileSync(join(home, ".config/pnpm/rc"), "manage-package-manager-versions=false\nglobal-bin-dir=/opt/bin\n");
  expect(ownPackageSettings(home)).toEqual([
    {
      at: ".npmrc",
      content: "registry=https://registry.example/\n@own:registry=https://own.example/\nsave-exact=true\n",
    },
    { at: ".config/pnpm/rc", content: "manage-package-manager-versions=false\n" },
  ]);
});
