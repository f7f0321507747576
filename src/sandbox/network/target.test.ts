import { describe, expect, test } from "vitest";
import { parseAuthority, parsePlainUrl } from "./forward.ts";

describe("what CONNECT names", () => {
  test.each([
    ["example.com:443", { host: "example.com", port: 443, literal: false }],
    ["EXAMPLE.com.:8443", { host: "example.com", port: 8443, literal: false }],
    ["93.184.216.34:443", { host: "93.184.216.34", port: 443, literal: true }],
  ])("%s", (text, target) => {
    expect(parseAuthority(text)).toEqual(target);
  });

  test.each([
    "",
    "example.com",
    "example.com:",
    ":443",
    "example.com:0",
    "example.com:65536",
    "example.com:0443",
    "example.com:+443",
    "example.com:4 43",
    "example.com:443 ",
    "example.com:99999999",
    "example.com:https",
    "example.com:443:443",
    "user@example.com:443",
    "example.com:443@evil.com:443",
    "[::1]:443",
    "::1:443",
    "[::ffff:7f00:1]:443",
    "http://example.com:443",
    "evil.com\0.example.com:443",
    "2130706433:443",
    "0x7f.1:443",
    "example.com:٤٤٣",
  ])("%j is refused", (text) => {
    expect(parseAuthority(text)).toBeUndefined();
  });
});

describe("what a plain request names", () => {
  const example = { host: "example.com", port: 80, literal: false };

  test.each([
    ["http://example.com", { ...example, path: "/" }],
    ["http://example.com/", { ...example, path: "/" }],
    ["HTTP://example.com/a?b=http://evil.com/", { ...example, path: "/a?b=http://evil.com/" }],
    ["http://example.com?a=1", { ...example, path: "/?a=1" }],
    ["http://example.com:8080/x", { ...example, port: 8080, path: "/x" }],
    ["http://example.com//evil.com/@x", { ...example, path: "//evil.com/@x" }],
  ])("%s", (text, target) => {
    expect(parsePlainUrl(text)).toEqual(target);
  });

  test.each([
    "",
    "/",
    "/path",
    "*",
    "example.com",
    "//example.com/",
    "https://example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
    "http:/example.com/",
    "http:///example.com/",
    "http://user:pass@example.com/",
    "http://example.com@evil.com/",
    "http://example.com\\@evil.com/",
    "http://example.com#@evil.com/",
    "http://example.com/#x",
    "http://[::1]/",
    "http://[::ffff:169.254.169.254]/latest/meta-data/",
    "http://2852039166/latest/meta-data/",
    "http://0xa9.0xfe.0xa9.0xfe/",
    "http://example.com:0/",
    "http://example.com:80:80/",
    "http://example.com/a b",
    "http://example.com/\r\nX: y",
    "http://example.com/\u00e9",
    "http://ex%61mple.com/",
  ])("%j is refused", (text) => {
    expect(parsePlainUrl(text)).toBeUndefined();
  });
});
