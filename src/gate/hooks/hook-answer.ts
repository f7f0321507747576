import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { fieldPath, readJsonText } from "../../base/json.ts";
import type { HookEvent } from "../../contract/settings.ts";

const longestContext = 32_000;
export const contextTooLong = `its context is longer than ${longestContext} characters`;
export const isTooLong = (context: string) => context.length > longestContext;

const inputShape = lazy(() => z.record(z.string(), z.unknown()));
const answerShape = lazy(() =>
  z.looseObject({
    continue: z.exactOptional(z.boolean()),
    stopReason: z.exactOptional(z.string()),
    suppressOutput: z.exactOptional(z.boolean()),
    systemMessage: z.exactOptional(z.string()),
    decision: z.exactOptional(z.enum(["approve", "block"])),
    reason: z.exactOptional(z.string()),
    async: z.exactOptional(z.literal(false, "an answer that comes later is not supported")),
    hookSpecificOutput: z.exactOptional(
      z.looseObject({
        hookEventName: z.exactOptional(z.string()),
        permissionDecision: z.exactOptional(z.enum(["allow", "deny", "ask", "defer"])),
        permissionDecisionReason: z.exactOptional(z.string()),
        updatedInput: z.exactOptional(inputShape()),
        additionalContext: z.exactOptional(z.string().max(longestContext, contextTooLong)),
        decision: z.exactOptional(
          z.discriminatedUnion("behavior", [
            z.looseObject({ behavior: z.literal("allow"), updatedInput: z.exactOptional(inputShape()) }),
            z.looseObject({
              behavior: z.literal("deny"),
              message: z.exactOptional(z.string()),
              interrupt: z.exactOptional(z.boolean()),
            }),
          ]),
        ),
      }),
    ),
  }),
);
export type Answer = z.infer<ReturnType<typeof answerShape>>;

export function isGating(event: HookEvent): boolean {
  return event === "PreToolUse" || event === "PermissionRequest" || event === "UserPromptSubmit";
}

export type AnswerText =
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "plain"; readonly text: string }
  | { readonly kind: "unreadable"; readonly why: string };

/**
 * What a hook printed. Where it decides whether something may go on, anything that could be meant as an answer has
 * to be one to the letter: a no that cannot be read must never pass for chatter.
 */
export function readAnswerText(printed: string, event: HookEvent): AnswerText {
  const text = printed.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
  const meant = isGating(event) ? /[{}[\]]/.test(text) : text.trim().startsWith("{");
  if (!meant) return { kind: "plain", text: text.trim() };
  if (!text.startsWith("{")) return unreadable("it printed something that is not exactly one JSON object");
  const json = readJsonText(text);
  if (!json.ok) return unreadable(`its answer is not proper JSON: ${json.problem}`);
  const parsed = answerShape().safeParse(json.value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return unreadable(`its answer cannot be read: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`);
  }
  const misplaced = isGating(event) ? misplacedField(json.value, event, "") : undefined;
  return misplaced === undefined
    ? { kind: "answer", answer: parsed.data }
    : unreadable(`its answer has ${misplaced}, which means nothing at ${event}`);
}

function unreadable(why: string): AnswerText {
  return { kind: "unreadable", why };
}

const topFields = [
  "continue",
  "stopReason",
  "suppressOutput",
  "systemMessage",
  "decision",
  "reason",
  "async",
  "hookSpecificOutput",
];

const specificFields: Partial<Record<HookEvent, readonly string[]>> = {
  PreToolUse: ["permissionDecision", "permissionDecisionReason", "updatedInput"],
  PermissionRequest: ["decision"],
};

export function specificFieldsOf(event: HookEvent): readonly string[] {
  return ["hookEventName", "additionalContext", ...(specificFields[event] ?? [])];
}

const decisionFields = ["behavior", "message", "interrupt", "updatedInput", "updatedPermissions"];

const opaque = ["updatedInput", "updatedPermissions"];

const meaningful = new Set(
  [...topFields, ...specificFieldsOf("PreToolUse"), ...specificFieldsOf("PermissionRequest"), ...decisionFields]
    .filter((name) => name !== "reason" && name !== "message")
    .map(spelling),
);

function misplacedField(value: unknown, event: HookEvent, at: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const expected = fieldsAt(at, event);
  for (const [name, inner] of Object.entries(value)) {
    const place = fieldPath(at, name);
    if (expected.includes(name)) {
      if (opaque.includes(name)) continue;
    } else if (meaningful.has(spelling(name))) return place;
    const found = misplacedField(inner, event, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

function fieldsAt(at: string, event: HookEvent): readonly string[] {
  if (at === "") return topFields;
  if (at === "hookSpecificOutput") return specificFieldsOf(event);
  return at === "hookSpecificOutput.decision" ? decisionFields : [];
}

function spelling(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, "");
}
