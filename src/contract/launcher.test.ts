import { describe, expect, test } from "vitest";
import { describeFetch, type Launch, launchOf, sourceOf } from "./launcher.ts";

const launch = (line: string) => {
  const [command = "", ...args] = line.split(" ");
  return launchOf({ command, args }, "/work/app");
};

test.each<[string, Launch["launcher"], readonly string[], boolean]>([
  ["npx -y pkg", "npm", ["pkg"], false],
  ["npx -y pkg@1.2.3 --flag -y", "npm", ["pkg@1.2.3"], true],
  ["npx --yes @scope/pkg@1.2.3-beta.1", "npm", ["@scope/pkg@1.2.3-beta.1"], true],
  ["npx pkg@latest", "npm", ["pkg@latest"], false],
  ["npx pkg@^1.2.3", "npm", ["pkg@^1.2.3"], false],
  ["npx -y -- pkg", "npm", ["pkg"], false],
  ["npx -p a@1.0.0 --package=b cmd x", "npm", ["a@1.0.0", "b"], false],
  ["/home/me/.nvm/versions/node/v24/bin/npx pkg", "npm", ["pkg"], false],
  ["npm exec -y pkg@1.0.0 -- x", "npm", ["pkg@1.0.0"], true],
  ["bunx pkg@1.0.0", "bun", ["pkg@1.0.0"], true],
  ["bun x --bun pkg", "bun", ["pkg"], false],
  ["pnpm dlx pkg", "pnpm", ["pkg"], false],
  ["uvx mcp-server-git --repository x", "uv", ["mcp-server-git"], false],
  ["uvx mcp-server-git==2.1", "uv", ["mcp-server-git==2.1"], true],
  ["uvx mcp-server-git@2.1.0", "uv", ["mcp-server-git@2.1.0"], true],
  ["uvx mcp-server-git==2.*", "uv", ["mcp-server-git==2.*"], false],
  ["uvx --from pkg[extra]>=1 --python 3.12 cmd", "uv", ["pkg[extra]>=1"], false],
  ["uv tool run pkg", "uv", ["pkg"], false],
  ["pipx run --spec pkg==1.0 cmd", "pipx", ["pkg==1.0"], true],
])("%s fetches with %s", (line, launcher, packages, pinned) => {
  expect(launch(line)).toEqual({ launcher, packages, pinned });
});

test.each([
  "node server.js",
  "npm run serve",
  "npx",
  "npx -y",
  "npx -c pkg",
  "npx --registry http://evil.example pkg",
  "npx --userconfig x pkg",
  "npx ./pkg",
  "npx .",
  "npx user/repo",
  "npx github:user/repo",
  "npx git+ssh://git@host/x",
  "npx pkg@npm:other",
  "npx http://host/x.tgz",
  "uvx --index-url http://evil.example pkg",
  "uvx --from git+https://host/x cmd",
  "uvx ./pkg",
  "./npx pkg",
  "bin/npx pkg",
  "/work/app/npx pkg",
])("%s fetches nothing that we know of", (line) => {
  expect(launch(line)).toBeUndefined();
});

describe("where packages come from", () => {
  const from = (
    line: string,
    environment: Readonly<Record<string, string>>,
    files: Readonly<Record<string, string>> = {},
  ) => {
    const found = launch(line);
    if (found === undefined) throw new Error(line);
    return sourceOf(found, { environment, home: "/home/me", readText: (file) => files[file] });
  };
  const npmrc = (text: string) => ({ "/home/me/.npmrc": text });

  test("is the launcher's default", () => {
    expect(from("npx pkg", {})).toEqual({ registry: "https://registry.npmjs.org/", hosts: ["registry.npmjs.org"] });
    expect(from("uvx pkg", {})?.hosts).toEqual(["pypi.org", "files.pythonhosted.org"]);
  });

  test("is what the person configured, without the secrets in it", () => {
    const person = ["me", "secret"].join(":");
    const text = `; mine\nregistry = https://${person}@npm.example:8443/all/ \n//npm.example/:_authToken=abc\n`;
    expect(from("npx pkg", {}, npmrc(text))).toEqual({
      registry: "https://npm.example:8443/all/",
      hosts: ["npm.example:8443"],
    });
    const scoped = "@a:registry=https://a.example/\n@b:registry=https://b.example/\n";
    expect(from("npx @b/pkg", {}, npmrc(scoped))).toEqual({
      registry: "https://registry.npmjs.org/",
      scoped: { scope: "@b", registry: "https://b.example/" },
      hosts: ["registry.npmjs.org", "b.example"],
    });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is what such a file says.
    expect(from("npx pkg", { MIRROR: "m.example" }, npmrc("registry=https://${MIRROR}/"))?.hosts).toEqual([
      "m.example",
    ]);
    expect(from("npx pkg", { NPM_CONFIG_USERCONFIG: "/x" }, { "/x": "registry=http://x.example" })?.hosts).toEqual([
      "x.example",
    ]);
    expect(from("npx pkg", { npm_config_registry: "https://e.example" }, npmrc(text))?.hosts).toEqual(["e.example"]);
    expect(from("uvx pkg", { UV_DEFAULT_INDEX: "https://p.example/simple" })?.hosts).toEqual(["p.example"]);
  });

  test("is not what npm took from a project, and nothing where the configuration cannot be understood", () => {
    const belowNpm = { npm_execpath: "/usr/bin/npm", npm_config_registry: "https://evil.example" };
    expect(from("npx pkg", belowNpm)?.hosts).toEqual(["registry.npmjs.org"]);
    expect(from("npx pkg", {}, npmrc("registry=file:///x"))).toBeUndefined();
    const found = launch("npx pkg");
    const readText = () => {
      throw new Error("EACCES");
    };
    expect(found && sourceOf(found, { environment: {}, home: "/home/me", readText })).toBeUndefined();
  });

  test("is said, with a warning where the version is open, and not where the entry keeps it away", () => {
    const words = (args: readonly string[], network?: readonly string[]) =>
      describeFetch(
        { command: "npx", args: [...args], ...(network === undefined ? {} : { sandbox: { network: [...network] } }) },
        "/work/app",
        { environment: {}, home: "/home/me", readText: () => undefined },
      );
    expect(words(["-y", "pkg@1.2.3"])).toBe(
      "downloads and runs pkg@1.2.3 from registry.npmjs.org, at the version that it names; what that one needs in turn may change",
    );
    const open =
      "downloads and runs pkg from registry.npmjs.org, WITHOUT A FIXED VERSION: what it runs can become something else at any time";
    expect(words(["-y", "pkg"])).toBe(open);
    expect(words(["-y", "pkg"], ["registry.npmjs.org", "api.example.com"])).toBe(open);
    expect(words(["-y", "pkg"], ["api.example.com"])).toBeUndefined();
    expect(words(["./pkg"])).toBeUndefined();
  });
});
