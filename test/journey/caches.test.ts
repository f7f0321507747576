import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cacheParts, findCaches } from "../../src/sandbox/plan/package-managers.ts";
import { agreeable, openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const bash = (command: string) => ({ tool: "bash", input: { command } });

function put(workspace: Workspace, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(workspace.home, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

test.each([
  ["off", false],
  ["auto", true],
] as const)("a command finds the caches and nothing beside them, with transactions %s", async (use, layered) => {
  const workspace = makeWorkspace({
    "look.sh": `for f in ~/.m2/repository/a.jar ${"$1"}/.m2/repository/a.jar ~/.cargo/registry/index ~/go/pkg/mod/m ; do cat $f; done
echo x > ~/.m2/repository/b.jar && echo written
for f in ~ $1; do cat $f/.m2/settings.xml $f/.cargo/credentials.toml $f/.gradle/gradle.properties $f/.npmrc; done
echo "$GRADLE_RO_DEP_CACHE"
mkdir -p ~/.npm/_cacache && echo own > ~/.npm/_cacache/x && cat ~/.npm/_cacache/x
`,
  });
  put(workspace, {
    ".m2/repository/a.jar": "artifact\n",
    ".m2/settings.xml": "hidden\n",
    ".cargo/registry/index": "crates\n",
    ".cargo/credentials.toml": "hidden\n",
    "go/pkg/mod/m": "module\n",
    ".gradle/caches/modules-2/x": "",
    ".gradle/gradle.properties": "hidden\n",
    ".npmrc": "hidden\n",
    ".npm/_cacache/index": "packages\n",
  });
  const gauntlet = await openGauntlet(workspace, { settings: { transactions: { use } }, onAsk: agreeable() });
  const ran = await gauntlet.call(bash(`sh look.sh ${workspace.home}`));
  const stdout = ran.model.content.find(({ label }) => label === "stdout")?.text;
  // In a view a cache can be written to, and what is written is discarded.
  const written = layered ? "written\n\n" : `${workspace.home}/.gradle/caches\n`;
  expect(stdout).toBe(`artifact\nartifact\ncrates\nmodule\n${written}own\n`);
  expect(existsSync(path.join(workspace.home, ".m2/repository/b.jar"))).toBe(false);
});

test("a cache that is a link, or around the workspace, is left alone", () => {
  const workspace = makeWorkspace();
  put(workspace, { ".ssh/id": "key", "go/pkg/mod/own/go.mod": "" });
  symlinkSync(path.join(workspace.home, ".ssh"), path.join(workspace.home, ".npm"));
  mkdirSync(path.join(workspace.home, ".cargo"));
  symlinkSync("../.ssh", path.join(workspace.home, ".cargo/git"));
  expect(findCaches(workspace.home, [path.join(workspace.home, "go/pkg/mod/own")])).toEqual([]);
});

test("with a layer to write to all caches are shown, and pnpm is given the store that the project was made with", () => {
  const workspace = makeWorkspace({ "node_modules/.modules.yaml": "" });
  put(workspace, { ".npm/_cacache/x": "", ".local/share/pnpm/store/v3/x": "", ".ssh/id": "key" });
  const at = (name: string) => path.join(workspace.home, name);
  const parts = () =>
    cacheParts(findCaches(workspace.home, [workspace.root]), {
      layered: true,
      online: false,
      roots: [workspace.root],
    });
  workspace.write("node_modules/.modules.yaml", `layoutVersion: 5\nstoreDir: ${at(".local/share/pnpm/store/v3")}\n`);
  const store = at(".local/share/pnpm/store/v3");
  expect(parts()).toMatchObject({
    mounts: [".npm/_cacache", ".local/share/pnpm/store"].map((name) => ({
      kind: "view",
      path: at(name),
      discarded: true,
    })),
    names: [".npm/_cacache", ".local/share/pnpm/store"].map((name) => ({
      path: `/run/home/${name}`,
      target: at(name),
    })),
    environment: { npm_config_store_dir: store, pnpm_config_store_dir: store },
  });
  workspace.write("node_modules/.modules.yaml", `{\n  "storeDir": "${at(".ssh")}"\n}\n`);
  expect(parts().environment).toEqual({});
  const hoisted = '    "/a/1.0.0": { "a": "public" },\n'.repeat(100_000);
  workspace.write("node_modules/.modules.yaml", `{\n  "hoisted": {\n${hoisted}  },\n  "storeDir": "${store}",\n}\n`);
  expect(parts().environment).toMatchObject({ npm_config_store_dir: store });
  for (const text of ["\n", " ", "\nstoreDir: x "]) {
    workspace.write("node_modules/.modules.yaml", text.repeat(200_000));
    expect(parts().environment).toEqual({});
  }
  truncateSync(workspace.path("node_modules/.modules.yaml"), 20 * 1024 ** 3);
  expect(parts().environment).toEqual({});
});

const hasGo = existsSync("/usr/bin/go") || existsSync("/usr/local/go/bin/go");

test.skipIf(!hasGo)(
  "go builds from its module cache without a network",
  async () => {
    const workspace = makeWorkspace({
      "go.mod": "module example.com/app\n\ngo 1.18\n\nrequire example.com/dep v1.0.0\n",
      "main.go": 'package main\n\nimport "example.com/dep"\n\nfunc main() { println(dep.Word) }\n',
    });
    execFileSync("git", ["init", "-q"], { cwd: workspace.root });
    fillModuleCache(workspace);
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    const ran = await gauntlet.call(bash("go build -o app . && ./app"));
    expect(ran, JSON.stringify(ran.model)).toMatchObject({ ok: true });
    expect(JSON.stringify(ran.model)).toContain("cached");
  },
  120_000,
);

/** By way of a proxy that is a directory. */
function fillModuleCache({ home, root }: Workspace): void {
  const proxy = path.join(home, "proxy");
  const at = path.join(proxy, "example.com/dep/@v");
  const source = path.join(home, "source/example.com/dep@v1.0.0");
  for (const directory of [at, source]) mkdirSync(directory, { recursive: true });
  const module = "module example.com/dep\n\ngo 1.18\n";
  writeFileSync(path.join(source, "go.mod"), module);
  writeFileSync(path.join(source, "dep.go"), 'package dep\n\nconst Word = "cached"\n');
  writeFileSync(path.join(at, "v1.0.0.mod"), module);
  writeFileSync(path.join(at, "v1.0.0.info"), '{"Version":"v1.0.0"}');
  writeFileSync(path.join(at, "list"), "v1.0.0\n");
  const zip = path.join(at, "v1.0.0.zip");
  const pack = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1], 'w'); [z.write(name) for name in sys.argv[2:]]";
  const packed = ["go.mod", "dep.go"].map((name) => `example.com/dep@v1.0.0/${name}`);
  execFileSync("python3", ["-c", pack, zip, ...packed], { cwd: path.join(home, "source") });
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    GOPROXY: `file://${proxy}`,
    GOSUMDB: "off",
    GOFLAGS: "-modcacherw",
    GOTOOLCHAIN: "local",
  };
  execFileSync("go", ["mod", "tidy"], { cwd: root, env, stdio: "pipe" });
  rmSync(proxy, { recursive: true });
  expect(readFileSync(path.join(root, "go.sum"), "utf8")).toContain("example.com/dep");
  onTestFinished(() => rmSync(path.join(home, "go"), { recursive: true, force: true }));
}
