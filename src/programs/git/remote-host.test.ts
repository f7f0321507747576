import { expect, test } from "vitest";
import { remoteHost } from "./remote-host.ts";

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

test.each<[string, string]>([
  ["ext::sh -c x", "ext::sh -c x chooses the program that git talks through"],
  ["https::https://a.b", "https::https://a.b chooses the program that git talks through"],
  ["file:///x", "file:///x is no plain address"],
  ["ftp://a.b/c", "ftp://a.b/c is no plain address"],
  ["https://", "https:// is no plain address"],
  ["https://[::1]/a", "https://[::1]/a chooses the program that git talks through"],
  ["ssh://-oProxyCommand=x/a", "ssh://-oProxyCommand=x/a is no plain address"],
  ["../x", "../x is a directory, or no plain address"],
  ["/srv/x", "/srv/x is a directory, or no plain address"],
  ["./a:b", "./a:b is a directory, or no plain address"],
  ["-x:a", "-x:a is a directory, or no plain address"],
  ["a@b@c:d", "a@b@c:d is a directory, or no plain address"],
  ["", " is a directory, or no plain address"],
])("%s is not understood: %s", (remote, why) => {
  expect(remoteHost(remote)).toEqual({ why });
});
