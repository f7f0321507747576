import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideHost, describeNetwork, type HostRule, isHostOf, type NetworkProfile, parseHost } from "./network.ts";

describe("what is a host", () => {
  test.each([
    ["example.com", "example.com"],
    ["EXAMPLE.Com", "example.com"],
    ["example.com.", "example.com"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["a.b-c.d1.io", "a.b-c.d1.io"],
    ["localhost", "localhost"],
    ["1.example", "1.example"],
    ["0x7f.example", "0x7f.example"],
    ["7zip.org", "7zip.org"],
    [`${"a".repeat(63)}.io`, `${"a".repeat(63)}.io`],
  ])("%j is the name %j", (written, host) => {
    expect(parseHost(written)).toEqual({ host, literal: false });
  });

  test.each(["93.184.216.34", "0.0.0.0", "255.255.255.255", "127.0.0.1"])("%s is an address", (written) => {
    expect(parseHost(written)).toEqual({ host: written, literal: true });
  });

  test.each([
    ["nothing", ""],
    ["only a dot", "."],
    ["an empty label", "a..b"],
    ["a dot in front", ".example.com"],
    ["two final dots", "example.com.."],
    ["NUL", "evil.com\0.example.com"],
    ["NUL at the end", "example.com\0"],
    ["an escaped NUL", "evil.com%00.example.com"],
    ["CR LF", "example.com\r\nHost: evil.com"],
    ["LF", "example.com\n"],
    ["a final CR", "example.com\r"],
    ["a tab", "example.com\t"],
    ["a blank", "example .com"],
    ["a blank in front", " example.com"],
    ["user information", "example.com@evil.com"],
    ["user and password", "a:b@example.com"],
    ["a slash", "example.com/evil"],
    ["a backslash", "example.com\\evil.com"],
    ["a question mark", "example.com?x"],
    ["a hash", "example.com#x"],
    ["a port", "example.com:443"],
    ["a percent sign", "ex%61mple.com"],
    ["a percent sign for a dot", "example%2ecom"],
    ["a star", "*.example.com"],
    ["an underscore", "a_b.example.com"],
    ["a hyphen in front", "-example.com"],
    ["a hyphen at the end", "example-.com"],
    ["a hyphen as a label", "a.-.com"],
    ["an ideographic full stop", "example\u3002com"],
    ["a fullwidth full stop", "example\uff0ecom"],
    ["a halfwidth ideographic full stop", "example\uff61com"],
    ["a one dot leader", "example\u2024com"],
    ["fullwidth letters", "\uff45xample.com"],
    ["a Cyrillic letter", "ex\u0430mple.com"],
    ["a Kelvin sign", "\u212aernel.org"],
    ["a dotless i", "reg\u0131stry.npmjs.org"],
    ["a long s", "regi\u017ftry.npmjs.org"],
    ["a zero-width blank", "example\u200b.com"],
    ["a soft hyphen", "exam\u00adple.com"],
    ["a direction mark", "example.com\u202e"],
    ["a label that is too long", `${"a".repeat(64)}.com`],
    ["a name that is too long", `${"a.".repeat(127)}com`],
    ["a decimal address", "2130706433"],
    ["a decimal metadata address", "2852039166"],
    ["a hexadecimal address", "0x7f000001"],
    ["upper-case hexadecimal", "0X7F000001"],
    ["a hexadecimal label at the end", "127.0.0.0x1"],
    ["only 0x at the end", "example.0x"],
    ["an octal address", "0177.0.0.1"],
    ["octal with leading zeros", "127.000.000.001"],
    ["a short address", "127.1"],
    ["a shorter address", "0"],
    ["three parts", "10.0.1"],
    ["five parts", "1.2.3.4.5"],
    ["a part above 255", "256.1.1.1"],
    ["an address with a final dot", "127.0.0.1."],
    ["a name that ends in a number", "example.123"],
    ["IPv6", "::1"],
    ["IPv6 in brackets", "[::1]"],
    ["IPv4 mapped into IPv6", "[::ffff:169.254.169.254]"],
    ["IPv4 mapped, hexadecimal", "[::ffff:a9fe:a9fe]"],
    ["IPv6 with a zone", "[fe80::1%25eth0]"],
    ["a closing bracket", "example.com]"],
    ["a semicolon", "example.com;evil.com"],
    ["a comma", "example.com,evil.com"],
    ["quotes", '"example.com"'],
    ["a scheme", "http://example.com"],
  ])("%s is refused: %j", (_what, written) => {
    expect(parseHost(written)).toBeUndefined();
  });

  test("whatever passes is plain ASCII, lower case, and the same when it is read again", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.domain(), fc.ipV4(), fc.ipV6()), (written) => {
        const parsed = parseHost(written);
        if (parsed === undefined) return;
        expect(parsed.host).toMatch(/^[a-z0-9.-]+$/);
        expect(parseHost(parsed.host)).toEqual(parsed);
      }),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  ["example.com", false, "example.com", true],
  ["example.com", false, "api.example.com", false],
  ["example.com", true, "api.example.com", true],
  ["example.com", true, "example.com", true],
  ["docs.x.io", true, "docs.x.io.evil.com", false],
  ["docs.x.io", true, "evildocs.x.io", false],
  ["docs.x.io", true, "x.io", false],
])("a rule for %s (below: %s) and %s: %s", (host, below, asked, matches) => {
  expect(isHostOf({ host, below }, asked)).toBe(matches);
});

