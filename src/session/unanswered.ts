import { z } from "zod";
import { lazy } from "../base/async.ts";
import { digestOf } from "../base/digest.ts";
import type { Unanswered } from "../contract/app/policy.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { risk } from "../contract/effect.ts";
import type { Clock } from "../contract/ids.ts";
import { type PermissionAnswer, type PermissionRequest, permissionAnswer } from "../contract/verdict.ts";

/** A small text file of the user, replaced atomically. */
export interface PrivateText {
  read(): Outcome<string | undefined>;
  /** An invalid text is moved aside first and treated as empty. */
  update(change: (before: string | undefined) => Outcome<string>, isSound: (text: string) => boolean): Outcome<void>;
}

const mostKept = { entries: 50, bytes: 768 * 1024 };
/** The longest question or answer in bytes. */
const longest = 16 * 1024;

const request = lazy(() => {
  const text = z.string();
  const maybe = z.optional(text);
  const texts = z.array(text);
  const prompt = z.object({
    ...{ title: text, call: maybe, about: maybe, action: text, effects: texts, risk: risk(), reason: text },
    ...{ sandbox: text, outputLimit: text, intentReason: maybe, parts: z.optional(texts), savesTo: maybe },
    ...{ suggestedRules: z.optional(texts), opens: z.optional(z.literal(true)), diff: maybe, ended: maybe },
  });
  const about = { id: text, intentId: text, tool: text, digest: text, cwd: maybe };
  return z.object({ ...about, prompt, requestedAt: text, expiresAt: text });
});
const entry = lazy(() =>
  z.object({
    question: z.string(),
    session: z.string(),
    request: request(),
    client: z.optional(z.string()),
    answer: z.optional(permissionAnswer()),
  }),
);
type KeptQuestion = z.infer<ReturnType<typeof entry>>;
type Taken = { readonly answer: PermissionAnswer } | { readonly waitsAs: string };

export function createUnanswered(text: PrivateText, clock: Clock): Unanswered {
  function parse(before = "[]"): readonly KeptQuestion[] | undefined {
    try {
      const kept = z.array(entry()).parse(JSON.parse(before));
      return kept.filter((one) => Date.parse(one.request.expiresAt) > clock.now());
    } catch {
      return undefined;
    }
  }

  const isSound = (before: string) => parse(before) !== undefined;

  type Changed<Result> = { readonly kept: readonly KeptQuestion[]; readonly result: Result };

  function update<Result>(change: (kept: readonly KeptQuestion[]) => Outcome<Changed<Result>>): Outcome<Result> {
    let outcome: Outcome<Result> = fail("tool_failed", "The pending questions could not be read.");
    const written = text.update((before) => {
      const changed = change(parse(before) ?? []);
      if (!changed.ok) return changed;
      outcome = ok(changed.value.result);
      return ok(`${JSON.stringify(fitting(changed.value.kept))}\n`);
    }, isSound);
    return written.ok ? outcome : written;
  }

  return {
    list() {
      const before = text.read();
      const read = before.ok ? parse(before.value) : undefined;
      const known = read === undefined ? update((kept) => ok({ kept, result: kept })) : ok(read);
      if (!known.ok) return known;
      return ok(known.value.flatMap(({ answer, request, client }) => (answer ? [] : { ...request, client })));
    },
    take(asked, { session, client, redact }) {
      const question = questionOf(asked);
      return update<Taken>((kept) => {
        const same = kept.filter((one) => one.question === question);
        const own = same.find((one) => one.session === session && one.answer === undefined);
        // An answer for one call goes to the next identical question; an answer for a session only to that session.
        const isFor = ({ answer, session: asker }: KeptQuestion) =>
          answer && (answer.remember !== "session" || asker === session);
        const answered = same.find(isFor);
        if (answered?.answer !== undefined) {
          const answer = { ...answered.answer, request: asked.id };
          return ok({ kept: kept.filter((one) => one !== answered && one !== own), result: { answer } });
        }
        // The first id stays valid: the user may have seen it already.
        if (own !== undefined) return ok({ kept, result: { waitsAs: own.request.id } });
        const added = request().safeParse({ ...asked, prompt: redact(asked.prompt) });
        if (!added.success || bytesOf(added.data) > longest) {
          return fail("budget_exceeded", "The question is too long to be stored.");
        }
        const waits = { question, session, request: added.data, ...(client !== undefined && { client }) };
        return ok({ kept: [...kept, waits], result: { waitsAs: asked.id } });
      });
    },
    answer(given) {
      return update((kept) => {
        const known = kept.find((one) => one.request.id === given.request && one.answer === undefined);
        if (known === undefined) {
          return fail(
            "bad_request",
            `No pending question ${given.request}: it was answered, it expired, or it never existed.`,
            {
              recovery: "Run `gauntlet mcp answer` without arguments to list the pending questions.",
            },
          );
        }
        if (bytesOf(given) > longest) return fail("budget_exceeded", "The answer is too long to be stored.");
        const answered = kept.map((one) => (one === known ? { ...one, answer: given } : one));
        return ok({ kept: answered, result: known.request });
      });
    },
  };
}

/** Drops the oldest questions first, then answered ones, and never the newest. */
function fitting(kept: readonly KeptQuestion[]): readonly KeptQuestion[] {
  const list = [...kept];
  while (list.length > 1 && (list.length > mostKept.entries || bytesOf(list) > mostKept.bytes)) {
    const oldest = list.slice(0, -1).findIndex(({ answer }) => answer === undefined);
    list.splice(Math.max(0, oldest), 1);
  }
  return list;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Covers the whole call, secrets included. Output such as a duration does not make it another question. */
function questionOf({ digest, tool, cwd = "", prompt: { ended: _, ...prompt } }: PermissionRequest): string {
  return digestOf([digest, tool, cwd, prompt]);
}
