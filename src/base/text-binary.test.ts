import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { looksBinary } from "./text.ts";

describe("an output with zeros", () => {
  it.each<[string, string | Uint8Array, boolean]>([
    ["names of find -print0", "./src/a.ts\0./src/b.ts\0", false],
    ["an empty field of git -z", "R100\0old.txt\0\0new.txt\0", false],
    ["an environment", "HOME=/home/me\0PATH=/usr/bin\0LANG=C.UTF-8\0", false],
    ["colours and tabs", "\u001b[31mred\u001b[0m\tone\0two words here\n", false],
    ["other scripts, cut in a character", Buffer.from("grün\0größer\0übel ü").subarray(0, -1), false],
    ["text of two bytes a character", Buffer.from("plain words", "utf16le"), true],
    ["padding", "name\0\0\0\0\0\0 more words behind it, and still more", true],
    ["control characters", "words\0\u0001\u0002words and words and words", true],
    ["bytes of no text", Uint8Array.from([0x67, 0xfc, 0xdf, 0x65, 0, 0x61, 0x62, 0x63]), true],
    ["an image", Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d]), true],
  ])("%s", (_, output, binary) => {
    expect(looksBinary(Buffer.from(output))).toBe(binary);
  });
});
