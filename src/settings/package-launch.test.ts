import { describe, expect, test } from "vitest";
import { type Launch, sourceOf } from "../contract/server/package-source.ts";
import { describeFetch, launchOf, readLaunch } from "./package-launch.ts";

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
  ["npm exec pkg x -- --registry=http://evil.example", "npm", ["pkg"], false],
  ["npm x -- pkg --flag", "npm", ["pkg"], false],
  ["npx some.js@~1.2", "npm", ["some.js@~1.2"], false],
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
  expect(launch(line)).toMatchObject({ launcher, packages, pinned });
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
  "npm exec pkg --registry=http://evil.example",
  "npm x pkg x --node-options=--require=./evil.js -- y",
  "npm exec -p a cmd --prefix=.",
  "npx -p a ./cmd",
  "npx -p a -- ../cmd",
  "npx x.tgz",
  "npx x.TAR.GZ",
  "npx x@y.tgz",
  "npx x@.",
  "npx x@..",
  "npx ~",
  "npx ~x",
  "uvx x.whl",
  "uvx --from x.zip cmd",
  "pipx run serve.py",
  "uvx --python ./evil pkg",
  "uvx -p evil/python pkg",
  "pipx run --python=../evil pkg",
  "./npx pkg",
  "bin/npx pkg",
  "/work/app/npx pkg",
])("%s fetches nothing that we know of", (line) => {
  expect(launch(line)).toBeUndefined();
});

test.each([
  ["npx pkg", "PATH"],
  ["npx pkg", "npm_config_registry"],
  ["npx pkg", "NPM_CONFIG_GLOBALCONFIG"],
  ["npx pkg", "npm_config_userconfig"],
  ["npx pkg", "NODE_OPTIONS"],
  ["npx pkg", "LD_PRELOAD"],
  ["npx pkg", "HOME"],
  ["npx pkg", "https_proxy"],
  ["bunx pkg", "BUN_CONFIG_REGISTRY"],
  ["uvx pkg", "UV_INDEX"],
  ["uvx pkg", "PYTHONPATH"],
  ["pipx run pkg", "PIP_EXTRA_INDEX_URL"],
])("%s is no launch with %s in its environment", (line, name) => {
  const [command = "", ...args] = line.split(" ");
  expect(launchOf({ command, args, env: { [name]: "x" } }, "/work/app")).toBeUndefined();
  const read = readLaunch({ command, args, env: { [name]: "x" } }, "/work/app");
  expect(read?.refused).toBe(`its environment has ${name}`);
  const harmless = { TOKEN: "x", NODE_ENV: "production", PYTHONUNBUFFERED: "1", GITHUB_TOKEN: "x" };
  expect(launchOf({ command, args, env: harmless }, "/work/app")).toBeDefined();
});

test.each([
  ["npx -y -p left-pad@1.3.0 node server.mjs", "node"],
  ["npx -y --package=left-pad -- NODE server.mjs", "NODE"],
  ["npx -p a -p node@22 node server.mjs", "node"],
  ["npx -p a sh -c ./server.sh", "sh"],
  ["npm exec -p a -- bash server.sh", "bash"],
  ["npx -p a npm exec other", "npm"],
  ["npx npm@10.0.0 exec other", "npm@10.0.0"],
  ["npx node@22.1.0 server.mjs", "node@22.1.0"],
  ["bunx -p a bun server.ts", "bun"],
  ["pnpm dlx --package a env node server.mjs", "env"],
  ["pnpm dlx yarn dlx other", "yarn"],
  ["uvx python server.py", "python"],
  ["uvx python@3.12 server.py", "python@3.12"],
  ["uvx --from a python3.12 server.py", "python3.12"],
  ["uv tool run --from a pip3 install other", "pip3"],
  ["pipx run --spec a python3 server.py", "python3"],
])("%s gets no registry: %s runs whatever it is told to", (line, program) => {
  const [command = "", ...args] = line.split(" ");
  expect(readLaunch({ command, args }, "/work/app")?.refused).toBe(
    `${program} can run any program that its arguments name`,
  );
  expect(launch(line)).toBeUndefined();
});

