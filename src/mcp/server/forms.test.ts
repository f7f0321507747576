import { expect, test } from "vitest";
import type { PermissionRequest } from "../../contract/verdict.ts";
import { askApproval } from "./forms.ts";

const request: PermissionRequest = {
  id: "req_1",
  intentId: "int_1",
  tool: "bash",
  digest: "d",
  requestedAt: "",
  expiresAt: "",
  prompt: {
    title: "Keep what this command changed?",
    action: "npm test",
    changes: [{ path: "/here/gone", line: "D  gone" }],
    effects: ["D  gone"],
    risk: "R2",
    reason: "it changes 1 file",
    sandbox: "",
    outputLimit: "",
    ended: "with exit code 3\n  | boom",
    diff: "deleted gone",
  },
};

test("a form about changes shows the list before the diff and offers Deny first", async () => {
  const forms: { readonly message: string; readonly choices: readonly string[] }[] = [];
  const answer = await askApproval(request, "client", async (_name, form) => {
    const { message, requestedSchema } = form.params as never as {
      message: string;
      requestedSchema: { properties: { decision: { oneOf: { const: string }[] } } };
    };
    forms.push({ message, choices: requestedSchema.properties.decision.oneOf.map((choice) => choice.const) });
    return { action: "accept", content: { decision: "once" } };
  });
  expect(answer).toEqual({ request: "req_1", answer: "allow", remember: "once", by: "client" });
  expect(forms).toEqual([
    {
      message: expect.stringMatching(/D {2}gone[\s\S]*exit code 3\n {2}\| boom\n[\s\S]*deleted gone/),
      choices: ["deny", "once"],
    },
  ]);
});

test("a form about a directory outside the workspace offers it for the session only", async () => {
  const { changes: _, ...prompt } = { ...request.prompt, opens: true, suggestedRules: ["Edit(//out)"] } as const;
  const choices: unknown[] = [];
  const answer = await askApproval({ ...request, prompt }, "client", async (_name, form) => {
    const { requestedSchema } = form.params as { requestedSchema: { properties: { decision: object } } };
    choices.push(requestedSchema.properties.decision);
    return { action: "accept", content: { decision: "session" } };
  });
  expect(choices).toMatchObject([{ oneOf: [{ const: "deny" }, { const: "session" }] }]);
  expect(answer).toMatchObject({ answer: "allow", remember: "session" });
});
