import type { InputRequest } from "@modelcontextprotocol/server";
import { z } from "zod";
import { markedLines } from "../../contract/marked-lines.ts";
import type { PermissionAnswer, PermissionRequest } from "../../contract/verdict.ts";
import { visibleText } from "../../contract/visible-text.ts";

const choices = { once: "Allow once", session: "Allow until this server ends", deny: "Deny" } as const;

const formAnswer = z.object({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z.exactOptional(
    z.object({ decision: z.enum(["once", "session", "deny"]), reason: z.exactOptional(z.string()) }),
  ),
});

/** The question as a form for whoever sits at the client: everything that a yes would cover stands in it. */
export function approvalForm({ prompt }: PermissionRequest): InputRequest {
  const rules = prompt.suggestedRules ?? [];
  const offered = rules.length === 0 ? (["once", "deny"] as const) : (["once", "session", "deny"] as const);
  const lines = [
    prompt.title,
    "",
    markedLines(prompt.action),
    ...(prompt.diff === undefined ? [] : [markedLines(prompt.diff)]),
    "",
    ...(prompt.about === undefined ? [] : [`described: ${prompt.about}`]),
    `risk ${prompt.risk}: ${prompt.reason}`,
    ...(prompt.parts ?? []).map((part) => `part: ${part}`),
    ...prompt.effects.map((effect) => `touches: ${effect}`),
    `sandbox: ${prompt.sandbox}`,
    ...(prompt.intentReason === undefined ? [] : [`it says: ${prompt.intentReason}`]),
    ...rules.map((rule) => `until this server ends, for every client of it: ${rule}`),
  ];
  return {
    method: "elicitation/create",
    params: {
      mode: "form",
      message: visibleText(lines.join("\n")),
      requestedSchema: {
        type: "object",
        properties: {
          decision: {
            type: "string",
            title: "May it?",
            // No default: a form that is sent back unread must not say yes.
            oneOf: offered.map((choice) => ({ const: choice, title: choices[choice] })),
          },
          reason: { type: "string", title: "Why not? (told to the model)" },
        },
        required: ["decision"],
      },
    },
  };
}

/** Only a clear yes says yes. A form that was put aside is nobody. */
export function readApproval(
  request: PermissionRequest,
  answer: unknown,
  by: string,
): PermissionAnswer | "unavailable" {
  const read = formAnswer.safeParse(answer);
  if (!read.success || read.data.action === "cancel") return "unavailable";
  const { action, content } = read.data;
  if (action === "accept" && content === undefined) return "unavailable";
  if (action === "accept" && content !== undefined && content.decision !== "deny") {
    return { request: request.id, answer: "allow", remember: content.decision, by };
  }
  const reason = content?.reason?.trim();
  return { request: request.id, answer: "deny", by, ...(reason ? { message: reason } : {}) };
}
