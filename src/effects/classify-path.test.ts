import { describe, expect, test } from "vitest";
import { classifyPath, describeClass, isObjectStore, isProtectedName, isSecretName } from "./classify-path.ts";
import { pathClasses } from "./path-classes.ts";

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
    ["/home/ann/app/.gauntlet/settings.json", "state"],
    ["/etc/gauntlet/policy.json", "state"],
    ["/etc/passwd", undefined],
  ] as const)("%s is %s", (path, expected) => {
    expect(classifyPath(path, places)).toBe(expected);
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
