import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Observation } from "../../src/contract/observation.ts";
import { agreeable, eventsOf, type OpenOptions, openGauntlet, unwilling } from "../support/gauntlet.ts";
import { asRepository, type Repository } from "../support/repository.ts";
import { makeWorkspace } from "../support/workspace.ts";

const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" });
const keyText = String(key);
const keyLine = keyText.split("\n")[1] ?? "";
const certificate = keyText.replaceAll("PRIVATE KEY", "CERTIFICATE");
/** Put together, so that no scanner takes this file for a leak. */
const token = (tail: string) => ["npm", `${"a1B2c3D4".repeat(4)}${tail}`].join("_");
const oldToken = token("0old");
const newToken = token("9new");
const readKey = 'node -e \'process.exit(require("fs").readFileSync("test/key.pem", "utf8").length > 100 ? 0 : 1)\'';

const committed = {
  ".npmrc": "save-exact=true\npackage-lock=false\n",
  ".env": "PORT=3000\nLOG_LEVEL=debug\nDB_PASSWORD=\n",
  "test/key.pem": keyText,
  "test/cert.pem": certificate,
  "test/id_rsa.pub": "ssh-rsa AAAA test\n",
  "a.ts": "one\n",
  "package.json": '{ "name": "x", "version": "1.0.0" }\n',
};

function makeRepository(files: Readonly<Record<string, string>> = committed): Repository {
  const repository = asRepository(makeWorkspace(files));
  repository.git("init", "--quiet", "--initial-branch", "main");
  for (const name of ["user.name", "user.email"]) repository.git("config", name, "a@b");
  repository.git("add", "--all", "--force");
  repository.git("commit", "--quiet", "--message", "first");
  return repository;
}

const bash = (command: string) => ({ tool: "bash", input: { command } });
const textOf = (observation: Observation) => JSON.stringify(observation.model);

async function runIn(repository: Repository, command: string, options: OpenOptions = {}) {
  const gauntlet = await openGauntlet(repository, { onAsk: agreeable(), ...options });
  return { gauntlet, observation: await gauntlet.call(bash(command)) };
}

