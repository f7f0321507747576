import { execFile, execFileSync } from "node:child_process";
import { createHash, generateKeyPairSync } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { isInstalled } from "./find-projects.ts";

type Files = Readonly<Record<string, string>>;

export interface Generated {
  readonly directory: string;
  /** `host:port` of the registry. */
  readonly registry: string;
  /** What rows need beside the usual environment: a home directory of their own and pinned tools. */
  readonly environment: Readonly<Record<"HOME" | "PATH" | "YARN_CACHE_FOLDER", string>>;
  remove(): void;
}

/**
 * A small project of each kind with what real ones have: a test key, `.npmrc` and workflows in git, a branch on which
 * they differ, a hook that refuses commits, and packages from a registry on loopback. A kind whose programs are not
 * installed is left out; pnpm and Yarn are the pinned ones of this repository.
 */
export async function generateProjects(): Promise<Generated> {
  const registry = await serveRegistry();
  const top = realpathSync(mkdtempSync(path.join(os.tmpdir(), "gauntlet-generated-")));
  const [directory, home, tools] = ["projects", "home", "tools"].map((name) => path.join(top, name)) as Three;
  writeTools(tools);
  writeHome(home);
  const environment = {
    HOME: home,
    PATH: `${tools}/bin:${process.env.PATH}`,
    // For root, Yarn takes a directory of the system instead.
    YARN_CACHE_FOLDER: path.join(home, ".cache/yarn"),
  };
  const env = { ...process.env, ...environment };
  for (const [name, { files, needs = [], install, rows }] of Object.entries(projects(registry.url))) {
    if (!needs.every(isInstalled)) continue;
    const root = path.join(directory, name);
    writeProject(root, { ".npmrc": `registry=${registry.url}\nsave-exact=true\nignore-scripts=true\n`, ...files });
    const [program, ...args] = install ?? [];
    // Not in one turn: the registry answers from this process.
    if (program !== undefined) await promisify(execFile)(program, args, { cwd: root, env });
    commitProject(root);
    writeFileSync(`${root}.commands`, `${[...commands, ...rows].join("\n")}\n`);
  }
  return {
    directory,
    registry: new URL(registry.url).host,
    environment,
    remove() {
      registry.close();
      execFileSync("chmod", ["-R", "u+rwX", home]);
      rmSync(top, { recursive: true, force: true });
    },
  };
}

type Three = [string, string, string];

/** An installation that is neither below a workspace nor in a `node_modules`, so that commands can see it. */
function writeTools(tools: string): void {
  const packages = path.join(import.meta.dirname, "../../node_modules");
  for (const [name, program] of [
    ["pnpm", "bin/pnpm.cjs"],
    ["yarn", "bin/yarn.js"],
  ] as const) {
    const installed = path.join(tools, "lib", name);
    cpSync(path.join(packages, name), installed, { recursive: true });
    write(tools, { [`bin/${name}`]: `#!/bin/sh\nexec node ${path.join(installed, program)} "$@"\n` });
    chmodSync(path.join(tools, "bin", name), 0o755);
  }
}

/** With a module that nobody may write, as Go keeps them. */
function writeHome(home: string): void {
  write(home, { [`go/pkg/mod/${goModule}/twice.txt`]: "2\n", ".cache/go-build/README": "The build cache.\n" });
  execFileSync("chmod", ["-R", "a-w", path.join(home, "go/pkg/mod", goModule)]);
}

const goModule = "example.com/twice@v1.0.0";

interface Generator {
  readonly files: Files;
  readonly needs?: readonly string[];
  readonly install?: readonly [program: string, ...args: string[]];
  /** Beside `commands`. */
  readonly rows: readonly string[];
}

