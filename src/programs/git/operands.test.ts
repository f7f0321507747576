import { expect, test } from "vitest";
import { type NamedObject, parseRevision, remoteHost } from "./operands.ts";

test.each<[string, readonly NamedObject[]]>([
  ["HEAD", [{ name: "HEAD", past: false }]],
  ["", [{ name: "", past: false }]],
  ["^main", [{ name: "main", past: false }]],
  ["main~2^3", [{ name: "main", past: false }]],
  ["~2", [{ name: "", past: false }]],
  ["x:a:b", [{ name: "x", past: false, path: "a:b" }]],
  ["x:", [{ name: "x", past: false, path: "" }]],
  [":a", [{ past: false, path: "a" }]],
  [":2:a", [{ past: false, path: "a" }]],
  [":4:a", [{ past: false, path: "4:a" }]],
  // What looks like a hash is one, also behind what `describe` prints.
  ["abcd", [{ name: "abcd", past: false, hash: "abcd" }]],
  ["ABCDEF12", [{ name: "ABCDEF12", past: false, hash: "ABCDEF12" }]],
  ["abc", [{ name: "abc", past: false }]],
  ["abcdx", [{ name: "abcdx", past: false }]],
  ["xabcd", [{ name: "xabcd", past: false }]],
  ["v1.2-3-gabcdef", [{ name: "v1.2-3-gabcdef", past: false, hash: "abcdef" }]],
  ["abcd:a", [{ name: "abcd", past: false, hash: "abcd", path: "a" }]],
  ["a".repeat(64), [{ name: "a".repeat(64), past: false, hash: "a".repeat(64) }]],
  ["a".repeat(65), [{ name: "a".repeat(65), past: false }]],
  // What a reference was at some time may be anything; its upstream or the branch before it may not.
  ["main@{1}", [{ name: "main", past: true }]],
  ["main@{yesterday}", [{ name: "main", past: true }]],
  ["@{u}", [{ name: "", past: false }]],
  ["main@{UPSTREAM}", [{ name: "main", past: false }]],
  ["@{push}", [{ name: "", past: false }]],
  ["@{-12}", [{ name: "", past: false }]],
  ["@{-x}", [{ name: "", past: true }]],
  // Colons in braces part nothing.
  ["main@{1:2}:a", [{ name: "main", past: true, path: "a" }]],
  ["x^{/a:b}", [{ name: "x", past: false }]],
  ["x^{/{a:b}:c}:d", [{ name: "x", past: false, path: "d" }]],
  ["x}:a", [{ name: "x}", past: false, path: "a" }]],
  // Two dots part two revisions, unless one of the halves could be none.
  [
    "a..b",
    [
      { name: "a..b", past: false },
      { name: "a", past: false },
      { name: "b", past: false },
    ],
  ],
  [
    "a...b:c",
    [
      { name: "a...b", past: false, path: "c" },
      { name: "a", past: false },
      { name: "b", past: false, path: "c" },
    ],
  ],
  [
    "a..",
    [
      { name: "a..", past: false },
      { name: "a", past: false },
      { name: "", past: false },
    ],
  ],
  ["HEAD:../a", [{ name: "HEAD", past: false, path: "../a" }]],
])("%s names %j", (text, objects) => {
  expect(parseRevision(text)).toEqual(objects);
});

test.each([":/text", ":(top)a", ":!a", ":^a", "::a", ":", "a..:/x"])("%s is more than a revision", (text) => {
  const [, part = text] = /^a\.\.(.*)$/.exec(text) ?? [];
  expect(parseRevision(text)).toEqual({ why: `${part} is more than a revision or a path` });
});

test.each<[string, string]>([
  ["origin", "the git remote"],
  ["my.fork-2", "the git remote"],
  ["https://Example.com/a/b.git", "example.com"],
  ["http://example.com:8080/a", "example.com"],
  ["ssh://me@example.com:22/a", "example.com"],
  ["git://example.com/a", "example.com"],
  ["git+ssh://example.com/a", "example.com"],
  ["ssh+git://example.com/a", "example.com"],
  ["me@Example.com:a/b.git", "example.com"],
  ["example.com:a", "example.com"],
  ["x:/a", "x"],
])("%s leads to %s", (remote, host) => {
  expect(remoteHost(remote)).toBe(host);
});

test.each([
  ["ext::sh -c x"],
  ["https::https://a.b"],
  ["file:///x"],
  ["ftp://a.b/c"],
  ["https://"],
  ["https://[::1]/a"],
  ["ssh://-oProxyCommand=x/a"],
  ["../x"],
  ["/srv/x"],
  ["./a:b"],
  ["-x:a"],
  ["a@b@c:d"],
  [""],
])("%s is not understood", (remote) => {
  expect(remoteHost(remote)).toBeUndefined();
});