describe("what is committed can be seen", () => {
  test.each([
    ["git add ."],
    ["git diff && git status"],
    ["git stash && git stash pop"],
    ["git commit -am x"],
    ["node -e 0 && git add -A && git commit -m x"],
    ["npm --version && git commit -a -m 1.0.1 && git tag v1.0.1"],
    ["git rebase -q --no-ff HEAD~1"],
  ])("git works in the repository: %s", async (command) => {
    const repository = makeRepository();
    const tree = repository.git("ls-files", "-s", ".env", ".npmrc", "test");
    repository.write("a.ts", "two\n");
    if (command.includes("rebase")) repository.git("commit", "--quiet", "--all", "--message", "two");
    const { observation } = await runIn(repository, command);
    expect(observation).toMatchObject({ code: "ok" });
    expect(repository.git("ls-files", "-s", ".env", ".npmrc", "test")).toBe(tree);
    expect(repository.git("status", "--porcelain", ".env", ".npmrc", "test")).toBe("");
  });

  test("a build is not stamped as changed, tests read their key, and the project's .npmrc counts", async () => {
    const repository = makeRepository();
    repository.git("tag", "v1");
    const command = `git describe --tags --dirty && ${readKey} && npm config get save-exact && grep -c . test/cert.pem`;
    const { observation } = await runIn(repository, command, { mode: "bypass" });
    expect(observation.code).toBe("ok");
    expect(textOf(observation)).toContain("v1\\ntrue\\n");
    expect(textOf(observation)).not.toContain("-dirty");
  });

  test("only a file that holds a secret is asked for", async () => {
    const { gauntlet } = await runIn(makeRepository(), "true");
    const decide = async (tool: string, file: string) =>
      (await gauntlet.session.explain({ tool, input: tool === "read" ? { path: file } : { pattern: "x", path: file } }))
        .decision;
    const read = Object.fromEntries(
      await Promise.all(Object.keys(committed).map(async (file) => [file, await decide("read", file)] as const)),
    );
    const plain = Object.fromEntries(Object.keys(committed).map((file) => [file, "allow"]));
    expect(read).toEqual({ ...plain, "test/key.pem": "ask" });
    expect(await decide("grep", "test/key.pem")).toBe("ask");
    expect(await decide("grep", ".npmrc")).toBe("allow");
    const shown = await gauntlet.call({ tool: "read", input: { path: "test/key.pem" } });
    expect(shown.code).toBe("ok");
    expect(textOf(shown)).not.toContain(keyLine);
    const found = await gauntlet.call({ tool: "grep", input: { pattern: "save-exact", hidden: true } });
    expect(textOf(found)).toContain(".npmrc");
    const listed = await gauntlet.call({ tool: "glob", input: { pattern: "**/*", hidden: true } });
    expect(textOf(listed)).toContain(".npmrc");
  });

  test("also where git has packed it, with many versions", async () => {
    const repository = makeRepository();
    const padding = Array.from({ length: 400 }, (_, at) => `# line ${at} of a long default file\n`).join("");
    for (let version = 0; version < 5; version += 1) {
      repository.write(".env", `${padding}PORT=300${version}\nDB_PASSWORD=\n`);
      repository.git("commit", "--quiet", "--all", "--message", `${version}`);
    }
    repository.git("gc", "--quiet", "--aggressive");
    const gauntlet = await openGauntlet(repository);
    const decide = async (file: string) =>
      (await gauntlet.session.explain({ tool: "read", input: { path: file } })).decision;
    expect([await decide(".env"), await decide("test/key.pem"), await decide(".npmrc")]).toEqual([
      "allow",
      "ask",
      "allow",
    ]);
  });

  test("a settings file of an installed package is shown and can be removed, unless it contains a secret", async () => {
    const repository = makeRepository();
    const packages = { plain: "REDIS_HOST=127.0.0.1\n", named: "DB_PASSWORD=x\n", valued: `T=${newToken}\n` };
    for (const [name, text] of Object.entries(packages)) repository.write(`node_modules/${name}/.env`, text);
    const { observation, gauntlet } = await runIn(repository, "(cd node_modules && wc -c */.env)");
    expect(observation.model.content.find(({ label }) => label === "stdout")?.text).toBe(
      " 0 named/.env\n21 plain/.env\n 0 valued/.env\n21 total\n",
    );
    expect((await gauntlet.call(bash("rm -r node_modules/plain"))).code).toBe("ok");
    expect(readdirSync(path.join(repository.root, "node_modules"))).toEqual(["named", "valued"]);
  });

  test.each([
    [
      "a linked worktree",
      (repository: Repository) => {
        const tree = path.join(path.dirname(repository.root), "linked");
        repository.git("worktree", "add", "--quiet", tree);
        return tree;
      },
    ],
    ["a package of a repository", (repository: Repository) => path.join(repository.root, "test")],
  ])("also in %s", async (_, choose) => {
    const repository = makeRepository();
    const root = choose(repository);
    const gauntlet = await openGauntlet({ ...repository, root });
    const file = root.endsWith("test") ? "key.pem" : ".env";
    const { decision } = await gauntlet.session.explain({ tool: "read", input: { path: file } });
    expect(decision).toBe(file === ".env" ? "allow" : "ask");
  });

  test("also in a submodule, which has commits of its own", async () => {
    const other = makeRepository({ ".npmrc": `//r.test/:_authToken=${oldToken}\n` });
    const repository = makeRepository({ "a.ts": "one\n" });
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.root, "sub");
    const gauntlet = await openGauntlet(repository);
    expect((await gauntlet.session.explain({ tool: "read", input: { path: "sub/.npmrc" } })).decision).toBe("ask");
  });
});

