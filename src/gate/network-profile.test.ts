import { describe, expect, test } from "vitest";
import { gateFor, questionOf } from "../../test/gate-matrix/asking.ts";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";
import type { Effect } from "../contract/effect.ts";
import type { HostRule } from "../contract/network.ts";
import type { Grant, SandboxProfile } from "../contract/verdict.ts";

interface Circumstances {
  readonly rules?: Parameters<typeof gateFor>[1];
  readonly policy?: Parameters<typeof gateFor>[2];
  readonly grants?: readonly Grant[];
  /** In the place of what the analysis says. */
  readonly effects?: readonly Effect[];
}

async function network(call: string, { rules, policy, grants, effects }: Circumstances = {}) {
  const fixture = makeFixture();
  const gate = gateFor(fixture, rules, policy);
  const asked = await questionOf(fixture, call);
  const report = effects === undefined ? asked.report : { ...asked.report, effects };
  const question = { ...asked, report, grants: grants ?? [] };
  const verdict = await gate.judge(question);
  if (verdict.decision === "deny") return verdict.reason;
  const permit =
    verdict.decision === "allow"
      ? gate.permit(question, verdict)
      : gate.permitAnswered(question, verdict, { request: "req_1", answer: "allow" });
  return permit.sandbox.network;
}

const allow = (host: string, more: Partial<HostRule> = {}): HostRule => ({
  action: "allow",
  host,
  below: false,
  by: "the permit",
  ...more,
});
const only = (...hosts: readonly HostRule[]): SandboxProfile["network"] => ({ hosts, privateHosts: [] });
const connecting = (host: string, port?: number): readonly Effect[] => [
  { op: "exec", program: "x", argv: ["x"] },
  { op: "connect", host, ...(port === undefined ? {} : { port }) },
];

describe("the network of a command", () => {
  test.each(["cat a.txt", "npm test", "frobnicate", "touch x", "node a.js"])("%s has none", async (command) => {
    expect(await network(`bash ${command}`)).toBe("none");
    const rules = { user: { allow: ["WebFetch(domain:example.com)"] } };
    expect(await network(`bash ${command}`, { rules })).toBe("none");
  });

  test("an install reaches its registry", async () => {
    expect(await network("bash npm install left-pad")).toEqual(only(allow("registry.npmjs.org")));
  });

  test("a client reaches the hosts that it names, each once", async () => {
    expect(await network("bash curl https://EXAMPLE.com/a https://example.com/b http://docs.x.io/")).toEqual(
      only(allow("example.com"), allow("docs.x.io")),
    );
  });

  test("a port that is named is the only one", async () => {
    const effects = connecting("example.com", 8443);
    expect(await network("bash frobnicate", { effects })).toEqual(only(allow("example.com", { ports: [8443] })));
  });

  test.each(["the git remote", "a host", "evil.com\0.example.com", "[::1]", "2130706433", "user@example.com", ""])(
    "%j is no host: the proxy opens, and lets nothing through without asking (CVE-2025-66479)",
    async (host) => {
      expect(await network("bash frobnicate", { effects: connecting(host) })).toEqual(only());
    },
  );

  test("rules come along: any refusal first, what was agreed to before what would ask", async () => {
    const rules = {
      user: {
        deny: ["WebFetch(domain:evil.com)"],
        ask: ["WebFetch(domain:npmjs.org)"],
        allow: ["WebFetch(domain:*.example.com)", "WebFetch(domain:pypi.org)"],
      },
    };
    expect(await network("bash npm install", { rules })).toEqual(
      only(
        { action: "deny", host: "evil.com", below: true, by: "WebFetch(domain:evil.com)" },
        allow("registry.npmjs.org"),
        { action: "ask", host: "npmjs.org", below: true, by: "WebFetch(domain:npmjs.org)" },
        allow("example.com", { below: true, by: "WebFetch(domain:*.example.com)" }),
        allow("pypi.org", { by: "WebFetch(domain:pypi.org)" }),
      ),
    );
  });

  test("what a person granted for the session counts, what ran out does not", async () => {
    const grants = [
      { rule: "WebFetch(domain:files.pythonhosted.org)", request: "req_1" },
      { rule: "WebFetch(domain:old.example.com)", request: "req_2", expiresAt: new Date(0).toISOString() },
    ];
    expect(await network("bash npm install", { grants })).toEqual(
      only(
        allow("registry.npmjs.org"),
        allow("files.pythonhosted.org", { by: "WebFetch(domain:files.pythonhosted.org)" }),
      ),
    );
  });

  test("private hosts are passed on", async () => {
    const policy = { privateHosts: ["registry.corp:4873"] };
    expect(await network("bash npm install", { policy })).toEqual({
      hosts: [allow("registry.npmjs.org")],
      privateHosts: ["registry.corp:4873"],
    });
  });

  test("a denied host never gets that far", async () => {
    const rules = { user: { deny: ["WebFetch(domain:npmjs.org)"] } };
    expect(await network("bash npm install", { rules })).toContain("WebFetch(domain:npmjs.org)");
  });
});
