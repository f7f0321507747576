import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { secretPatterns } from "../../../test/tables/examples.ts";
import { withMarks } from "../../base/secret-span.ts";
import { createRedactor } from "./redact.ts";

const redactor = createRedactor(new Uint8Array(32).fill(7));
const base64 = "0Az9By8Cx7Dw6Ev5Fu4Gt3Hs2Ir1Jq0Kp9Lo8Mn7Nm6Ol5Pk4Qj3Ri2Sh1Tg0Uf9";
const key = (lines: number) => [
  "-----BEGIN PRIVATE KEY-----",
  ...Array.from({ length: lines }, (_, line) => `${line}${base64}`.slice(0, 64)),
  "-----END PRIVATE KEY-----",
];

describe("a stretch of a text", () => {
  const secrets = secretPatterns.flatMap(({ kind, examples, pattern }) =>
    examples.match.map((text) => {
      const [found] = text.matchAll(pattern);
      return { kind, text, secret: found?.groups?.secret ?? found?.[0] ?? text };
    }),
  );
  const filler = fc.constantFrom("word ", "a\n", "const x = 1;\n", "é 🎉\r\n", '{"m": "\\\\n');

  it("shows nothing of a secret, wherever it is cut", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(filler, fc.constantFrom(...secrets)), { minLength: 1, maxLength: 4 }),
        fc.nat(),
        fc.nat(300),
        (pieces, at, length) => {
          const text = pieces.map(([before, { text: inner }]) => `${before} ${inner} \n`).join("");
          const from = at % text.length;
          const to = Math.min(text.length, from + length);
          const shown = withMarks(text, redactor.secretsIn(text, { from, to }), { from, to });
          const plain = shown.replace(/\[redacted:[a-z-]+:[0-9a-f]{8}\]/g, "");
          for (const [, { secret }] of pieces) {
            for (let part = 0; part + 8 <= secret.length; part += 1) {
              const piece = secret.slice(part, part + 8);
              if (/^(?=.*\d)[\w+/]+$/.test(piece)) expect(plain).not.toContain(piece);
            }
          }
        },
      ),
    );
  });

  it("knows a private key that begins and ends far away", () => {
    const lines = ["first", ...key(2_000), "last"];
    const text = lines.join("\n");
    const from = text.indexOf("\n10000Az");
    expect(from).toBeGreaterThan(60_000);
    const spans = redactor.secretsIn(text, { from, to: from + 100 });
    expect(spans).toEqual([{ from: 6, to: text.length - 5, mark: expect.stringMatching(/^\[redacted:private-key:/) }]);
    expect(withMarks(text, spans).split("\n")).toEqual(["first", ...Array(2_002).fill(spans[0]?.mark), "last"]);
    expect(redactor.redactText(text)).toBe(`first\n${spans[0]?.mark}\nlast`);
  });

  it("is not concerned by secrets beside it", () => {
    const text = `ghp_${base64}\n\nplain text\n\npassword=hunter2hunter2`;
    const from = text.indexOf("plain");
    expect(redactor.secretsIn(text, { from, to: from + 10 })).toEqual([]);
    expect(redactor.secretsIn(text)).toHaveLength(2);
  });
});

describe("secrets inside one another", () => {
  it.each([
    ["https://x-access-token:ghp_0Az9By8Cx7Dw6Ev5Fu4Gt3Hs2Ir1Jq0Kp9Lo!x@example.com/r", "url-userinfo"],
    ["Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjMifQ.0Az9By8Cx7Dw", "jwt"],
    [`password=ghp_${base64}`, "github-token"],
  ])("%s is one", (text, kind) => {
    expect(redactor.secretsIn(text)).toEqual([expect.objectContaining({ mark: expect.stringContaining(kind) })]);
  });
});

/** A search that reads any part of these again for each of their pieces would not come to an end. */
describe("long texts made to be read over and over", () => {
  const pieces = [
    "-eyJ",
    "-eyJaaaaaaaa",
    "eyJaaaaaaaa.",
    "-eyJaaaaaaaa.eyJ",
    "xsk-ant-",
    "_sk-",
    "%25",
    "[1;1;1;1;1",
    "\\u001b[",
    "-----BEGIN ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN A A ",
    "-----END A ",
    "-----END PRIVATE KEY-----",
    `${"a".repeat(64)}\n`,
    `${"a".repeat(64)}\n-----END PRIVATE KEY----`,
    "://a:b",
    'password="',
    "--a-token ",
    "authorization: bearer ",
    "pypi-AgE-",
    "-AIza",
    "[redacted:",
  ];
  it.each(pieces.map((piece) => [piece]))("%j", (piece) => {
    const text = `ghp_ .eyJ sk-ant- password= ${piece.repeat(Math.ceil(400_000 / piece.length))}`;
    expect(redactor.redactText(text).length).toBeGreaterThan(0);
  });
});
