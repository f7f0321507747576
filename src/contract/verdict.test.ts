import { expect, test } from "vitest";
import { permitsSession, sessionEffects } from "./verdict.ts";

test.each([
  [sessionEffects.readOutput("job_1"), true],
  [sessionEffects.readOutput("job_10"), false],
  [sessionEffects.readOutput("job_"), false],
  [sessionEffects.stopJob("job_1"), false],
  [sessionEffects.loadTools, false],
])("a permit that names the output of job_1 permits to %s: %s", (what, permitted) => {
  const effects = [{ op: "session", what: "read the output of job_1" }] as const;
  expect(permitsSession({ effects }, what)).toBe(permitted);
});

test("nothing but an effect on the session permits one", () => {
  const effects = [{ op: "unknown", why: sessionEffects.listSkills }] as const;
  expect(permitsSession({ effects }, sessionEffects.listSkills)).toBe(false);
});