describe("what a profile says", () => {
  const rule = (action: HostRule["action"], host: string, more: Partial<HostRule> = {}): HostRule => ({
    action,
    host,
    below: false,
    by: `${action} ${host}`,
    ...more,
  });
  const profile: NetworkProfile = {
    hosts: [
      rule("deny", "bad.example.com", { below: true }),
      rule("allow", "registry.npmjs.org", { by: "the permit" }),
      rule("allow", "git.example.com", { ports: [8443] }),
      rule("allow", "tools.corp", { ports: [8443] }),
      rule("ask", "npmjs.org", { below: true }),
      rule("allow", "example.com", { below: true }),
      rule("allow", "93.184.216.34"),
      rule("allow", "3.4", { below: true }),
    ],
    privateHosts: ["registry.example.com:4873", "tools.corp:8443", "tools.corp:9000"],
  };
  const decide = (host: string, port = 443, literal = false) => decideHost(profile, { host, port, literal });

  test.each([
    ["registry.npmjs.org", 443, { decision: "allow", by: "the permit" }],
    ["registry.npmjs.org", 80, { decision: "allow", by: "the permit" }],
    ["registry.npmjs.org", 22, { decision: "ask", by: "ask npmjs.org" }],
    ["www.npmjs.org", 443, { decision: "ask", by: "ask npmjs.org" }],
    ["api.example.com", 443, { decision: "allow", by: "allow example.com" }],
    ["api.example.com", 8080, { decision: "ask" }],
    ["bad.example.com", 443, { decision: "deny", by: "deny bad.example.com" }],
    ["very.bad.example.com", 443, { decision: "deny", by: "deny bad.example.com" }],
    ["bad.example.com", 12345, { decision: "deny", by: "deny bad.example.com" }],
    ["git.example.com", 8443, { decision: "allow", by: "allow git.example.com" }],
    ["registry.example.com", 4873, { decision: "allow", by: "allow example.com" }],
    ["registry.example.com", 4874, { decision: "ask" }],
    ["tools.corp", 8443, { decision: "allow", by: "allow tools.corp" }],
    ["tools.corp", 9000, { decision: "ask" }],
    ["example.com.evil.io", 443, { decision: "ask" }],
    ["elsewhere.io", 443, { decision: "ask" }],
  ] as const)("%s:%i", (host, port, expected) => {
    expect(decide(host, port)).toEqual(expected);
  });

  test("an address is reached only where it is listed as it stands", () => {
    const unlisted = { decision: "deny" };
    expect(decide("93.184.216.34", 443, true)).toEqual({ decision: "allow", by: "allow 93.184.216.34" });
    expect(decide("1.2.3.4", 443, true)).toEqual(unlisted);
    expect(decide("93.184.216.34", 22, true)).toEqual(unlisted);
  });

  test("without hosts nothing is allowed (CVE-2025-66479)", () => {
    const empty = { hosts: [], privateHosts: [] };
    expect(decideHost(empty, { host: "example.com", port: 443, literal: false })).toEqual({ decision: "ask" });
    expect(decideHost(empty, { host: "1.1.1.1", port: 443, literal: true })).toMatchObject({ decision: "deny" });
    expect(describeNetwork(empty)).toBe("proxy: no host without asking");
  });

  test("in a few words", () => {
    expect(describeNetwork("none")).toBe("none");
    expect(describeNetwork(profile)).toBe(
      "proxy: registry.npmjs.org, git.example.com:8443, tools.corp:8443, *.example.com, 93.184.216.34, *.3.4",
    );
  });
});
