import { expect, test } from "vitest";
import { plainAddress } from "./elicitations.ts";

test.each([
  ["https://x.example/a[1]", "https://x.example/a%5B1%5D"],
  ["https://x.example/?q=a|b^c", "https://x.example/?q=a%7Cb%5Ec"],
  ["https://x.example/a%2fb?c=%7C&d=100%#e#f{g}`", "https://x.example/a%2fb?c=%7C&d=100%25#e%23f%7Bg%7D%60"],
  ["HTTPS://X.Example:443/ä", "https://x.example/%C3%A4"],
  ["http://[::1]:8080/a?b[]=1", "http://[::1]:8080/a?b%5B%5D=1"],
  ["https://bücher.example/", "https://xn--bcher-kva.example/"],
  ["https://x.example/?", "https://x.example/"],
])("%s is spelled %s", (text, expected) => {
  expect(plainAddress(text)).toBe(expected);
});

test.each([
  "https://a{b}.example/",
  "https://bank.example@evil.example/",
  "https://a b",
  "https://a.example\\b",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "nothing",
])("%s is no page to send a person to", (text) => {
  expect(plainAddress(text)).toBeUndefined();
});
