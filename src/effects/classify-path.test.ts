import { describe, expect, test } from "vitest";
import { pathClasses } from "../../test/tables/examples.ts";
import { classifyPath, describeClass, isObjectStore, isProtectedName, isSecretName } from "./classify-path.ts";

const places = { roots: ["/home/ann/app", "/data/.work/lib"], home: "/home/ann", stateDirectory: "/var/state" };
const at = (example: string) => (example.startsWith("/") ? example : `/home/ann/app/${example}`);

describe("the table of path classes", () => {
  test.each(pathClasses.map((entry) => [`${entry.class}: ${entry.what}`, entry] as const))("%s", (_name, entry) => {
    for (const example of entry.examples.match) {
      expect({ example, class: classifyPath(at(example), places) }).toEqual({ example, class: entry.class });
    }
    for (const example of entry.examples.noMatch) {
      expect({ example, what: describeClass(at(example)) === entry.what }).toEqual({ example, what: false });
    }
    for (const pattern of entry.patterns) expect(pattern).toBe(pattern.toLowerCase());
  });

  test.each([
    ["/home/ann/app/src/a.ts", undefined],
    ["/home/ann/app/.storybook/main.ts", "hidden"],
    ["/home/ann/app/.prettierrc", undefined],
    ["/home/ann/app/.git/HEAD", "protected"],
    ["/home/ann/app/.git", "protected"],
    ["/home/ann/app/deep/er/.git", "protected"],
    ["/home/ann/app/.git/config", "protected"],
    // Letter case and Unicode do not make another name.
    ["/home/ann/app/.ENV", "secret"],
    ["/home/ann/app/.en\u200bv", "secret"],
    ["/home/ann/app/.ｅnv", "secret"],
    // Nor does what an editor or a careful hand puts behind it.
    ["/home/ann/app/.env~", "secret"],
    ["/home/ann/app/#.env#", "secret"],
    ["/home/ann/app/.env ", "secret"],
    ["/home/ann/app/server.key~~", "secret"],
    ["/home/ann/app/.npmrc.bak", "secret"],
    ["/home/ann/app/tls.pem.orig.old", "secret"],
    ["/home/ann/app/.env\n", "secret"],
    ["/home/ann/app/.env\t", "secret"],
    ["/home/ann/app/ .env", "secret"],
    ["/home/ann/app/\u3000.env\u00a0", "secret"],
    ["/home/ann/app/\u0001.env", "secret"],
    ["/home/ann/app/src/a.ts~", undefined],
    ["/home/ann/app/~", undefined],
    ["/home/ann/app/.bak", undefined],
    ["/home/ann/app/c#", undefined],
    ["/home/ann/app/ID_RSA", "secret"],
    ["/home/ann/app/.GIT/HOOKS/x", "protected"],
    ["/home/ann/app/.VSCode/x", "protected"],
    ["/home/ann/app/ſecrets.json", "secret"],
    // Names above the root do not count, except for credentials.
    ["/data/.work/lib/src/a.ts", undefined],
    ["/data/.work/lib/.x/a.ts", "hidden"],
    ["/home/ann/.ssh/known_hosts", "secret"],
    ["/home/ann/.bashrc", "protected"],
    // Ours.
    ["/var/state", "state"],
    ["/var/state/sessions/x", "state"],
    ["/var/state2", undefined],
    ["/var/state/skills", "state"],
    ["/var/state/skills/mine/run.sh", undefined],
    ["/var/state/skills/mine/.env", "secret"],
    ["/var/state/skills/mine/.gauntlet/x", "state"],
    ["/var/state/skillset/x", "state"],
    ["/var/state/sessions/skills/x", "state"],
    ["/home/ann/app/.gauntlet/settings.json", "state"],
    ["/etc/gauntlet/policy.json", "state"],
    ["/etc/passwd", undefined],
  ] as const)("%s is %s", (path, expected) => {
    expect(classifyPath(path, places)).toBe(expected);
  });

  test.each([
    // Vim, nano and emacs.
    ..."server.key .npmrc secrets.yml .env .netrc credentials.json"
      .split(" ")
      .flatMap((name) => [
        `.${name}.swp`.replace(/^\.\./, "."),
        `.${name}.swo`.replace(/^\.\./, "."),
        `.${name}.un~`.replace(/^\.\./, "."),
        `%home%ann%app%${name}.swp`,
        `%home%ann%app%${name}`,
        `${name}.save`,
        `${name}.save.1`,
        `${name}.~1~`,
        `${name}.~12~`,
      ]),
    // People, file managers and other programs.
    ...["server.key", "secrets.yml", ".env", ".npmrc", "id_rsa", "terraform.tfvars"].flatMap((name) => [
      `${name} copy`,
      `${name} copy 2`,
      `${name} (copy)`,
      `${name} (1)`,
      `${name}(1)`,
      `${name} 2`,
      `${name}.1`,
      `${name}.tmp`,
      `${name}.bak2`,
      `${name}.bak.1`,
      `${name}_bak`,
      `${name}-old`,
      `${name}_old2`,
      `${name}.backup`,
      `${name}.20260101`,
      `${name}-2026-01-01`,
      `${name}.lock`,
      `${name}.rej`,
      `${name},v`,
      `${name}.rpmsave`,
      `${name}.gz`,
      `Copy of ${name}`,
      `~${name}`,
      `${name.toUpperCase()}.BAK2`,
    ]),
    "secrets copy.yml",
    "secrets copy 3.yml",
    "secrets (1).json",
    "secrets-old.json",
    "credentials.bak.json",
    "service-account-prod copy.json",
    ".docker/config.json.1",
    ".ssh.1/known_hosts",
    ".aws copy/credentials",
    ".bash_history-01.tmp",
    ".git-credentials.lock",
  ])("%s is a copy of what is closed", (name) => {
    const path = `/home/ann/app/${name}`;
    expect(classifyPath(path, places)).toBe("secret");
    if (!/\.ssh|\.aws/.test(name)) expect(isSecretName(path.slice(path.lastIndexOf("/") + 1), path)).toBe(true);
  });

  test.each([
    ".env.example",
    ".env.example.bak",
    ".env.local.sample",
    "example.env",
    "example.env.bak",
    "id_rsa.pub",
    "id_rsa.pub.bak",
    "server.key.pub",
    "src/key.ts",
    "src/keys.1",
    "src/key copy.ts",
    "src/secrets.ts",
    "src/secrets copy.ts",
    "src/secrets.old.ts",
    "config.json.1",
    "config copy.json",
    "package.json.bak2",
    "src/a.ts.swp",
    ".a.ts.swp",
    "monkey.1",
    "ssh-keygen.1",
    "credentials.md",
    "report (1).pdf",
    "notes 2.md",
    "%",
    "1",
    ".1",
    "copy",
    "copy of notes.md",
    "node_modules/x/test/a.pem.1",
  ])("%s is no copy of anything closed", (name) => {
    expect(classifyPath(`/home/ann/app/${name}`, places)).toBeUndefined();
  });

  test("a name of any length is compared in time", () => {
    for (const piece of [" ", ".", "~", "-1", " copy", "%", "(1)", ".bak", "1", "\t"]) {
      const name = `${piece.repeat(50_000)}x`;
      expect([
        classifyPath(`/home/ann/app/${name}`, places),
        classifyPath(`/home/ann/app/${name}.key.1`, places),
      ]).toEqual([undefined, "secret"]);
    }
  });

  test("a project below a directory of credentials is not read", () => {
    const inside = { ...places, roots: ["/home/ann/.ssh"] };
    expect(classifyPath("/home/ann/.ssh/config", inside)).toBe("secret");
  });

  test.each([
    ["/w/.env", true],
    ["/w/sub/.ENV.local", true],
    ["/w/.env.example", false],
    ["/w/.ssh", true],
    ["/w/.docker/config.json", true],
    ["/w/docker/config.json", false],
    ["/w/.gauntlet", true],
    ["/w/src/a.ts", false],
    ["/w/config.json", false],
    ["/w/node_modules/x/a.pem", false],
    ["/w/node_modules/x/.env", true],
  ])("isSecretName %s: %s", (path, expected) => {
    expect(isSecretName(path.slice(path.lastIndexOf("/") + 1), path)).toBe(expected);
  });

  test.each([
    ["/w/.git/hooks", true],
    ["/w/.git/config", true],
    ["/w/.git", true],
    ["/w/sub/.GIT", true],
    ["/w/config", false],
    ["/w/.vscode", true],
    ["/w/.env", false],
    ["/w/vendor/x/.git/hooks", true],
  ])("isProtectedName %s: %s", (path, expected) => {
    expect(isProtectedName(path.slice(path.lastIndexOf("/") + 1), path)).toBe(expected);
  });

  test.each([
    ["/w/.git/objects", true],
    ["/w/.git/objects/ab/cdef", true],
    ["/w/.git/modules/x/objects/pack/pack-1.pack", true],
    ["/w/.GIT/Objects/ab", true],
    ["/w/bare.git/objects/pack/pack-1.idx", true],
    [`/w/bare/objects/ab/${"0".repeat(38)}`, true],
    ["/w/.git", false],
    ["/w/.git/HEAD", false],
    ["/w/src/objects/ab/model.ts", false],
    ["/w/objects/.git", false],
  ])("isObjectStore %s: %s", (path, expected) => {
    expect(isObjectStore(path)).toBe(expected);
  });
});