function projects(registry: string): Readonly<Record<string, Generator>> {
  const manifest = {
    name: "sample",
    version: "1.0.0",
    license: "MIT",
    scripts: { test: "node test.js", build: "node build.js", lint: "node --check index.js" },
    dependencies: { "is-number": "^6.0.0" },
    devDependencies: { semver: "^7.0.0" },
  };
  const node: Files = {
    "package.json": `${JSON.stringify(manifest, null, 2)}\n`,
    ".gitignore": "node_modules/\ndist/\n*.tgz\n",
    "index.js": "exports.twice = (n) => 2 * n;\n",
    "test.js":
      "const a = require('node:assert');\na.equal(require('./index.js').twice(2), 4);\na(require('is-number')(1));\na(require('node:fs').readFileSync('test/server.key', 'utf8').includes('PRIVATE KEY'));\n",
    "build.js":
      "const fs = require('node:fs');\nfs.mkdirSync('dist', { recursive: true });\nfs.copyFileSync('index.js', 'dist/index.js');\n",
  };
  return {
    npm: {
      files: node,
      needs: ["npm"],
      install: ["npm", "install", "--no-audit", "--no-fund"],
      rows: [
        "npm ci",
        "npm install is-odd@3.0.1",
        "npm install --save-dev is-odd@3.0.1 && npm uninstall is-odd",
        "npm test",
        "npm run build",
        "npm version patch",
        "npm pack",
        "npm pkg set description='Something else'",
        "npx --no-install semver 1.2.3",
        "rm -rf node_modules && npm install --prefer-offline",
      ],
    },
    pnpm: {
      files: node,
      needs: ["node"],
      install: ["pnpm", "install"],
      rows: [
        "pnpm install --frozen-lockfile",
        "pnpm add is-odd@3.0.1",
        "pnpm add -D is-odd@3.0.1 && pnpm remove is-odd",
        "pnpm test",
        "pnpm run build",
        "pnpm ls --depth 0",
        "pnpm exec semver 1.2.3",
        "pnpm version patch --no-git-tag-version",
        "pnpm pack",
        "rm -rf node_modules && pnpm install --offline --frozen-lockfile",
      ],
    },
    yarn: {
      files: { ...node, ".yarnrc": `registry "${registry}"\n` },
      needs: ["node"],
      install: ["yarn", "install"],
      rows: [
        "yarn install --frozen-lockfile",
        "yarn add is-odd@3.0.1",
        "yarn add -D is-odd@3.0.1 && yarn remove is-odd",
        "yarn test",
        "yarn run build",
        "yarn list --depth=0",
        "yarn run semver 1.2.3",
        "yarn version --patch --no-git-tag-version",
        "yarn pack --filename sample.tgz",
        "rm -rf node_modules && yarn install --offline --frozen-lockfile",
      ],
    },
    python: {
      files: {
        "pyproject.toml": '[project]\nname = "sample"\nversion = "1.0.0"\n',
        ".pre-commit-config.yaml": "repos: []\n",
        ".gitignore": "__pycache__/\n.venv/\n",
        "src/sample/__init__.py": "def twice(n):\n    return 2 * n\n",
        "tests/test_sample.py":
          "import pathlib\nimport unittest\n\nimport sample\n\n\nclass Sample(unittest.TestCase):\n    def test_key(self):\n        assert 'PRIVATE KEY' in pathlib.Path('test/server.key').read_text()\n        assert sample.twice(2) == 4\n",
      },
      needs: ["python3"],
      rows: [
        "PYTHONPATH=src python3 -m unittest discover -s tests",
        "python3 -m compileall -q src",
        "python3 -m py_compile src/sample/__init__.py",
        "python3 -m venv --without-pip .venv && .venv/bin/python -c 'import sys; print(sys.prefix != sys.base_prefix)'",
        "PYTHONPATH=src python3 -c 'import sample; print(sample.twice(2))' > twice.txt",
        `"python3 - <<'END'\\nimport json, pathlib\\npathlib.Path('report.json').write_text(json.dumps({'ok': True}))\\nEND"`,
        "python3 -m zipfile -c sources.zip src && python3 -m zipfile -l sources.zip | wc -l",
        "+ mkdir -p src/__pycache__ && touch src/__pycache__/old.pyc",
        "find . -name __pycache__ -prune -exec rm -rf {} +",
        "sed -i 's/2 \\* n/n + n/' src/sample/__init__.py && git commit -am 'Add instead'",
      ],
    },
    // Also without Go, a build as Go's: a cache in the home directory, and modules there that nobody may write.
    go: {
      files: {
        "go.mod": "module example.com/sample\n\ngo 1.19\n",
        "sample.go": "package sample\n\nfunc Twice(n int) int { return 2 * n }\n",
        "sample_test.go":
          'package sample\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestKey(t *testing.T) {\n\tif _, err := os.ReadFile("test/server.key"); err != nil || Twice(2) != 4 {\n\t\tt.Fatal(err)\n\t}\n}\n',
        ".gitignore": "bin/\n",
        "build.sh": goBuild,
      },
      rows: [
        "sh build.sh",
        "sh build.sh && sh build.sh && bin/sample",
        "sh build.sh && mv bin/sample sample-linux && ls -l sample-linux | cut -c1-10",
        "GOFLAGS=-mod=readonly sh build.sh > build.log 2>&1; cat build.log",
        "GOCACHE=$PWD/.cache/go-build sh build.sh",
        "+ sh build.sh",
        "rm -rf bin && sh build.sh",
        `cat ~/go/pkg/mod/${goModule}/twice.txt > vendored.txt`,
        `cp -r ~/go/pkg/mod/${goModule} vendored && chmod -R u+w vendored`,
        "grep -q Twice sample.go && grep -c PRIVATE test/server.key > count.txt",
        "mkdir -p cmd/tool && printf 'package main\\n\\nfunc main() { println(1) }\\n' > cmd/tool/main.go && git add cmd && git commit -m 'Add a tool'",
      ],
    },
    c: {
      files: {
        Makefile:
          "sample: sample.c\n\tcc -o sample sample.c\nclean:\n\trm -f sample\ninstall: sample\n\tinstall -D sample $(DESTDIR)/bin/sample\n",
        ".gitignore": "sample\n",
        "sample.c": "/* the sample */\nint main(void) { return 0; }\n",
      },
      needs: ["make", "cc"],
      rows: [
        "make",
        "make clean && make -j2",
        "+ make",
        "make clean",
        "+ make && touch sample.c",
        "make && ./sample",
        "cc -fsyntax-only sample.c; echo $?",
        "make -n | wc -l",
        "make DESTDIR=/tmp/row-installed install; ls /tmp/row-installed | wc -l",
        "make DESTDIR=$PWD/out install",
        "printf 'int main(void) { return 3; }\\n' > /tmp/row-t.c && cc -o /tmp/row-t /tmp/row-t.c && /tmp/row-t",
        "sed -i 's/return 0/return 1/' sample.c && make && ./sample",
      ],
    },
  };
}

