import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ok } from "../../contract/codes.ts";
import { createCredentialStore, findKeychain, type Keychain } from "./credential-store.ts";

const url = "https://docs.example/mcp";

function place() {
  const directory = mkdtempSync(path.join(os.tmpdir(), "gauntlet-keys-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** Speaks like `secret-tool`, and notes its words. */
function keychainIn(directory: string, exit = 0): Keychain {
  const program = path.join(directory, "secret-tool");
  writeFileSync(
    program,
    `#!/bin/sh
echo "$@" >> ${directory}/words
[ ${exit} = 0 ] || exit ${exit}
case "$1" in
  store) cat > ${directory}/kept ;;
  lookup) cat ${directory}/kept 2>/dev/null ;;
  clear) rm -f ${directory}/kept ;;
esac
`,
  );
  chmodSync(program, 0o700);
  return { program, environment: { PATH: "/usr/bin:/bin" } };
}

describe("credentials of servers", () => {
  it("lie in a file that nobody else can read", () => {
    const directory = path.join(place(), "credentials");
    const store = createCredentialStore({ directory, url });
    expect(store.read("docs")).toEqual(ok({}));
    expect(store.write("docs", { token: "t1" })).toEqual(ok(undefined));
    expect(store.read("docs")).toEqual(ok({ token: "t1" }));
    const [file = ""] = readdirSync(directory);
    expect([lstatSync(directory).mode & 0o777, lstatSync(path.join(directory, file)).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
    expect(store.keptIn("docs")).toBe(path.join(directory, file));
    expect(store.remove("docs")).toEqual(ok(undefined));
    expect([readdirSync(directory), store.read("docs")]).toEqual([[], ok({})]);
  });

  it("of one address are not shown to another of the same name", () => {
    const directory = place();
    createCredentialStore({ directory, url }).write("docs", { token: "t1" });
    expect(createCredentialStore({ directory, url: "https://evil.example/mcp" }).read("docs")).toEqual(ok({}));
  });

  it("are not taken from a file that others can read, that is a link, or that is none of ours", () => {
    const directory = place();
    const store = createCredentialStore({ directory, url });
    store.write("docs", { token: "t1" });
    const file = store.keptIn("docs");
    const why = () => {
      const read = store.read("docs");
      return read.ok ? "read" : read.failure.message;
    };
    for (const mode of [0o644, 0o640, 0o604, 0o660]) {
      chmodSync(file, mode);
      expect(why()).toContain("open to other users");
    }
    chmodSync(file, 0o600);
    writeFileSync(file, "secret-but-not-json");
    expect(why()).toBe(`${file} does not contain a valid login for this server.`);
    rmSync(file);
    writeFileSync(path.join(directory, "other"), "{}", { mode: 0o600 });
    symlinkSync(path.join(directory, "other"), file);
    expect(why()).toContain("open to other users");
  });

  it("keep to a plain file name, whatever the server is called", () => {
    const directory = place();
    createCredentialStore({ directory, url }).write("../../up", { token: "t1" });
    expect(readdirSync(directory)).toEqual([expect.stringMatching(/^[0-9a-f]{32}-[0-9a-f]{32}\.json$/)]);
  });

  it("lie in the keychain where there is one, and no secret is on a command line", () => {
    const [directory, elsewhere] = [place(), place()];
    const store = createCredentialStore({ directory, url });
    store.write("docs", { token: "old" });
    const kept = createCredentialStore({ directory, url, keychain: keychainIn(elsewhere) });
    expect(kept.read("docs")).toEqual(ok({ token: "old" }));
    expect(kept.write("docs", { token: "t0p-secret" })).toEqual(ok(undefined));
    expect([readdirSync(directory), kept.read("docs")]).toEqual([[], ok({ token: "t0p-secret" })]);
    expect(kept.keptIn("docs")).toBe("the system's keychain");
    expect(readFileSync(path.join(elsewhere, "words"), "utf8")).not.toContain("t0p-secret");
    kept.remove("docs");
    expect([existsSync(path.join(elsewhere, "kept")), kept.read("docs")]).toEqual([false, ok({})]);
  });

  it("lie in the file where the keychain does not answer", () => {
    const [directory, elsewhere] = [place(), place()];
    const store = createCredentialStore({ directory, url, keychain: keychainIn(elsewhere, 1) });
    expect(store.write("docs", { token: "t1" })).toEqual(ok(undefined));
    expect([readdirSync(directory).length, store.read("docs")]).toEqual([1, ok({ token: "t1" })]);
    expect(store.keptIn("docs")).toContain(directory);
  });

  it("look for no keychain without somebody's session", () => {
    expect(findKeychain({ PATH: "/usr/bin" })).toBe(undefined);
  });
});
