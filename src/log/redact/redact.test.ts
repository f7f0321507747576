import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { secretPatterns } from "../../../test/tables/examples.ts";
import { createRedactor } from "./redact.ts";

const redactor = createRedactor(new Uint8Array(32).fill(7));
const mark = (kind: string) => expect.stringMatching(new RegExp(`\\[redacted:${kind}:[0-9a-f]{8}\\]`));

describe.each(secretPatterns)("$kind", ({ kind, examples }) => {
  it.each(examples.match.map((text) => [text]))("is found in %j", (text) => {
    expect(redactor.redactText(`before ${text} after`)).toEqual(mark(kind));
  });
  it.each(examples.noMatch.map((text) => [text]))("is not seen in %j", (text) => {
    expect(redactor.redactText(text)).toBe(text);
  });
});

/** What may stand right in front of a token although it ends like a word. */
const written = [
  ["a line end in JSON", '{"m":"a:\\n'],
  ["a tab in JSON", '{"m":"\\t'],
  ["a carriage return in JSON", '{"m":"\\r'],
  ["JSON inside JSON", '{"m":"{\\"n\\":\\"\\\\n'],
  ["a character by its number", '{"m":"\\u0020'],
  ["a byte by its number", "$'\\x41"],
  ["a byte in octal", "\\033"],
  ["a colour in JSON", '{"m":"\\u001b[32m'],
  ["a colour in a shell", "echo -e '\\e[1;31m"],
  ["the end of a colour", "\\033[m"],
  ["an equals sign in an address", "?state%3D"],
  ["a blank in an address", "a%20"],
  ["an address inside an address", "?next=a%253D"],
  ["an equals sign in a letter", "key=3D"],
  ["an underscore", "MY_"],
] as const;
/** Those that begin with their own letters; the others begin with a sign or a name. */
const tokens = secretPatterns.filter(
  ({ kind }) => !["private-key", "private-key-rest", "url-userinfo", "authorization", "aws-secret-key"].includes(kind),
);

describe.each(written)("behind %s", (_, before) => {
  it.each(tokens.flatMap(({ kind, examples }) => examples.match.map((text) => [kind, text] as const)))(
    "a token is found: %s",
    (kind, text) => {
      expect(redactor.redactText(`x ${before}${text} after`)).toEqual(mark(kind));
      expect(redactor.redactText(`x ${before}${text} after`)).not.toContain(secretIn(kind, text));
    },
  );

  it.each([
    ["authorization", "Authorization: Basic dXNlcjpwYXNzd29yZA=="],
    ["authorization", "Bearer 0a1b2c3d4e5f6a7b8c9d"],
    ["aws-secret-key", 'secret_access_key: "0Az9By8Cx7Dw6Ev5Fu4Gt3Hs2Ir1Jq0Kp9Lo8Mn7"'],
  ])("%s is found", (kind, text) => {
    expect(redactor.redactText(`x ${before}${text} after`)).toEqual(mark(kind));
  });
});

describe("inside a word", () => {
  const body = "0Az9By8Cx7Dw6Ev5Fu4Gt3Hs2Ir1Jq0Kp9Lo8Mn7";
  const ordinary = [
    `weighs_${body}`,
    `task-${body}`,
    `risk_test_${body}`,
    `pnpm_${body}`,
    `NOVAKIA${"Z2Y3X4W5V6U7T2S3"}`,
    `theyJhbGciOiJIUzI1NiJ9.heyJzdWIiOiIxMjMifQ.${body}`,
    `C:\\next\\desk-${body}`,
    "[msk-1] task_test_whenUserLogsInSuccessfully",
    "desk_live_whenUserLogsInSuccessfully",
    `forbearer ${body}`,
    "reauthorization: basic knowledge",
  ];
  it.each(ordinary.map((text) => [text]))("nothing begins: %j", (text) => {
    expect(redactor.redactText(text)).toBe(text);
  });
});

describe("assigned values", () => {
  const found = [
    'password = "hunter2hunter2"',
    "DB_PASSWORD=s3cr3tPa55",
    "export API_TOKEN='abc123def456'",
    '{"apiKey": "a1b2c3d4e5"}',
    '{\\"apiKey\\": \\"a1b2c3d4e5\\"}',
    "//registry.example.com/:_authToken=0123abcd-4567",
    "https://example.com/?token=abc123def&x=1",
    "mysql --password s3cr3tPa55 db",
    "client_secret: 9f8e7d6c5b4a3f2e1d0c",
    "passphrase:\t'tr0ub4dor&3x'",
    "Bearer 0a1b2c3d4e5f6a7b8c9d",
  ];
  it.each(found.map((text) => [text]))("redacts %j", (text) => {
    expect(redactor.redactText(text)).toEqual(mark("(?:assigned|authorization)"));
  });

  const ordinary = [
    "token: process.env.TOKEN1",
    'const token = getToken2("x")',
    "token: Uint8Array",
    "password: z.string().min(8)",
    "secret: access_token_v2",
    "pwd=/home/user/project1",
    "max_tokens: 4096",
    "tokens = 100_000",
    "password: <your-password-1>",
    "password=$DB_PASSWORD_1",
    "apiKey: undefined",
    "the token: it is short",
    `"hash": "${"0f".repeat(32)}"`,
    `token: sha256-${"0f".repeat(32)}`,
    "Bearer of the ring1",
  ];
  it.each(ordinary.map((text) => [text]))("leaves %j alone", (text) => {
    expect(redactor.redactText(text)).toBe(text);
  });
});