const goBuild = `#!/bin/sh
set -eu
modules=\${GOMODCACHE:-$HOME/go/pkg/mod} cache=\${GOCACHE:-$HOME/.cache/go-build}
twice=$(cat "$modules/${goModule}/twice.txt")
key=$(cat sample.go test/server.key "$modules/${goModule}/twice.txt" | cksum | tr ' ' '-')
mkdir -p "$cache" bin
[ -f "$cache/$key" ] || printf '#!/bin/sh\\necho $((%s * 2))\\n' "$twice" > "$cache/$key.tmp-$$"
[ -f "$cache/$key" ] || mv "$cache/$key.tmp-$$" "$cache/$key"
install -m 755 "$cache/$key" bin/sample
`;

function writeProject(root: string, files: Files): void {
  const { privateKey } = generateKeyPairSync("ec", {
    namedCurve: "prime256v1",
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  write(root, {
    "README.md": "# Sample\n\nThe sample.\n",
    "test/server.key": privateKey,
    ".github/workflows/ci.yml": "on: push\n",
    ".vscode/settings.json": "{}\n",
    "hooks/pre-commit": "#!/bin/sh\n! git diff --cached | grep -q FIXME\n",
    ...files,
  });
  chmodSync(path.join(root, "hooks/pre-commit"), 0o755);
}

function commitProject(root: string): void {
  const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { stdio: "ignore" });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Sample");
  git("config", "user.email", "sample@localhost");
  git("config", "core.hooksPath", "hooks");
  for (const [subject, changed] of Object.entries(commits)) {
    write(root, changed);
    git("add", "--all");
    git("commit", "--quiet", "--no-verify", `--message=${subject}`);
    if (subject === "Release") git("switch", "--quiet", "main");
    if (subject === "Start") git("switch", "--quiet", "--create", "release");
  }
}

/** The second one is on the branch `release`. */
const commits: Readonly<Record<string, Files>> = {
  Start: {},
  Release: {
    ".github/workflows/ci.yml": "on: release\n",
    ".vscode/settings.json": '{ "a": 1 }\n',
    "RELEASE.md": "1\n",
  },
  Continue: { "README.md": "# Sample\n\nThe better sample.\n" },
};

const commands = [
  "*",
  "git checkout release",
  "git merge --no-edit release",
  "git rebase release",
  "git cherry-pick release",
  "git diff main release --stat",
  "+ echo FIXME >> README.md",
  "git commit -a -m 'Refused by the hook'",
  "+ echo fine >> README.md",
  "git commit -a -m 'Accepted by the hook'",
  "+ echo other > test/server.key",
  "git diff --stat && git stash && git stash pop",
  "+ echo other >> README.md",
  "git stash && git stash apply && git stash drop",
  "git tag v9 && git tag -d v9",
  "git reset --keep HEAD~1",
  "git checkout --orphan empty && git rm -rfq . && ls",
  "git mv test fixtures && git commit -m 'Move the key'",
  "git mv test/server.key test/other.key && git commit -m 'Rename the key'",
  "cp -r test test-copy && tar -cf all.tar test .npmrc 2>/dev/null; tar -tf all.tar",
];

function write(root: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  }
}

