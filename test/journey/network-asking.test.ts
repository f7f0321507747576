import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Asker, PermissionAnswer, PermissionRequest } from "../../src/contract/verdict.ts";
import { abandonedSession } from "../support/abandoned-session.ts";
import { agreeable, openGauntlet } from "../support/gauntlet.ts";
import { bash, connections, hello, privately, shown, withScript } from "../support/network.ts";
import { makeWorkspace } from "../support/workspace.ts";

/** Agrees to every call, and answers for hosts as the test says. */
function askedAboutHosts(answer: Partial<PermissionAnswer> & Pick<PermissionAnswer, "answer">) {
  const hosts: PermissionRequest[] = [];
  const onAsk: Asker = async (request) => {
    const aboutHost = request.prompt.title.startsWith("Let the running command connect");
    if (aboutHost) hosts.push(request);
    return { request: request.id, by: "ada", ...(aboutHost ? answer : { answer: "allow" }) };
  };
  return { hosts, onAsk };
}

describe("a host that nobody named", () => {
  const script = "curl -sS --fail-with-body http://other.test/ 2>&1; echo";

  test("is asked about while the command runs, once", async () => {
    const { port } = await hello();
    const workspace = makeWorkspace();
    const { hosts, onAsk } = askedAboutHosts({ answer: "deny", message: "Not that one." });
    const gauntlet = await openGauntlet(workspace, { settings: privately(port), onAsk });
    const observation = await gauntlet.call(bash(withScript(workspace, port, `${script}\n${script}`)));
    expect(hosts).toMatchObject([
      {
        intentId: observation.intentId,
        tool: "bash",
        prompt: {
          title: "Let the running command connect to other.test:80?",
          action: expect.stringContaining("bash more.sh"),
          effects: ["connects to other.test:80"],
          risk: "R4",
          suggestedRules: ["WebFetch(domain:other.test)"],
        },
      },
    ]);
    expect(shown(observation, "stdout")).toContain("connecting to other.test:80 is refused: Not that one.");
    expect(shown(observation, "network")).toBe("other.test:80 refused: Not that one.");
    const refused = { host: "other.test", port: 80, outcome: "refused", reason: "Not that one.", decidedBy: "ada" };
    expect(connections(gauntlet)).toMatchObject([{ host: "localhost" }, refused, refused]);
    expect(observation.effects.seen).toContainEqual({
      op: "connect",
      target: "other.test:80",
      note: "refused, 2 times",
    });
    expect(gauntlet.session.state).toMatchObject({ status: "idle", pending: new Map() });
  });

  test("is reached when a person agrees, and with a rule not asked about again", async () => {
    const { port, requests } = await hello();
    const workspace = makeWorkspace();
    const { hosts, onAsk } = askedAboutHosts({ answer: "allow", remember: "session" });
    const gauntlet = await openGauntlet(workspace, { settings: privately(port), onAsk });
    workspace.write("more.sh", `curl -sS http://localhost:${port}/`);
    const command = "curl -sS --fail http://named.test/; bash more.sh";
    const observation = await gauntlet.call(bash(command));
    expect(shown(observation, "stdout")).toBe("hello");
    expect(hosts.map(({ prompt }) => prompt.effects)).toEqual([[`connects to localhost:${port}`]]);
    expect(connections(gauntlet)).toMatchObject([
      { host: "named.test", outcome: "failed" },
      { host: "localhost", outcome: "connected", decidedBy: "ada" },
    ]);
    expect(requests).toEqual(["GET /"]);
  });

  test("stays allowed for the session where that was the answer", async () => {
    const workspace = makeWorkspace();
    const { port } = await hello();
    const { hosts, onAsk } = askedAboutHosts({ answer: "allow", remember: "session" });
    const gauntlet = await openGauntlet(workspace, { settings: privately(port), onAsk });
    const command = withScript(workspace, port, script);
    await gauntlet.call(bash(command));
    await gauntlet.call(bash(command));
    expect(hosts).toHaveLength(1);
    expect(gauntlet.session.state.grants).toMatchObject([{ rule: "WebFetch(domain:other.test)" }]);
    expect(connections(gauntlet).filter(({ host }) => host === "other.test")).toMatchObject([
      { outcome: "failed", decidedBy: "ada" },
      { outcome: "failed", decidedBy: "WebFetch(domain:other.test)" },
    ]);
  });

  test("is refused where nobody can be asked, with the rule that would allow it", async () => {
    const { port } = await hello();
    const workspace = makeWorkspace();
    const command = withScript(workspace, port, script);
    const settings = { ...privately(port), permissions: { allow: [`Bash(${command})`] } };
    const gauntlet = await openGauntlet(workspace, { settings });
    const observation = await gauntlet.call(bash(command));
    expect(shown(observation, "network")).toBe(
      "other.test:80 refused: no user could be asked; the rule WebFetch(domain:other.test) in permissions.allow would allow it",
    );
    expect(connections(gauntlet)).toMatchObject([{ outcome: "connected" }, { host: "other.test", outcome: "refused" }]);
  });

  test.each([
    ["bypass", {}, "failed", "mode bypass", 0],
    ["bypass", { ask: ["WebFetch(domain:other.test)"] }, "failed", "ada", 1],
    ["dontAsk", {}, "refused", undefined, 0],
  ] as const)("in the mode %s with %j: %s by %s", async (mode, rules, outcome, decidedBy, questions) => {
    const { port } = await hello();
    const workspace = makeWorkspace();
    const command = withScript(workspace, port, script);
    const permissions = { allow: [`Bash(${command})`], ask: "ask" in rules ? [...rules.ask] : [] };
    const { hosts, onAsk } = askedAboutHosts({ answer: "allow" });
    const gauntlet = await openGauntlet(workspace, { settings: { ...privately(port), permissions }, mode, onAsk });
    await gauntlet.call(bash(command));
    const made = connections(gauntlet).find(({ host }) => host === "other.test");
    expect({ outcome: made?.outcome, by: made?.decidedBy }).toEqual({ outcome, by: decidedBy });
    expect(hosts).toHaveLength(questions);
  });

  test.each([
    ["a deny rule", { deny: ["WebFetch(domain:other.test)"] }, /denied by WebFetch\(domain:other.test\)/],
    ["a deny rule above it", { deny: ["WebFetch(domain:test)"] }, /denied by WebFetch\(domain:test\)/],
  ])("is refused by %s without a question", async (_what, permissions, reason) => {
    const { port } = await hello();
    const workspace = makeWorkspace();
    const { hosts, onAsk } = askedAboutHosts({ answer: "allow" });
    const gauntlet = await openGauntlet(workspace, { settings: { ...privately(port), permissions }, onAsk });
    const observation = await gauntlet.call(bash(withScript(workspace, port, script)));
    expect(shown(observation, "network")).toMatch(reason);
    expect(hosts).toEqual([]);
  });

  test("a command that keeps asking is not answered any more", async () => {
    const { port } = await hello();
    const workspace = makeWorkspace();
    const { hosts, onAsk } = askedAboutHosts({ answer: "deny" });
    const gauntlet = await openGauntlet(workspace, { settings: privately(port), onAsk });
    const many = "for n in 1 2 3 4 5 6 7 8 9 10; do curl -sS http://host-$n.test/; done";
    const observation = await gauntlet.call(bash(withScript(workspace, port, many)));
    expect(hosts).toHaveLength(8);
    expect(shown(observation, "network")).toContain(
      "host-10.test:80 refused: the command already asked for 8 other hosts",
    );
  });

  test("a question ends with the command that it is about", async () => {
    const { port } = await hello();
    const workspace = makeWorkspace();
    let withdrawn = false;
    const onAsk: Asker = (request, signal) =>
      new Promise((resolve) => {
        if (!request.prompt.title.startsWith("Let the")) return resolve({ request: request.id, answer: "allow" });
        signal.addEventListener("abort", () => {
          withdrawn = true;
          resolve("unavailable");
        });
      });
    const gauntlet = await openGauntlet(workspace, { settings: privately(port), onAsk });
    const impatient = "curl -sS --max-time 0.3 http://other.test/; true";
    const observation = await gauntlet.call(bash(withScript(workspace, port, impatient)));
    expect(withdrawn).toBe(true);
    expect(observation).toMatchObject({ ok: true });
    expect(gauntlet.session.state).toMatchObject({ status: "idle", pending: new Map() });
    expect(connections(gauntlet)).toMatchObject([{ outcome: "connected" }, { outcome: "refused" }]);
  });

  test("an answer after a crash starts nothing", async () => {
    const workspace = makeWorkspace();
    const at = { requestedAt: new Date().toISOString(), expiresAt: new Date(Date.now() + 60_000).toISOString() };
    const prompt = { title: "Let the running command connect to other.test:443?" };
    const about = { requestId: "req_host", intentId: "left-open", tool: "bash", digest: "", prompt };
    const session = abandonedSession(workspace, {
      tool: "bash",
      input: { command: "touch made" },
      meanwhile: (log) => log.append([{ type: "permission.requested", data: { ...about, ...at } }]),
    });
    const gauntlet = await openGauntlet(workspace, { session, onAsk: agreeable() });
    const { status, pending, openIntents, openInvocations } = gauntlet.session.state;
    expect({ status, pending, openIntents, openInvocations }).toEqual({
      status: "idle",
      pending: new Map(),
      openIntents: new Map(),
      openInvocations: new Map(),
    });
    expect(gauntlet.session.answer({ request: "req_host", answer: "allow" })).toMatchObject({ ok: false });
    expect(existsSync(workspace.path("made"))).toBe(false);
  });
});
