import { messageOf } from "../base/text.ts";
import type { CheckedIntent } from "../contract/intent.ts";
import type { PermissionPrompt } from "../contract/verdict.ts";
import { shownChange } from "../gate/prompt.ts";
import type { SessionParts } from "./parts.ts";
import { preconditionView } from "./question.ts";

/** Whoever is asked does not wait longer for a diff. */
const patienceMs = 5_000;

/**
 * What the call would change, as it is shown to whoever is asked. It only informs: when it cannot be worked out
 * the question is the same, and says so.
 */
export async function previewChange(
  session: SessionParts,
  { tool, input }: Pick<CheckedIntent, "tool" | "input">,
): Promise<string | undefined> {
  if (tool.preview === undefined) return undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it took longer than ${patienceMs} ms`)), patienceMs);
    });
    // A package is not bound by its types.
    const change: unknown = await Promise.race([tool.preview(input as never, preconditionView(session)), late]);
    if (change === undefined) return undefined;
    if (typeof change !== "string") throw new Error("it gave no text");
    // For a server's tool it is ours: a diff of definitions, which the server has no part in making.
    const isOwn = tool.source === "builtin" || tool.source === "mcp";
    return shownChange(isOwn ? change : `What ${tool.name} says of itself:\n${change}`);
  } catch (error) {
    const why = messageOf(error);
    return shownChange(`No diff: what ${tool.name} would change was not found out: ${why.replace(/\s+/g, " ")}`);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A diff that was agreed to must still be the diff: the file may have been changed and read again meanwhile.
 * A question from the log comes back redacted, so both sides are compared redacted.
 */
export async function changeStands(
  session: SessionParts,
  checked: CheckedIntent,
  { diff }: PermissionPrompt,
): Promise<boolean> {
  const wasShown = diff !== undefined && checked.tool.source === "builtin" && /^@@ /m.test(diff);
  if (!wasShown) return true;
  const now = await previewChange(session, checked);
  return now !== undefined && session.redact(now) === session.redact(diff);
}
