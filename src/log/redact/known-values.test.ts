import { expect, test } from "vitest";
import { KnownValues } from "./known-values.ts";

const secret = "Zq8vN2mK5tR7wY1xB4cD6eF9gH3jL0pS5uV8zA2nQ7rT4yX1";

function found(text: string, values: readonly string[] = [secret]): readonly string[] {
  const known = new KnownValues();
  known.learn(values);
  return known.find(text).map(({ from, to }) => text.slice(from, to));
}

test.each([
  ["as it is", secret],
  ["in hexadecimal digits", Buffer.from(secret).toString("hex")],
  ["in large hexadecimal digits", Buffer.from(secret).toString("hex").toUpperCase()],
  ["with blanks, as od prints it", (Buffer.from(secret).toString("hex").match(/../g) ?? []).join(" ")],
])("a value is found %s", (_, text) => {
  expect(found(`before ${text} after`)).toEqual([text]);
});

test.each([0, 1, 2, 3, 4])("in Base64 hardly a character is left, with %s bytes before it", (before) => {
  const text = Buffer.from(`${"x".repeat(before)}${secret}yz`).toString("base64");
  const [only = "", ...more] = found(text);
  expect(more).toEqual([]);
  expect(only.length).toBeGreaterThanOrEqual(Math.floor((secret.length * 8) / 6) - 2);
});

test("wrapped lines, and lines inside JSON, are no way around it", () => {
  const wrapped = (
    Buffer.from(`a key: ${secret}`)
      .toString("base64")
      .match(/.{1,20}/g) ?? []
  ).join("\n");
  expect(found(wrapped)).toHaveLength(1);
  expect(found(JSON.stringify({ wrapped }))).toHaveLength(1);
});

test("in an address, with either kind of letters", () => {
  const value = "aB3$/dE5&fG7+hJ9=kL1";
  expect(found(`?q=${encodeURIComponent(value)}`, [value])).toHaveLength(1);
  expect(found(`?q=${encodeURIComponent(value).toLowerCase()}`, [value])).toEqual([]);
  const small = encodeURIComponent(value).replace(/%../g, (one) => one.toLowerCase());
  expect(found(`?q=${small}`, [value])).toEqual([small]);
});

test("a part of a long value that was cut is found, and other text is left alone", () => {
  expect(found(`…${secret.slice(0, 30)}`)).toEqual([secret.slice(0, 24)]);
  expect(found("Zq8vN2mK and other words of no meaning 123456789")).toEqual([]);
});

test("what is written over keeps its length and its lines", () => {
  const known = new KnownValues();
  known.learn([secret]);
  const bytes = Buffer.from(`one\n${secret}\nthree\n`);
  const { length } = bytes;
  known.mask(bytes);
  expect(bytes).toHaveLength(length);
  expect(bytes.toString()).toBe(`one\n[redacted]${"*".repeat(secret.length - 10)}\nthree\n`);
});

test("there is room for so much, and who learns more is told", () => {
  const known = new KnownValues();
  const values = Array.from({ length: 8_000 }, (_, at) => `${at}`.padStart(8, "k").repeat(2));
  expect(known.learn(values)).toBe(false);
  expect(known.learn([values[0] ?? ""])).toBe(true);
});
