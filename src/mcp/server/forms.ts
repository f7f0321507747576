import type { InputRequest } from "@modelcontextprotocol/server";
import { z } from "zod";
import { markedLines, visibleText } from "../../base/text.ts";
import { elicitationSchema, elicitationWords } from "../../contract/server/elicitation.ts";
import type { Elicitation, ElicitationAnswer } from "../../contract/server/server.ts";
import type { PermissionAnswer, PermissionRequest } from "../../contract/verdict.ts";

const choices = { once: "Allow once", session: "Allow until this server stops", deny: "Deny" } as const;
type ApprovalChoice = keyof typeof choices;
const changeChoices = { ...choices, once: "Keep the changes", deny: "Deny: keep nothing" } as const;

const decided = z.object({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z.exactOptional(z.object({ decision: z.enum(["once", "session", "deny"]) })),
});

const reasoned = z.object({ action: z.literal("accept"), content: z.object({ reason: z.string() }) });

export type AskForm = (name: string, form: InputRequest) => Promise<unknown>;

export async function askApproval(
  request: PermissionRequest,
  by: string,
  ask: AskForm,
): Promise<PermissionAnswer | "unavailable"> {
  const read = decided.safeParse(await ask(request.id, approvalForm(request)));
  if (!read.success || read.data.action === "cancel") return "unavailable";
  const denied = { request: request.id, answer: "deny", by } as const;
  if (read.data.action === "decline") return denied;
  const decision = read.data.content?.decision;
  if (decision === undefined) return "unavailable";
  if (decision !== "deny") return { request: request.id, answer: "allow", remember: decision, by };
  const why = reasoned.safeParse(await ask(`${request.id}-reason`, reasonForm(request)));
  const message = why.success ? why.data.content.reason.trim() : "";
  return message === "" ? denied : { ...denied, message };
}

function approvalForm({ prompt }: PermissionRequest): InputRequest {
  const { changes, effects, suggestedRules: rules = [] } = prompt;
  // Clients preselect the first choice, so it must be Deny.
  const yes: readonly ApprovalChoice[] = prompt.opens
    ? ["session"]
    : rules.length === 0
      ? ["once"]
      : ["once", "session"];
  const titles = changes === undefined ? choices : changeChoices;
  const message = [
    prompt.title,
    "",
    markedLines(prompt.action),
    ...(changes === undefined ? [] : effects.map((line) => markedLines(line))),
    ...(prompt.ended === undefined ? [] : [`Ended ${prompt.ended}`]),
    ...(prompt.diff === undefined ? [] : [markedLines(prompt.diff)]),
    "",
    ...(prompt.about === undefined ? [] : [`description: ${prompt.about}`]),
    `risk ${prompt.risk}: ${prompt.reason}`,
    ...(prompt.parts ?? []).map((part) => `part: ${part}`),
    ...(changes === undefined ? effects.map((effect) => `touches: ${effect}`) : []),
    `sandbox: ${prompt.sandbox}`,
    ...(prompt.intentReason === undefined ? [] : [`reason of the model: ${prompt.intentReason}`]),
    ...rules.map((rule) => `until this server stops, for all its clients: ${rule}`),
  ].join("\n");
  const decision = {
    type: "string" as const,
    title: changes === undefined ? "Allow this?" : "Keep these changes?",
    oneOf: (["deny", ...yes] as const).map((choice) => ({ const: choice, title: titles[choice] })),
  };
  return formRequest(message, { type: "object", properties: { decision }, required: ["decision"] });
}

function reasonForm({ prompt }: PermissionRequest): InputRequest {
  const reason = { type: "string" as const, title: "Reason (optional, sent to the model)" };
  const message = `Denied: ${prompt.title}\nTo give no reason, close this form.`;
  return formRequest(message, { type: "object", properties: { reason } });
}

type FormParams = Exclude<Extract<InputRequest, { method: "elicitation/create" }>["params"], { mode: "url" }>;

function formRequest(message: string, requestedSchema: FormParams["requestedSchema"]): InputRequest {
  return { method: "elicitation/create", params: { mode: "form", message: visibleText(message), requestedSchema } };
}

export function elicitationForm(question: Elicitation): InputRequest {
  const { id, ask } = question;
  const message = elicitationWords(question);
  if (ask.mode === "form") return formRequest(message, elicitationSchema(ask.fields));
  return { method: "elicitation/create", params: { mode: "url", message, url: ask.url, elicitationId: id } };
}

const answered = z.discriminatedUnion("action", [
  z.object({ action: z.literal("accept"), content: z.record(z.string(), z.unknown()) }),
  z.object({ action: z.enum(["decline", "cancel"]) }),
]);

const agreed = z.object({ action: z.literal("accept") });

export function readElicitation(answer: unknown, mode: Elicitation["ask"]["mode"]): ElicitationAnswer {
  if (mode === "url" && agreed.safeParse(answer).success) return { action: "accept", content: {} };
  const read = answered.safeParse(answer);
  return read.success ? read.data : { action: "cancel" };
}
