import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Code, codeNames, codes, phases } from "../../src/contract/codes.ts";
import { type Observation, observation as observationSchema } from "../../src/contract/observation.ts";
import { openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";
import { failures } from "./endings/failures.ts";
import { refusals } from "./endings/refusals.ts";

const endings = [...refusals, ...failures];

/** Belong to parts that are not there yet: deferred tools, outside servers. */
const notYet: readonly Code[] = ["tool_not_loaded", "server_unavailable"];

describe("each way a call can end", () => {
  test.each(endings)("$code in $phase: $why", async (ending) => {
    const workspace = makeWorkspace({ "a.txt": "one two\n", ".env": "TOKEN=none-of-your-business\n" });
    const before = contentOf(workspace);
    const observation = await ending.act(workspace);
    const { code, phase, happened } = ending;
    expect(observationSchema().parse(observation)).toEqual(observation);
    expect({
      code: observation.code,
      phase: observation.phase,
      happened: observation.effects.happened,
      retryable: observation.retryable,
      ok: observation.ok,
    }).toEqual({ code, phase, happened, retryable: codes[code].retryable, ok: false });
    expect(observation.recovery).toMatch(/\w+ \w+/);
    expect(observation.summary).toMatch(/\w+/);
    if (!ending.touches) expect(contentOf(workspace)).toEqual(before);
    if (happened === "nothing") expect(observation.effects.seen).toEqual([]);
    expect(JSON.stringify(observation)).not.toContain("none-of-your-business");
    if (!ending.unrecorded) await expectRecorded(workspace, observation);
  });

  test("the table reaches every code and every phase", () => {
    expect(new Set(["ok", ...endings.map(({ code }) => code), ...notYet])).toEqual(new Set(codeNames));
    expect(new Set(endings.map(({ phase }) => phase))).toEqual(new Set(phases));
  });
});

async function expectRecorded(workspace: Workspace, observation: Observation): Promise<void> {
  const auditor = await openGauntlet(workspace);
  expect(auditor.archive.why(observation.auditId)).toMatchObject({
    ok: true,
    value: { intentId: observation.intentId, observation: { code: observation.code } },
  });
}

function contentOf(workspace: Workspace): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(workspace.root).map((name) => [name, readFileSync(workspace.path(name), "utf8")]),
  );
}
