import { canonicalJson } from "../../base/digest.ts";
import type { HookAnswer } from "../../contract/verdict.ts";
import { type HookReply, strength } from "./hook-reply.ts";

export interface NamedReply {
  readonly label: string;
  readonly reply: HookReply;
}

export function mergeReplies(replies: readonly NamedReply[]): HookAnswer {
  const remarks = replies.flatMap(({ label, reply }) =>
    reply.context === undefined ? [] : [{ hook: label, text: reply.context }],
  );
  const stop = replies.find(({ reply }) => reply.stop !== undefined)?.reply.stop;
  const beside = {
    ...(remarks.length === 0 ? {} : { remarks }),
    ...(stop === undefined ? {} : { stop }),
  };
  const decision = strongest(replies);
  if (decision === "deny") {
    const no = replies.filter(({ reply }) => reply.decision === "deny");
    const failed = no.every(({ reply }) => isFailure(reply)) ? { failed: no.map(({ label }) => label) } : {};
    return { decision: "deny", reason: reasonsFor("deny", replies), ...failed, ...beside };
  }
  if (stop !== undefined) return { decision: "deny", reason: `a hook stops the run: ${stop}`, ...beside };

  const changes = replies.flatMap(({ label, reply }) =>
    reply.input === undefined ? [] : [{ hook: label, input: reply.input }],
  );
  const [revision, ...others] = changes;
  if (revision !== undefined) {
    const wanted = canonicalJson(revision.input);
    const other = others.find(({ input }) => canonicalJson(input) !== wanted);
    if (other !== undefined) {
      const reason = `the hooks ${revision.hook} and ${other.hook} want different inputs`;
      return { decision: "deny", reason, ...beside };
    }
  }
  const revised = revision === undefined ? beside : { ...beside, revision };
  if (decision === undefined) return { decision: "none", ...revised };
  const reason = reasonsFor(decision, replies);
  return decision === "allow"
    ? { decision: "allow", reason, ...revised }
    : // To leave it to a person and to ask one is the same to the gate.
      { decision: "ask", reason, ...revised };
}

function isFailure({ exit }: HookReply): boolean {
  return exit === "failed" || exit === "timeout";
}

function strongest(replies: readonly NamedReply[]): (typeof strength)[number] | undefined {
  return strength.findLast((decision) => replies.some(({ reply }) => reply.decision === decision));
}

function reasonsFor(decision: (typeof strength)[number], replies: readonly NamedReply[]): string {
  return replies
    .filter(({ reply }) => reply.decision === decision)
    .map(({ label, reply }) =>
      isFailure(reply)
        ? `the hook "${label}" failed: ${reply.reason ?? "it gave no reason"}`
        : `${reply.reason ?? "it gave no reason"} (hook ${label})`,
    )
    .join("; ");
}
