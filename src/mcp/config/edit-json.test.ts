import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withMember, withoutMember } from "./edit-json.ts";

describe("a member of a JSON text", () => {
  it.each([
    ["{}", '{\n  "s": {\n    "a": 1\n  }\n}'],
    ['{"x": 1}', '{"x": 1, "s": {"a":1}}'],
    ['{ "s": {} }\n', '{ "s": {\n  "a": 1\n} }\n'],
    ['{\n\t"x": [ 1,2 ]\n}\n', '{\n\t"x": [ 1,2 ],\n\t"s": {\n\t\t"a": 1\n\t}\n}\n'],
    [
      '{\n    "s": {\n        "b": { "c":   "}" }\n    },\n    "t":1}',
      '{\n    "s": {\n        "b": { "c":   "}" },\n        "a": 1\n    },\n    "t":1}',
    ],
    ['\uFEFF{"s":{"b":"\\"{"}}', '\uFEFF{"s":{"b":"\\"{", "a": 1}}'],
  ])("joins %j", (before, after) => {
    expect(withMember(before, ["s", "a"], 1)).toBe(after);
  });

  it.each([
    ['{"s":{"a":1}}', '{"s":{}}'],
    ['{"s":{"a":1,"b":2}}', '{"s":{"b":2}}'],
    ['{\n  "s": {\n    "b": 2,\n    "a": {\n      "c": []\n    }\n  }\n}\n', '{\n  "s": {\n    "b": 2\n  }\n}\n'],
    ['{"s":{"b":1}}', '{"s":{"b":1}}'],
    ['{"t":1}', '{"t":1}'],
  ])("leaves %j", (before, after) => {
    expect(withoutMember(before, ["s", "a"])).toBe(after);
  });

  it("means the same afterwards, however the text is written, and can be taken back", () => {
    const name = fc.stringMatching(/^[a-z"\\{]{1,6}$/);
    const object = fc.dictionary(name, fc.jsonValue());
    const space = fc.constantFrom(undefined, 1, 2, "\t");
    fc.assert(
      fc.property(object, fc.option(object), space, name, fc.jsonValue(), (others, servers, indent, key, added) => {
        fc.pre(servers === null || !(key in servers));
        const text = JSON.stringify({ ...others, ...(servers === null ? {} : { SERVERS: servers }) }, null, indent);
        const after = withMember(text, ["SERVERS", key], added);
        expect(JSON.parse(after)).toEqual(
          JSON.parse(JSON.stringify({ ...others, SERVERS: { ...servers, [key]: added } })),
        );
        const back = withoutMember(after, ["SERVERS", key]);
        expect(JSON.parse(back)).toEqual(JSON.parse(JSON.stringify({ ...others, SERVERS: servers ?? {} })));
      }),
    );
  });
});
