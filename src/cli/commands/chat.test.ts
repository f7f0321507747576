import { describe, expect, test } from "vitest";
import { appWithArchive, summary } from "../../../test/support/archive.ts";
import { plainSettings, run } from "../../../test/support/surface.ts";
import { ok } from "../../contract/codes.ts";
import type { FoundModel } from "../../contract/model.ts";
import type { Surface } from "../surface.ts";

const two: readonly FoundModel[] = [
  { name: "anthropic/claude", from: "ANTHROPIC_API_KEY" },
  { name: "ollama/qwen", from: "Ollama on port 11434" },
];

/** A person at a terminal who has set nothing up. */
async function firstRun(found: readonly FoundModel[], ...answers: readonly string[]) {
  const saved: string[] = [];
  const conversations: unknown[] = [];
  const ran = await run([], {
    answers,
    converses: (_app, { agent }) => conversations.push(agent.model?.wanted),
    app: {
      findModels: async () => found,
      saveModel: (name) => {
        saved.push(name);
        return { ok: true, value: { file: "/home/ada/.gauntlet/settings.json" } };
      },
    },
  });
  return { ...ran, saved, conversations };
}

describe("the first run with nothing set up", () => {
  test("offers what was found, and keeps the choice when told so", async () => {
    const { code, stderr, questions, saved, conversations } = await firstRun(two, "9", "2", "y");
    expect(stderr).toContain(`No model is configured. Available now:
  1  anthropic/claude  (ANTHROPIC_API_KEY)
  2  ollama/qwen  (Ollama on port 11434)
saved in /home/ada/.gauntlet/settings.json
`);
    expect(questions).toEqual([
      "Which one? 1 to 2, or [q]uit: ",
      "Which one? 1 to 2, or [q]uit: ",
      "Save it as the default model? [y]es, or only [t]his time (Enter): ",
    ]);
    expect([code, saved, conversations]).toEqual([0, ["ollama/qwen"], ["ollama/qwen"]]);
  });

  test("asks before the only one is asked, and keeps nothing by itself", async () => {
    const once = await firstRun(two.slice(0, 1), "y", "");
    expect([once.code, once.saved, once.conversations]).toEqual([0, [], ["anthropic/claude"]]);
  });

  test.each(["", "q", "n"])("leaves without a model when told %j", async (answer) => {
    expect(await firstRun(two, answer)).toMatchObject({ code: 2, saved: [], conversations: [] });
  });

  test("says how to go on when nothing was found, and offers the demo", async () => {
    const left = await firstRun([], "");
    expect([left.code, left.questions]).toEqual([2, ["Run the demo? [y]es, or Enter to quit: "]]);
    for (const words of ["ANTHROPIC_API_KEY", "ollama serve", "--base-url", "gauntlet demo"]) {
      expect(left.stderr).toContain(words);
    }
    // The box has no room for a sample project, and says so: it was the demo that was started.
    expect((await firstRun([], "y")).stderr).toContain("No sample project here.");
  });

  test("a task in quotes is sent at once, and one word is no task", async () => {
    const named = ok({ ...plainSettings, models: { ...plainSettings.models, model: "scripted/x" } });
    const tasks: unknown[] = [];
    const box = {
      answers: [],
      converses: (...[, { task }]: Parameters<NonNullable<Surface["converse"]>>) => tasks.push(task),
      app: { settings: () => named },
    };
    for (const words of [[], ["do this"], ["--mode", "plan", "do this"], ["chat", "do this"]]) await run(words, box);
    expect(tasks.splice(0)).toEqual([undefined, "do this", "do this", "do this"]);
    for (const words of [["dothis"], ["--mode", "plan", "dothis"], ["chat", "dothis"], ["do this", "and that"]]) {
      expect([(await run(words, box)).code, tasks]).toEqual([2, []]);
    }
    expect(await run(["do this"])).toMatchObject({ code: 2, stderr: expect.stringContaining("gauntlet run") });
  });

  test("a conversation needs a terminal", async () => {
    const ran = await run(["chat"]);
    expect([ran.code, ran.stderr]).toMatchObject([2, expect.stringContaining("a conversation needs a terminal")]);
  });
});

describe("going on", () => {
  const talked = { ...summary, id: "ses_talked", updatedAt: "2026-01-01T00:00:00.000Z" };
  const called = { ...summary, id: "ses_called", updatedAt: "2026-01-02T00:00:00.000Z", task: "" };
  const elsewhere = { ...summary, id: "ses_elsewhere", updatedAt: "2026-01-03T00:00:00.000Z", workspace: "/there" };

  const named = ok({ ...plainSettings, models: { ...plainSettings.models, model: "scripted/x" } });

  async function goOn(sessions: readonly (typeof summary)[], ...words: readonly string[]) {
    const gone: unknown[] = [];
    const ran = await run(words, {
      answers: [],
      converses: (_app, { agent }) => gone.push(agent.session),
      app: { ...appWithArchive({ list: () => sessions }), settings: () => named },
    });
    return { ...ran, gone };
  }

  test.each([
    ["--continue", ["--continue"], ["ses_talked"]],
    ["-c", ["-c"], ["ses_talked"]],
    ["--resume latest", ["--resume", "latest"], ["ses_talked"]],
    ["--resume with a name", ["--resume", "ses_c"], ["ses_called"]],
  ])("%s", async (_what, words, expected) => {
    expect(await goOn([elsewhere, called, talked], ...words)).toMatchObject({ code: 0, gone: expected });
  });

  test("a session without a task is not continued by itself", async () => {
    const ran = await goOn([elsewhere, called], "--continue");
    expect([ran.code, ran.gone, ran.stderr]).toEqual([
      2,
      [],
      "gauntlet: There is no session with a task in this directory.\nStart one: gauntlet run '<task>'. `gauntlet sessions list --all` lists 1 session without a task.\n",
    ]);
  });
});
