import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findToolchainSecrets, findToolchains } from "./toolchains.ts";

let base: string;
let home: string;
const at = (...parts: string[]) => join(base, ...parts);

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "toolchains-")));
  home = at("home");
  for (const path of [
    "home/.cargo/bin",
    "home/.rustup/toolchains",
    "home/.pyenv/shims",
    "home/.nvm/versions/node/v24/bin",
    "home/.nvm/versions/node/v24/lib",
    "home/.local/bin",
    "home/.local/share/pipx",
    "home/.local/share/keyrings",
    "home/bin",
    "home/.config/tool/bin",
    "home/documents/bin",
    "workspace/node_modules/.bin",
    "workspace/bin",
    "package/node_modules/.bin",
    "opt/go/bin",
    "opt/go/lib",
    "shared",
  ])
    mkdirSync(at(path), { recursive: true });
  chmodSync(at("shared"), 0o777);
  symlinkSync(at("workspace/bin"), at("innocent"));
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

function find(path: readonly string[], extra: readonly string[] = []) {
  const found = findToolchains({ path: path.join(":"), home, extra, workspaceRoots: [at("workspace")] });
  const system = ["/usr", "/bin", "/sbin"];
  return { ...found, path: found.path.filter((entry) => !system.some((root) => entry.startsWith(root))) };
}

describe("toolchains on the user's PATH", () => {
  test.each<[string, string, { directories: string[]; variables?: Record<string, string> }]>([
    ["cargo", "home/.cargo/bin", { directories: [".cargo/bin", ".rustup"], variables: { RUSTUP_HOME: ".rustup" } }],
    ["pyenv", "home/.pyenv/shims", { directories: [".pyenv"], variables: { PYENV_ROOT: ".pyenv" } }],
    ["nvm", "home/.nvm/versions/node/v24/bin", { directories: [".nvm/versions/node/v24"] }],
    ["pipx", "home/.local/bin", { directories: [".local/bin", ".local/share/pipx"] }],
    ["the user's own programs", "home/bin", { directories: ["bin"] }],
    ["programs beside private files", "home/documents/bin", { directories: ["documents/bin"] }],
    ["an installation elsewhere", "opt/go/bin", { directories: ["../opt/go"] }],
  ])("%s", (_, entry, { directories, variables = {} }) => {
    expect(find([at(entry)])).toEqual({
      path: [at(entry)],
      directories: directories.map((path) => join(home, path)),
      variables: Object.fromEntries(Object.entries(variables).map(([name, path]) => [name, join(home, path)])),
    });
  });

  test.each([
    ["workspace/node_modules/.bin", "inside the workspace"],
    ["innocent", "inside the workspace"],
    ["package/node_modules/.bin", "belongs to a package"],
    ["home/.config/tool/bin", "below a private directory"],
    ["home", "holds the home directory or the workspace"],
    ["shared", "writable by everyone"],
  ])("%s is left out: %s", (entry) => {
    expect(find([at(entry)])).toEqual({ path: [], directories: [], variables: {} });
  });

  test("relative and missing entries do not count, and an empty PATH still has the system", () => {
    expect(find([".", "", "bin", "/missing"])).toEqual({ path: [], directories: [], variables: {} });
    expect(findToolchains({ path: "", home, extra: [], workspaceRoots: [] }).path).toContain("/usr/bin");
  });

  test("directories of the settings come first", () => {
    expect(find([at("home/bin")], [at("opt/go"), "~/.pyenv/shims"]).path).toEqual([
      at("opt/go/bin"),
      at("home/.pyenv/shims"),
      at("home/bin"),
    ]);
  });
});

test("secrets near the top of a toolchain are found, and nothing that came with a package", () => {
  for (const path of [
    "opt/go/.npmrc",
    "opt/go/etc/npmrc",
    "opt/go/lib/credentials",
    "opt/go/a/b/c/.npmrc",
    "opt/go/cacert.pem",
  ]) {
    mkdirSync(join(at(path), ".."), { recursive: true });
    writeFileSync(at(path), "token");
  }
  expect(findToolchainSecrets([at("opt/go"), at("missing")])).toEqual([at("opt/go/.npmrc"), at("opt/go/etc/npmrc")]);
});