describe("values", () => {
  const secret = "s3cr3tPa55word";

  it("are walked to the bottom, names and all", () => {
    const value = {
      argv: ["mysql", "--password", secret, "db"],
      env: { API_TOKEN: secret, HOME: "/root" },
      [`password=${secret}`]: 1,
      nested: [{ deep: [`token=${secret}`, 5, null, true] }],
    };
    expect(redactor.redactValue(value)).toEqual({
      changed: true,
      value: {
        argv: ["mysql", "--password", mark("assigned"), "db"],
        env: { API_TOKEN: mark("assigned"), HOME: "/root" },
        [redactor.redactText(`password=${secret}`)]: 1,
        nested: [{ deep: [mark("assigned"), 5, null, true] }],
      },
    });
    expect(value.env.API_TOKEN).toBe(secret);
    expect(redactor.redactText(`password=${secret}`)).not.toContain(secret);
  });

  it("are the same object when nothing had to change", () => {
    const value = { a: ["x", { b: "ordinary text", token: 5 }] };
    expect(redactor.redactValue(value)).toEqual({ value, changed: false });
    expect(redactor.redactValue(value).value).toBe(value);
  });

  it("keep a key that is called __proto__", () => {
    const value = JSON.parse(`{"__proto__": {"password": "${secret}"}}`);
    const { value: redacted } = redactor.redactValue(value);
    expect(JSON.stringify(redacted)).toMatch(/^\{"__proto__":\{"password":"\[redacted:assigned:[0-9a-f]{8}\]"\}\}$/);
  });
});

describe("marks", () => {
  it("are equal for equal secrets under one key, and differ under another", () => {
    const other = createRedactor(new Uint8Array(32).fill(8));
    const text = "password='hunter2hunter2'";
    expect(redactor.redactText(`${text} ${text}`)).toMatch(/^password='(\[[^\]]+\])' password='\1'$/);
    expect(other.redactText(text)).not.toBe(redactor.redactText(text));
  });
});

const secrets = secretPatterns.flatMap(({ kind, examples }) =>
  examples.match.map((text) => ({ kind, text, secret: secretIn(kind, text) })),
);

/** Texts around a secret, as tools and shells produce them. */
const around = fc.constantFrom(
  " ",
  "\n",
  "\t",
  '"',
  "'",
  "`",
  "=",
  "(",
  ")",
  ",",
  ";",
  "\u001b",
  "é ",
  "\\n ",
  "\\n",
  "\\t",
  "\\u001b[0m",
  "%3D",
  "_",
  "x=",
  "> ",
);
const after = fc.constantFrom(" ", "\n", '"', "'", "`", ")", ",", ";", "\u001b", "é", "\\n", ">", "");
const filler = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.constantFrom("password: ", "token=", "://", "[redacted:", "sk-", "@"),
);

describe("properties", () => {
  it("no secret survives, and a second pass changes nothing", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(filler, around, fc.constantFrom(...secrets), after), { minLength: 1, maxLength: 4 }),
        (pieces) => {
          const text = pieces
            .map(([before, left, { text: inner }, right]) => `${before} ${left}${inner}${right}`)
            .join(" ");
          const once = redactor.redactText(text);
          for (const [, , { secret }] of pieces) expect(once).not.toContain(secret);
          expect(redactor.redactText(once)).toBe(once);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("what is not suspected when serialised holds nothing that would be redacted", () => {
    const leaf = fc.oneof(
      fc.tuple(filler, around, fc.constantFrom(...secrets)).map(([before, left, { text }]) => before + left + text),
      fc.constantFrom("--token", "--db-password", "s3cr3tPa55word", "password\t=\t'hunter2hunter2'"),
      filler,
    );
    const key = fc.constantFrom("password", "API_TOKEN", "text", "clientSecret", "argv");
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(key, tie("value"), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(value, (any) => {
        const { value: redacted, changed } = redactor.redactValue(any);
        if (changed) expect(redactor.suspects(JSON.stringify(any))).toBe(true);
        expect(redactor.redactValue(redacted).changed).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it("ordinary text passes unchanged", () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 200 }), (text) => {
        expect(redactor.redactText(text)).toBe(text);
      }),
    );
    const folder = join(import.meta.dirname, "..", "..", "contract");
    const sources = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(sources.length).toBeGreaterThan(10);
    for (const { parentPath, name } of sources) {
      const text = readFileSync(join(parentPath, name), "utf8");
      expect(redactor.redactText(text)).toBe(text);
    }
  });
});

/** The part of an example that must not survive: for some kinds only a group of the match. */
function secretIn(kind: string, text: string): string {
  const pattern = secretPatterns.find((known) => known.kind === kind)?.pattern;
  const [found] = pattern === undefined ? [] : text.matchAll(pattern);
  return found?.groups?.secret ?? found?.[0] ?? text;
}