test.each(["npx node-red-mcp", "npx -p a python-mcp", "uvx --from a bash-server", "npx @scope/node", "npx time2x"])(
  "%s only has a name like theirs",
  (line) => expect(launch(line)).toBeDefined(),
);

test("packages without a command would be a shell", () => {
  expect(readLaunch({ command: "npx", args: ["-y", "-p", "a"] }, "/work/app")?.refused).toBe("it names no command");
});

test("what gets no registry is still known by its package, so that the project's is not run in its place", () => {
  const setting = { command: "npm", args: ["exec", "pkg", "--registry=http://evil.example"], env: { PATH: "x" } };
  expect(readLaunch(setting, "/work/app")).toMatchObject({
    launch: { launcher: "npm", packages: ["pkg"], pinned: false },
    refused: "--registry follows the package without a -- before it",
  });
  expect(launchOf(setting, "/work/app")).toBeUndefined();
});

test("a launcher that cannot leave the directory that it starts in is not started in one of the entry's", () => {
  const cwd = "sub";
  for (const [command = "", ...args] of [
    ["bunx", "pkg"],
    ["pnpm", "dlx", "pkg"],
    ["pipx", "run", "pkg"],
  ]) {
    expect(launchOf({ command, args, cwd }, "/work/app")).toBeUndefined();
  }
  expect(launchOf({ command: "npx", args: ["pkg"], cwd }, "/work/app")).toBeDefined();
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
    expect(from("npx pkg", {})).toEqual({
      registry: "https://registry.npmjs.org/",
      scoped: {},
      hosts: ["registry.npmjs.org"],
    });
    expect(from("uvx pkg", {})?.hosts).toEqual(["pypi.org", "files.pythonhosted.org"]);
  });

  test("is what the person configured, without the secrets in it", () => {
    const person = ["me", "secret"].join(":");
    const text = `; mine\nregistry = https://${person}@npm.example:8443/all/ \n//npm.example/:_authToken=abc\n`;
    expect(from("npx pkg", {}, npmrc(text))).toEqual({
      registry: "https://npm.example:8443/all/",
      scoped: {},
      hosts: ["npm.example:8443"],
    });
    const scoped = "@a:registry=https://a.example/\n@b:registry=https://b.example/\n";
    for (const line of ["npx @b/pkg", "npx pkg", "bunx pkg", "pnpm dlx pkg"]) {
      expect(from(line, { "npm_config_@c:registry": "https://c.example" }, npmrc(scoped))).toEqual({
        registry: "https://registry.npmjs.org/",
        scoped: { "@a": "https://a.example/", "@b": "https://b.example/", "@c": "https://c.example/" },
        hosts: ["registry.npmjs.org", "a.example", "b.example", "c.example"],
      });
    }
    const machine = { "/etc/npmrc": "@a:registry=https://m.example/\n@d:registry=https://d.example/\n" };
    expect(from("npx pkg", {}, { ...machine, ...npmrc("@a:registry=https://a.example/") })?.scoped).toEqual({
      "@a": "https://a.example/",
      "@d": "https://d.example/",
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
    expect(from("npx pkg", {}, npmrc("@a:registry=file:///x"))).toBeUndefined();
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
      "downloads and runs pkg@1.2.3 from registry.npmjs.org, at a fixed version; its dependencies may change",
    );
    const open =
      "downloads and runs pkg from registry.npmjs.org, WITHOUT A FIXED VERSION: its code can change at any time";
    expect(words(["-y", "pkg"])).toBe(open);
    expect(words(["-y", "pkg"], ["registry.npmjs.org", "api.example.com"])).toBe(open);
    expect(words(["-y", "pkg"], ["api.example.com"])).toBeUndefined();
    expect(words(["-y", "pkg"], ["*.npmjs.org"])).toBe(open);
    expect(words(["./pkg"])).toBe("cannot download packages, because ./pkg is not a package name");
  });
});
