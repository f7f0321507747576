import { expect, test } from "vitest";
import { fail, ok } from "../contract/codes.ts";
import { addressedFiles } from "./prompt-text.ts";

const nowhere = fail("bad_request", "its address is not a file on this machine");
const file = (name: string, ...perhaps: string[]) => ok({ file: name, perhaps });

test.each([
  ["file:///w/a.md", file("/w/a.md")],
  ["file:///w/%2Eenv#L1-2", file("/w/.env")],
  ["FILE:///w/x/../.env?symbol=a", file("/w/.env")],
  ["file://localhost/w/.env", file("/w/.env")],
  ["file:///w/.env:1:5", file("/w/.env:1:5", "/w/.env:1", "/w/.env")],
  ["/w/.env", file("/w/.env")],
  [".env", file(".env")],
  [".env\n", file(".env\n", ".env")],
  [".env:1", file(".env:1", ".env")],
  [".env:1-5", file(".env:1-5", ".env")],
  ["/w/.env:1:5", file("/w/.env:1:5", "/w/.env:1", "/w/.env")],
  ["/w/.env#L1", file("/w/.env#L1", "/w/.env")],
  ["/w/.env:3#a", file("/w/.env:3#a", "/w/.env:3", "/w/.env")],
  ["/w#/.env?a#b", file("/w#/.env?a#b", "/w#/.env?a", "/w#/.env", "/w")],
  ["/w#/.env#a/b", file("/w#/.env#a/b", "/w#/.env", "/w")],
  ["#a", file("#a")],
  ["note://w/.env", ok({ perhaps: ["note://w/.env", "/.env"] })],
  ["note:", ok({ perhaps: ["note:"] })],
  ["a.md:12", ok({ perhaps: ["a.md:12", "a.md", "12"] })],
  ["git:/w/%2Eenv#a", ok({ perhaps: ["git:/w/%2Eenv#a", "git:/w/%2Eenv", "/w/.env"] })],
  ["git:/w/100%", ok({ perhaps: ["git:/w/100%", "/w/100%"] })],
  [
    "zed:///agent/file?path=/w/.env:1",
    ok({
      perhaps: [
        "zed:///agent/file?path=/w/.env:1",
        "zed:///agent/file?path=/w/.env",
        "zed:///agent/file",
        "/agent/file",
        "/w/.env:1",
        "/w/.env",
      ],
    }),
  ],
  ["file://elsewhere/w/.env", nowhere],
  ["file:///w%2F.env", nowhere],
  ["file:///w/.env%00", nowhere],
  ["/w/.env\0.md", nowhere],
  ["git:/w/.env%00", nowhere],
])("%j may lead to %o", (uri, expected) => {
  expect(addressedFiles({ uri, text: "" })).toEqual(expected);
});
