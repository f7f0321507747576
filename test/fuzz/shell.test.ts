import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Mode, Verdict } from "../../src/contract/verdict.ts";
import { gateFor, type Layered, questionOf } from "../gate-matrix/asking.ts";
import type { Fixture } from "../gate-matrix/fixture.ts";
import { makeShellProject } from "../gate-matrix/shell-project.ts";
import { startCampaign } from "./campaign.ts";
import { harmful, harmless } from "./shell-fragments.ts";
import { compositions, uncertain } from "./shell-grammar.ts";

const campaign = startCampaign();
const { seed } = campaign;

function judge(fixture: Fixture, mode: Mode, layers: Layered = {}): (command: string) => Promise<Verdict> {
  const gate = gateFor(fixture, layers);
  return async (command) => gate.judge(await questionOf(fixture, `bash ${command}`, { mode }));
}

describe(`shell text, seed ${seed}`, { timeout: campaign.timeoutMs }, () => {
  test("each fragment by itself is what it is taken for", async () => {
    const verdict = judge(makeShellProject(), "default");
    const allowed = async (command: string) => (await verdict(command)).decision === "allow";
    for (const command of harmless)
      expect({ command, allowed: await allowed(command) }).toEqual({ command, allowed: true });
    for (const command of harmful)
      expect({ command, allowed: await allowed(command) }).toEqual({ command, allowed: false });
  });

  test("what is composed is shell text, so that bash would run what is inside", () => {
    const texts = fc.sample(compositions([...harmful, ...harmless], harmless, uncertain), { numRuns: 150, seed });
    const refused = texts.filter(
      (text) => spawnSync("bash", ["--noprofile", "--norc", "-n"], { input: text }).status !== 0,
    );
    // Bash does not find the end of every `case` inside brackets.
    expect(refused.length, refused.join("\n\n")).toBeLessThan(texts.length / 20);
  });

  test("one harmful command is not overlooked, wherever it stands", async () => {
    const verdict = judge(makeShellProject(), "default");
    await fc.assert(
      fc.asyncProperty(compositions(harmful, harmless), async (command) => {
        const { decision, reason } = await verdict(command);
        expect({ command, decision, reason }).not.toMatchObject({ decision: "allow" });
      }),
      { numRuns: campaign.runs(4_000), seed },
    );
  });

  test("a denied command is denied wherever it stands, in the widest mode", async () => {
    const denied = [
      "npm publish",
      "npm publish --access public",
      "/usr/bin/npm publish",
      "npm  publish",
      '"npm" publish',
    ];
    const verdict = judge(makeShellProject(), "bypass", { user: { deny: ["Bash(npm publish:*)"] } });
    await fc.assert(
      fc.asyncProperty(compositions(denied, harmless, uncertain), async (command) => {
        const { decision, reason } = await verdict(command);
        expect({ command, decision, reason }).toMatchObject({ decision: "deny" });
      }),
      { numRuns: campaign.runs(1_500), seed },
    );
  });

  test("any text at all is judged, and no accident allows it", async () => {
    const verdict = judge(makeShellProject(), "default");
    const piece = fc.oneof(
      fc.constantFrom(..."$ ` ' \" \\ ; & | < > ( ) { } [ ] * ? # ! ~ = % + - \n \r \t".split(" "), " "),
      fc.constantFrom(
        "rm",
        "cat",
        "ls",
        "echo",
        "EOF",
        "<<",
        "$(",
        "${",
        "if",
        "then",
        "fi",
        "do",
        "done",
        "case",
        "esac",
        ".env",
      ),
      fc.string({ unit: "binary", maxLength: 3 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 20 }), async (pieces) => {
        const { reason } = await verdict(pieces.join(""));
        expect(reason).not.toMatch(/the decision failed/);
      }),
      { numRuns: campaign.runs(3_000), seed },
    );
  });
});