describe("a committed value leaves nowhere", () => {
  const encodings = [
    ["as it is", "cat test/key.pem"],
    ["in Base64", "base64 test/key.pem"],
    ["in one line of Base64", "tail -n +2 test/key.pem | base64 -w0"],
    ["in hexadecimal digits", "od -An -v -tx1 test/key.pem"],
    ["out of the history", "git show HEAD:test/key.pem | base64"],
    ["after much other output", "seq 1 100000; base64 test/key.pem; seq 1 30000; cat test/key.pem"],
  ] as const;

  test.each(encodings)("%s", async (_, command) => {
    const repository = makeRepository();
    const { gauntlet, observation } = await runIn(repository, command, { mode: "bypass" });
    expect(observation.code).toBe("ok");
    expect(textOf(observation)).toContain("redacted");
    const forms = [
      keyLine.slice(8, 40),
      Buffer.from(keyText).toString("base64").slice(60, 100),
      Buffer.from(keyText.split("\n").slice(1).join("\n")).toString("base64").slice(8, 40),
      Buffer.from(keyLine).toString("hex").slice(16, 60),
    ];
    const everything = [JSON.stringify(observation), JSON.stringify(eventsOf(gauntlet)), ...stored(repository.state)];
    const strip = (text: string) => text.replaceAll(/\\n|\s/g, "");
    expect(forms.filter((form) => everything.some((text) => strip(text).includes(form)))).toEqual([]);
  });

  /** Everything that was kept of the session, logs and artifacts. */
  function stored(directory: string): readonly string[] {
    return readdirSync(directory, { recursive: true, encoding: "utf8" })
      .map((name) => path.join(directory, name))
      .filter((file) => statSync(file).isFile() && statSync(file).size < 10_000_000)
      .map((file) => readFileSync(file, "latin1"));
  }
});

describe("what is not committed stays hidden", () => {
  const secret = "the walrus sleeps at noon";

  test("from commands as an empty file, and from the tools", async () => {
    const repository = makeRepository({ "a.ts": "one\n", ".gitignore": ".env\n" });
    repository.write(".env", `NOTE=${secret}\n`);
    repository.write("new/id_rsa", keyText);
    const command = "cat new/id_rsa; tar -cf /dev/null . && cp -r . /tmp/copy && wc -c new/id_rsa && git add -A";
    const { gauntlet, observation } = await runIn(repository, command, { mode: "bypass" });
    const script = await gauntlet.call(bash('python3 -c \'print(open(".env").read(), open("new/id_rsa").read())\''));
    expect(textOf(observation) + textOf(script)).not.toContain(secret);
    expect(textOf(script)).not.toContain(keyLine);
    expect(repository.git("ls-files")).toBe(".gitignore\na.ts");
    expect((await gauntlet.session.explain({ tool: "read", input: { path: ".env" } })).decision).toBe("deny");
    expect((await gauntlet.session.explain(bash("cat new/id_rsa"))).decision).toBe("deny");
  });

  test("git add -A does not stage the cover", async () => {
    const repository = makeRepository({ "a.ts": "one\n", "sub/b.ts": "two\n" });
    repository.write("sub/.env", `NOTE=${secret}\n`);
    const { observation } = await runIn(repository, "cd sub && true && git add -A . && git commit --allow-empty -m x");
    expect(observation).toMatchObject({ code: "ok" });
    expect(repository.git("ls-files")).toBe("a.ts\nsub/b.ts");
  });

  test.each([["node -e 0 && git add -A"], ["git add -A && git commit -m x"]])(
    "what is staged already is not recorded as emptied: %s",
    async (command) => {
      const repository = makeRepository({ "a.ts": "one\n" });
      repository.write(".env", `NOTE=${secret}\n`);
      repository.git("add", "--force", ".env");
      const { gauntlet } = await runIn(repository, command);
      expect(repository.git("show", ":.env")).toBe(`NOTE=${secret}`);
      const shown = await gauntlet.call(bash("git diff --cached; git log -p"));
      expect(shown.code).toBe("ok");
      expect(textOf(shown)).not.toContain(secret);
    },
  );

  test("a command that failed for want of it says so", async () => {
    const repository = makeRepository({ "a.ts": "one\n" });
    repository.write(".env", `NOTE=${secret}\n`);
    const { observation } = await runIn(repository, "node -e 'throw new Error(\"NOTE is missing in .env\")'");
    expect(observation.code).toBe("command_failed");
    expect(textOf(observation)).toContain("Read(.env)");
  });

  test.each([
    ["python3 -c 'print(open(\".env\").read())'", true],
    ["python3 -c 'print(1)'", false],
    ["test -e .env.example || true", false],
  ])("an empty cover that a command reads without failing is told of: %s", async (command, isTold) => {
    const repository = makeRepository({ "a.ts": "one\n" });
    repository.write(".env", `NOTE=${secret}\n`);
    const { observation } = await runIn(repository, command);
    expect([observation.code, textOf(observation).includes("Read(.env)")]).toEqual(["ok", isTold]);
  });

  test("what the session commits from behind the cover opens nothing", async () => {
    const repository = makeRepository({ "a.ts": "one\n" });
    repository.write(".env", `NOTE=${secret}\n`);
    const gauntlet = await openGauntlet(repository, { mode: "bypass", onAsk: agreeable() });
    await gauntlet.call(bash("git add -f .env; git commit -m x"));
    await gauntlet.call(bash('python3 -c \'import subprocess; subprocess.run(["git", "add", "-f", ".env"])\''));
    await gauntlet.call(bash("git commit -am y"));
    const after = await gauntlet.call(bash("python3 -c 'print(open(\".env\").read())'"));
    expect(textOf(after)).not.toContain(secret);
    expect((await gauntlet.session.explain({ tool: "read", input: { path: ".env" } })).decision).toBe("deny");
    expect(repository.git("show", "HEAD:.env")).toBe("");
    const next = await openGauntlet(repository);
    expect((await next.session.explain({ tool: "read", input: { path: ".env" } })).decision).toBe("deny");
  });

  test("a repository that the session made opens nothing", async () => {
    const repository = makeRepository({ "a.ts": "one\n" });
    repository.write("sub/.env", `NOTE=${secret}\n`);
    const gauntlet = await openGauntlet(repository, { mode: "bypass", onAsk: agreeable() });
    await gauntlet.call(bash("cd sub && git init -q && git add -f .env && git commit -qm x"));
    const after = await gauntlet.call(bash("python3 -c 'print(open(\"sub/.env\").read())'"));
    expect(textOf(after)).not.toContain(secret);
  });

  test("a broken repository has committed nothing", async () => {
    const repository = makeRepository();
    writeFileSync(path.join(repository.root, ".git/HEAD"), "nothing\n");
    for (const name of readdirSync(path.join(repository.root, ".git/refs/heads"))) {
      writeFileSync(path.join(repository.root, ".git/refs/heads", name), "0".repeat(40));
    }
    const gauntlet = await openGauntlet(repository);
    expect((await gauntlet.session.explain({ tool: "read", input: { path: ".env" } })).decision).toBe("deny");
  });
});

