import { expect, test } from "vitest";
import { plainSettings } from "../../test/support/surface.ts";
import type { Agent } from "../contract/app/agent.ts";
import type { DoctorCheck } from "../contract/app/app.ts";
import { ok } from "../contract/codes.ts";
import { sessionChecks } from "./command-texts.ts";

const git: DoctorCheck = { name: "git", state: "ok", detail: "git version 2" };
const none: DoctorCheck = {
  name: "model",
  state: "warning",
  detail: "none is set up",
  fix: "gauntlet run --model a/b",
};
const silent: DoctorCheck = { name: "model", state: "warning", detail: "a/b does not answer" };
const models = [{ ref: { provider: "test", id: "small" } }] as unknown as Agent["chain"]["models"];

test.each<[string, string | undefined, DoctorCheck, DoctorCheck]>([
  [
    "that only the session has",
    undefined,
    none,
    { name: "model", state: "ok", detail: "test/small in this session; no model is set for the next one" },
  ],
  ["that the settings name", "a/b", silent, silent],
])("what /doctor says of a model %s", async (_name, model, found, told) => {
  const settings = { ...plainSettings, models: { ...plainSettings.models, ...(model === undefined ? {} : { model }) } };
  const app = { doctor: async () => [git, found], settings: () => ok(settings) };
  expect(await sessionChecks(app, { chain: { models, reason: "" } }, {})).toEqual([git, told]);
});
