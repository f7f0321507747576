import { expect, test } from "vitest";
import { plainSettings } from "../../test/support/surface.ts";
import type { Agent } from "../contract/app/agent.ts";
import type { App } from "../contract/app/app.ts";
import { ok } from "../contract/codes.ts";
import { modelsInSettings, modelsText, modesText } from "./command-texts.ts";

const models = {
  ...plainSettings.models,
  model: "anthropic/claude-sonnet-4-5",
  fallback: ["openai/gpt-5"],
  providers: { home: { kind: "openai-chat", models: { small: {} } } },
} as const;
const app: Pick<App, "settings" | "findModels"> = {
  settings: () => ok({ ...plainSettings, models }),
  findModels: async () => [{ name: "ollama/qwen3:8b", from: "Ollama on port 11434" }],
};

function agentWith(reason: string): Pick<Agent, "chain" | "context"> {
  const [provider, id] = ["anthropic", "claude-sonnet-4-5"];
  const model = { ref: { provider, id } } as Agent["chain"]["models"][0];
  return { chain: { models: [model], reason }, context: () => ({ tokens: 0, limit: 1_000, assumed: false }) };
}

test("every mode is listed, and which one it is", () => {
  const rows = modesText("plan").split("\n");
  expect(rows.filter((row) => row.startsWith("● "))).toEqual([
    "● plan         allows reads and searches; denies everything else",
  ]);
  expect(rows).toHaveLength(6);
});

test("the model and why, then the others that could be named", async () => {
  const shown = await modelsText(app, agentWith("anthropic/claude-sonnet-4-5: from --model"), {});
  expect(shown.split("\n")).toEqual([
    "● anthropic/claude-sonnet-4-5  from --model",
    "  ollama/qwen3:8b              Ollama on port 11434",
    "  openai/gpt-5                 settings",
    "  home/small                   settings",
    "4 models; /model provider/id selects any other model",
  ]);
  expect(modelsInSettings(app, {})).toEqual(["anthropic/claude-sonnet-4-5", "openai/gpt-5", "home/small"]);
});