/** The packages that the usual rows install. */
const packages: readonly { readonly name: string; readonly version: string; readonly [field: string]: unknown }[] = [
  { name: "is-odd", version: "3.0.1", dependencies: { "is-number": "^6.0.0" } },
  { name: "is-number", version: "6.0.0" },
  { name: "semver", version: "7.0.0", bin: { semver: "index.js" } },
];

async function serveRegistry(): Promise<{ readonly url: string; close(): void }> {
  const pages = new Map<string, string | Uint8Array>();
  const server = createServer((request, response) => {
    const page = pages.get(request.url ?? "");
    response.writeHead(page === undefined ? 404 : 200).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}/`;
  for (const manifest of packages) {
    const { name, version } = manifest;
    const archive = pack({
      "package.json": JSON.stringify(manifest),
      "index.js": "#!/usr/bin/env node\nmodule.exports = (n) => typeof n === 'number';\n",
      ".env": "REDIS_HOST=127.0.0.1\n",
    });
    const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
    const dist = { tarball: `${url}${name}/-/${name}-${version}.tgz`, integrity };
    const versions = { [version]: { ...manifest, dist } };
    pages.set(`/${name}`, JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
    pages.set(`/${name}/-/${name}-${version}.tgz`, archive);
  }
  return {
    url,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function pack(files: Files): Uint8Array {
  const directory = mkdtempSync(path.join(os.tmpdir(), "gauntlet-registry-"));
  try {
    write(path.join(directory, "package"), files);
    execFileSync("tar", ["-czf", "package.tgz", "package"], { cwd: directory });
    return readFileSync(path.join(directory, "package.tgz"));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