describe("a secret that was added to a committed file", () => {
  const files = { ...committed, ".npmrc": `//r.test/:_authToken=${oldToken}\n` };

  function changed(): Repository {
    const repository = makeRepository(files);
    repository.write(".npmrc", `//r.test/:_authToken=${newToken}\n`);
    return repository;
  }

  test("is hidden, and commands find the committed version", async () => {
    const repository = changed();
    const { gauntlet, observation } = await runIn(repository, "base64 .npmrc; wc -l < .npmrc; git status --porcelain", {
      mode: "bypass",
    });
    const script = await gauntlet.call(bash("python3 -c 'print(open(\".npmrc\").read().encode().hex())'"));
    for (const value of [oldToken, newToken]) {
      const forms = [value, Buffer.from(value).toString("hex").slice(10, 60)];
      for (const form of forms) expect(textOf(observation) + textOf(script)).not.toContain(form);
    }
    expect(textOf(script)).toContain("redacted");
    expect((await gauntlet.session.explain({ tool: "read", input: { path: ".npmrc" } })).decision).toBe("deny");
  });

  test.each([["git add -A && git commit --allow-empty -m x"], ["node -e 0 && git commit --allow-empty -am x"]])(
    "is not recorded by git: %s",
    async (command) => {
      const repository = changed();
      const { observation } = await runIn(repository, command);
      expect(observation).toMatchObject({ code: "ok" });
      expect(repository.git("show", "HEAD:.npmrc")).toContain(oldToken);
      expect(repository.read(".npmrc")).toContain(newToken);
    },
  );

  test("as much as a password that looks like a word", async () => {
    const repository = makeRepository();
    repository.write(".env", "PORT=3000\nLOG_LEVEL=debug\nDB_PASSWORD=walrus\n");
    const { observation } = await runIn(repository, "python3 -c 'print(open(\".env\").read())'", { mode: "bypass" });
    expect(textOf(observation)).toContain("PORT=3000");
    expect(textOf(observation)).not.toContain("walrus");
  });

  test("but what is no secret can be changed", async () => {
    const repository = makeRepository();
    repository.write(".env", "PORT=4000\nLOG_LEVEL=info\nDB_PASSWORD=\n");
    const { observation } = await runIn(repository, "cat .env && git diff --stat", { mode: "bypass" });
    expect(textOf(observation)).toContain("PORT=4000");
    expect(textOf(observation)).toContain("1 file changed");
  });
});

