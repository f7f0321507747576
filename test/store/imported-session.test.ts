import { createHash } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { findConversation, findSession } from "../../src/cli/find-session.ts";
import { createApp } from "../../src/compose/app.ts";
import { openAgent } from "../journey/agent/open-agent.ts";
import { must } from "../journey/undo/must.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const forged = `ses_${"f".repeat(32)}`;

/** The same calls under the same names, in a session of another name and another time that holds together. */
function retold(lines: readonly string[], year: string): readonly string[] {
  const header = JSON.parse(lines[0] ?? "");
  let prev = "0".repeat(64);
  const others = lines.slice(1).map((line) => {
    if (line.startsWith('{"artifact":')) return line;
    const body = line
      .replace(/,"hash":"[0-9a-f]{64}"\}$/, "}")
      .replace(/^\{"at":"\d{4}/, `{"at":"${year}`)
      .replace(/"prev":"[0-9a-f]{64}"/, `"prev":"${prev}"`)
      .replaceAll(header.session, forged);
    prev = createHash("sha256").update(`${prev}\n${body}`).digest("hex");
    return `${body.slice(0, -1)},"hash":"${prev}"}`;
  });
  return [JSON.stringify({ ...header, session: forged, head: prev }), ...others];
}

function appIn(workspace: Workspace) {
  const { root: cwd, home, state: gauntletHome } = workspace;
  const app = must(createApp({ cwd, home, gauntletHome, environment: process.env }));
  onTestFinished(() => app.close());
  return app;
}

test.each(["1970", "2099"])("one of the year %s neither answers nor stands in the way for our own", async (year) => {
  const workspace = makeWorkspace();
  const write = { calls: [{ tool: "write", input: { path: "a.txt", content: "made\n" } }] };
  const agent = await openAgent(workspace, [write, { text: "Made." }], { mode: "acceptEdits" });
  await agent.send("Make it.");
  await agent.close();
  const session = agent.sessionId;
  const app = appIn(workspace);
  const archive = must(app.archive());
  expect(must(archive.import(retold([...must(archive.export(session))], year)))).toBe(forged);

  expect(archive.list().map(({ id, imported }) => [id, imported])).toEqual(
    year === "2099"
      ? [
          [forged, true],
          [session, false],
        ]
      : [
          [session, false],
          [forged, true],
        ],
  );
  for (const find of [findSession, findConversation]) expect(must(find(archive, "latest", () => true))).toBe(session);
  expect(must(findSession(archive, "ses_f"))).toBe(forged);
  const [observation] = must(archive.replay(session)).observations;
  expect(must(archive.why(observation?.auditId ?? ""))).toMatchObject({
    session,
    imported: false,
    alsoIn: [{ session: forged, imported: true }],
  });
  expect(must(archive.why(`${forged}/${observation?.intentId}`))).toMatchObject({ session: forged, imported: true });
  expect(must(await app.undo({ dryRun: false, force: false }))).toMatchObject({ session, outcome: "done" });
  // Nothing of ours is left, and nothing of theirs is taken.
  expect(await app.undo({ dryRun: false, force: false })).toMatchObject({
    ok: false,
    failure: { message: expect.stringContaining(`last in ${session}`) },
  });
});

test("where only imported ones are, there is none to go on in", async () => {
  const theirs = makeWorkspace();
  const agent = await openAgent(theirs, [{ text: "Done." }]);
  await agent.send("Do it.");
  await agent.close();
  const lines = [...must(must(appIn(theirs).archive()).export(agent.sessionId))];
  const archive = must(appIn(makeWorkspace()).archive());
  must(archive.import(lines));
  expect(findSession(archive, "latest")).toMatchObject({
    ok: false,
    failure: { message: "There are only imported sessions." },
  });
  expect(findConversation(archive, "latest", () => true).ok).toBe(false);
});
