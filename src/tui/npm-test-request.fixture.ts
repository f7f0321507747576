import type { PermissionRequest } from "../contract/verdict.ts";

/** A question about `npm test`, with nothing that could be remembered. */
export const npmTestRequest: PermissionRequest = {
  id: "req_1",
  intentId: "int_1",
  tool: "bash",
  digest: "d",
  requestedAt: "2026-01-01T00:00:00.000Z",
  expiresAt: "2026-01-01T01:00:00.000Z",
  prompt: {
    title: "Run npm test?",
    action: "npm test",
    effects: ["runs npm test"],
    risk: "R3",
    reason: "it runs project code",
    sandbox: "bubblewrap",
    outputLimit: "100,000 characters",
  },
};