describe("settings and rules", () => {
  test("secrets.hideCommitted hides what is committed", async () => {
    const settings = { secrets: { hideCommitted: true } };
    const { gauntlet, observation } = await runIn(makeRepository(), "wc -c < .env", { mode: "bypass", settings });
    expect(textOf(observation)).not.toContain("44");
    expect((await gauntlet.session.explain({ tool: "read", input: { path: ".env" } })).decision).toBe("deny");
  });

  test("secrets.hideCommitted hides what git has packed of it from a command that reads beside git", async () => {
    const repository = makeRepository();
    const settings = { secrets: { hideCommitted: true } };
    const id = repository.git("rev-parse", "HEAD:test/key.pem");
    const object = path.join(repository.root, ".git/objects", id.slice(0, 2), id.slice(2));
    const packed = readFileSync(object).toString("hex").slice(16, 60);
    for (const command of ["grep -rahs '' .git", "find .git -type f -exec cat {} +", "tar cf - .git"]) {
      const text = `git log -1 --oneline; ${command} | od -An -v -tx1 | tr -d ' \\n'`;
      const { observation } = await runIn(repository, text, { settings, onAsk: unwilling() });
      expect(observation.code).toBe("ok");
      expect(textOf(observation)).not.toContain(packed);
    }
  });

  test("a rule that names a secret shows it, with its values redacted", async () => {
    const repository = makeRepository({ "a.ts": "one\n" });
    repository.write(".env", `PORT=3000\nNPM_TOKEN=${newToken}\n`);
    repository.write("other/.env.local", `NPM_TOKEN=${oldToken}\nPORT=5\n`);
    const settings = { permissions: { allow: ["Read(.env)", "Read(**)"] } };
    const gauntlet = await openGauntlet(repository, { settings, mode: "bypass", onAsk: agreeable() });
    const observation = await gauntlet.call(
      bash("cat .env; base64 .env; python3 -c 'print(open(\"other/.env.local\").read())'"),
    );
    expect(textOf(observation)).toContain("PORT=3000");
    expect(textOf(observation)).not.toContain("PORT=5");
    expect(textOf(observation)).not.toContain(newToken);
    expect(textOf(observation)).not.toContain(Buffer.from(newToken).toString("base64").slice(8, 40));
    const read = (file: string) => gauntlet.session.explain({ tool: "read", input: { path: file } });
    expect([(await read(".env")).decision, (await read("other/.env.local")).decision]).toEqual(["allow", "deny"]);
  });

  test("an .npmrc without a token is plain, committed or not", async () => {
    const repository = makeRepository({ "a.ts": "one\n" });
    mkdirSync(repository.path("web"));
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as npm writes it
    repository.write(".npmrc", "//r.test/:_authToken=${NPM_TOKEN}\nsave-exact=true\n");
    repository.write("web/.npmrc", "//r.test/:_authToken=0123abcd\n");
    const { gauntlet } = await runIn(repository, "true");
    const read = (file: string) => gauntlet.session.explain({ tool: "read", input: { path: file } });
    expect([(await read(".npmrc")).decision, (await read("web/.npmrc")).decision]).toEqual(["allow", "deny"]);
  });
});
