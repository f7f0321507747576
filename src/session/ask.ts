import { clip, messageOf } from "../base/text.ts";
import type { CheckedQuestion } from "../contract/gate.ts";
import type { CheckedIntent } from "../contract/intent.ts";
import type { PermissionPrompt, PermissionRequest, Verdict } from "../contract/verdict.ts";
import { inOneLine, shownChange } from "../gate/prompt.ts";
import { type SessionParts, timestamp } from "./parts.ts";
import { preconditionView } from "./question.ts";

const longestAbout = 600;
const longestPreviewMs = 5_000;

/** The question for the user about a call that the gate did not decide. */
export async function requestFor(
  session: SessionParts,
  question: CheckedQuestion,
  verdict: Verdict,
): Promise<PermissionRequest> {
  const { checked, report } = question;
  const { tool, digest, intent } = checked;
  const diff = await previewChange(session, checked);
  const { command } = report;
  return newRequest(session, {
    ...(command && { cwd: verdict.suggestedFor ?? command.cwd.resolved }),
    intentId: intent.id,
    tool: tool.name,
    digest,
    prompt: {
      ...session.gate.prompt(question, verdict),
      ...(!command && { call: inOneLine(titleOf(checked)) }),
      ...(tool.source !== "builtin" && {
        about: inOneLine(clip(session.storage.redact(tool.description), longestAbout)),
      }),
      ...(diff !== undefined && { diff }),
    },
  });
}

/** A request with its id and its time, from what it is about. */
export function newRequest(
  { settings, runtime: { clock, ids } }: Pick<SessionParts, "settings" | "runtime">,
  about: Omit<PermissionRequest, "id" | "requestedAt" | "expiresAt">,
): PermissionRequest {
  return {
    id: ids.next("req"),
    ...about,
    requestedAt: timestamp(clock),
    expiresAt: new Date(clock.now() + settings.limits.approvalMs).toISOString(),
  };
}

/** A tool that cannot describe its call is shown by its name. */
export function titleOf({ tool, input }: Pick<CheckedIntent, "tool" | "input">): string {
  try {
    return tool.describeCall(input as never);
  } catch {
    return tool.name;
  }
}

/** Only informs: when it cannot be worked out the question is the same, and says so. */
async function previewChange(
  session: SessionParts,
  { tool, input }: Pick<CheckedIntent, "tool" | "input">,
): Promise<string | undefined> {
  if (tool.preview === undefined) return undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it took longer than ${longestPreviewMs} ms`)), longestPreviewMs);
    });
    // A package is not bound by its types.
    const change: unknown = await Promise.race([tool.preview(input as never, preconditionView(session)), late]);
    if (change === undefined) return undefined;
    if (typeof change !== "string") throw new Error("it gave no text");
    // For a server's tool it is ours: a diff of definitions, which the server has no part in making.
    const isOwn = tool.source === "builtin" || tool.source === "mcp";
    return shownChange(isOwn ? change : `What ${tool.name} says of itself:\n${change}`);
  } catch (error) {
    const why = messageOf(error).replace(/\s+/g, " ");
    return shownChange(`No diff: what ${tool.name} would change was not found out: ${why}`);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A diff that was allowed must still be the diff: the file may have changed meanwhile. A question from the log comes
 * back redacted, so both sides are compared redacted.
 */
export async function isSameDiff(
  session: SessionParts,
  checked: CheckedIntent,
  { diff }: PermissionPrompt,
): Promise<boolean> {
  if (diff === undefined || checked.tool.source !== "builtin" || !/^@@ /m.test(diff)) return true;
  const now = await previewChange(session, checked);
  const { redact } = session.storage;
  return now !== undefined && redact(now) === redact(diff);
}
