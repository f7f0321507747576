import { describe, expect, test } from "vitest";
import { agreeable } from "../../support/gauntlet.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { eventsOfType, openAgent } from "./open-agent.ts";
import type { Answer, Script } from "./scripted-model.ts";

/** Its tests pass when `right.txt` is there, and say how many did like a runner that people know. */
const suite = `if [ -e right.txt ]; then
  printf '# tests 1\\n# pass 1\\n# fail 0\\n'
else
  printf '# tests 1\\n# pass 0\\n# fail 1\\n'
  exit 1
fi
`;
const files = {
  "package.json": JSON.stringify({ name: "sample", scripts: { test: "sh suite.sh" } }),
  "make-it.sh": "echo built > out.js\n",
  "suite.sh": suite,
};
const shell = (command: string, input: object = {}): Answer => ({
  calls: [{ tool: "bash", input: { command, ...input } }],
});
const runTests = shell("npm test");
const mend: Answer = { calls: [{ tool: "write", input: { path: "right.txt", content: "x\n" } }] };
const claim: Answer = { text: "I fixed it, and all tests pass." };

async function told(...answers: readonly Answer[]) {
  const settings = { verification: { commands: [{ kind: "build", command: "sh make-it.sh" } as const] } };
  const agent = await openAgent(makeWorkspace(files), answers, { onAsk: agreeable(), settings });
  const report = await agent.send("Work.");
  const records = eventsOfType(agent, "verification.recorded").map(({ data }) => data);
  return { report, records, verdicts: report.claims.map(({ kind, verdict }) => `${kind} ${verdict}`) };
}

describe("what a check showed, through the door", () => {
  test("failing, mended, passing: two records, each about the state that it saw", async () => {
    const { records, verdicts, report } = await told(runTests, mend, runTests, claim);
    expect(records).toMatchObject([
      { kinds: ["tests"], passed: false, exitCode: 1, counts: { passed: 0, failed: 1 }, afterChange: 0 },
      { kinds: ["tests"], passed: true, exitCode: 0, counts: { passed: 1, failed: 0 }, afterChange: report.lastChange },
    ]);
    expect(report.lastChange).toBeGreaterThan(0);
    expect(verdicts).toEqual(["tests supported", "fixed supported"]);
  });

  test("an edit afterwards makes it old", async () => {
    const edit: Answer = { calls: [{ tool: "write", input: { path: "other.txt", content: "y\n" } }] };
    const { verdicts } = await told(mend, runTests, edit, claim);
    expect(verdicts).toEqual(["tests unsupported", "fixed unsupported"]);
  });

  test("so does a change that a command made, and one that only reads does not", async () => {
    expect((await told(mend, runTests, shell("touch other.txt"), claim)).verdicts).toEqual([
      "tests unsupported",
      "fixed unsupported",
    ]);
    expect((await told(mend, runTests, shell("cat suite.sh"), claim)).verdicts).toEqual([
      "tests supported",
      "fixed supported",
    ]);
  });

  test("behind a pipe the exit code is another program's: only what the runner counted is believed", async () => {
    const piped = shell("npm test 2>&1 | tail -20");
    expect((await told(mend, piped, claim)).verdicts).toEqual(["tests supported", "fixed supported"]);
    expect((await told(piped, claim)).verdicts).toEqual(["tests contradicted", "fixed contradicted"]);
    expect((await told(mend, shell("npm test | tail -0"), claim)).records).toEqual([]);
    expect((await told(shell("npm test || true"), claim)).verdicts).toEqual(["tests unsupported", "fixed unsupported"]);
  });

  test("in the background it counts when its end was seen, for the state that it started in", async () => {
    const started = shell("npm test", { run_in_background: true });
    const waited: Script[number] = ({ messages }) => {
      const job = /job_[0-9a-z]+/.exec(JSON.stringify(messages.at(-1)))?.[0] ?? "";
      return { calls: [{ tool: "task_output", input: { id: job, wait_ms: 20_000 } }] };
    };
    const script: Script = [mend, started, waited, claim];
    const agent = await openAgent(makeWorkspace(files), script, { onAsk: agreeable() });
    const report = await agent.send("Work.");
    expect(report.verifications).toMatchObject([{ kinds: ["tests"], passed: true, afterChange: report.lastChange }]);
    expect(report.claims.map(({ verdict }) => verdict)).toEqual(["supported", "supported"]);
  });

  test("a build is no test, and what it writes besides does not make the tests old", async () => {
    const { verdicts } = await told(mend, runTests, shell("sh make-it.sh"), {
      text: "The build succeeds and all tests pass.",
    });
    expect(verdicts.toSorted()).toEqual(["build supported", "tests supported"]);
    expect((await told(mend, shell("sh make-it.sh"), { text: "All tests pass." })).verdicts).toEqual([
      "tests unsupported",
    ]);
  });
});
