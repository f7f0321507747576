import { z } from "zod";
import { lazy } from "../base/async.ts";
import { digestOf } from "../base/digest.ts";
import type { Unanswered } from "../contract/app/policy.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { risk } from "../contract/effect.ts";
import type { Clock } from "../contract/ids.ts";
import type { PermissionAnswer, PermissionRequest } from "../contract/verdict.ts";
import { permissionAnswer } from "../contract/verdict.ts";

/** A small text of the person's own, changed all or nothing. */
export interface PrivateText {
  read(): Outcome<string | undefined>;
  /** What is there and is not sound is put aside first, as if there were nothing. */
  update(change: (before: string | undefined) => Outcome<string>, isSound: (text: string) => boolean): Outcome<void>;
}

/** Older ones have to be asked anew. As a whole they stay shorter than what is read again. */
const mostKept = { entries: 50, bytes: 768 * 1024 };

const request = lazy(() =>
  z.object({
    id: z.string(),
    cwd: z.exactOptional(z.string()),
    intentId: z.string(),
    tool: z.string(),
    digest: z.string(),
    prompt: z.object({
      title: z.string(),
      call: z.exactOptional(z.string()),
      about: z.exactOptional(z.string()),
      action: z.string(),
      effects: z.array(z.string()),
      risk: risk(),
      reason: z.string(),
      sandbox: z.string(),
      outputLimit: z.string(),
      intentReason: z.exactOptional(z.string()),
      parts: z.exactOptional(z.array(z.string())),
      suggestedRules: z.exactOptional(z.array(z.string())),
      opens: z.exactOptional(z.literal(true)),
      savesTo: z.exactOptional(z.string()),
      diff: z.exactOptional(z.string()),
      ended: z.exactOptional(z.string()),
    }),
    requestedAt: z.string(),
    expiresAt: z.string(),
  }),
);
const entry = lazy(() =>
  z.object({
    /** Of everything that was asked. */
    question: z.string(),
    session: z.string(),
    request: request(),
    client: z.exactOptional(z.string()),
    answer: z.exactOptional(permissionAnswer()),
  }),
);
const entries = lazy(() => z.array(entry()));
type Entry = z.infer<ReturnType<typeof entry>>;
type Taken = { readonly answer: PermissionAnswer } | { readonly waitsAs: string };

/** The longest question or answer that is kept, in bytes: nobody would read its text. */
const longest = 16 * 1024;

export function createUnanswered(text: PrivateText, clock: Clock): Unanswered {
  const fresh = (kept: Entry) => Date.parse(kept.request.expiresAt) > clock.now();

  /** `undefined` for what is no list of ours. */
  function parse(before: string | undefined): readonly Entry[] | undefined {
    if (before === undefined) return [];
    try {
      return entries().parse(JSON.parse(before)).filter(fresh);
    } catch {
      return undefined;
    }
  }

  const isSound = (before: string) => parse(before) !== undefined;

  /** `change` gives what is kept from now on, and what came of it. */
  function update<Result>(
    change: (kept: readonly Entry[]) => Outcome<{ readonly kept: readonly Entry[]; readonly result: Result }>,
  ): Outcome<Result> {
    let outcome: Outcome<Result> = fail("tool_failed", "The questions that wait for a person were not read.");
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
      const open = known.value.filter(({ answer }) => answer === undefined);
      return ok(open.map(({ request, client }) => ({ ...request, ...(client === undefined ? {} : { client }) })));
    },
    take(asked, { session, client, redact }) {
      const question = questionOf(asked);
      return update<Taken>((kept) => {
        const same = kept.filter((one) => one.question === question);
        const own = same.find((one) => one.session === session && one.answer === undefined);
        const answered = same.find(({ answer, session: asker }) => isFor(answer, { asker, session }));
        if (answered?.answer !== undefined) {
          const given = { ...answered.answer, request: asked.id };
          return ok({ kept: kept.filter((one) => one !== answered && one !== own), result: { answer: given } });
        }
        // The first one's name stays good: it may be on its way to somebody.
        if (own !== undefined) return ok({ kept, result: { waitsAs: own.request.id } });
        const added = request().safeParse({ ...asked, prompt: redact(asked.prompt) });
        if (!added.success || bytesOf(added.data) > longest) {
          return fail("budget_exceeded", "The question is too long to be kept for a person.");
        }
        const waits = { question, session, request: added.data, ...(client === undefined ? {} : { client }) };
        return ok({ kept: [...kept, waits], result: { waitsAs: asked.id } });
      });
    },
    answer(given) {
      return update((kept) => {
        const known = kept.find((one) => one.request.id === given.request && one.answer === undefined);
        if (known === undefined) {
          return fail("bad_request", `No question ${given.request} waits: it was answered, ran out or never was.`, {
            recovery: "`gauntlet mcp answer` alone lists those that wait.",
          });
        }
        if (bytesOf(given) > longest) return fail("budget_exceeded", "The answer is too long to be kept.");
        const answered = kept.map((one) => (one === known ? { ...one, answer: given } : one));
        return ok({ kept: answered, result: known.request });
      });
    },
  };
}

/** A plain yes or no is for whoever asks exactly this next; one for a session is for that which asked. */
function isFor(
  answer: PermissionAnswer | undefined,
  { asker, session }: { readonly asker: string; readonly session: string },
): boolean {
  return answer !== undefined && (answer.remember !== "session" || asker === session);
}

/** As many as fit. What a person has answered goes last, and the newest question is why there are too many. */
function fitting(kept: readonly Entry[]): readonly Entry[] {
  const newest = kept.at(-1);
  const isWaiting = (one: Entry) => one.answer === undefined && one !== newest;
  const inTheWay = [...kept.filter(isWaiting), ...kept.filter((one) => !isWaiting(one) && one !== newest)];
  let bytes = bytesOf(kept);
  let count = kept.length;
  const dropped = new Set<Entry>();
  for (const one of inTheWay) {
    if (count <= mostKept.entries && bytes <= mostKept.bytes) break;
    dropped.add(one);
    count -= 1;
    bytes -= bytesOf(one) + 1;
  }
  return kept.filter((one) => !dropped.has(one));
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Agreement covers the call as it is, secrets included. What it printed, such as a duration, makes no other question. */
function questionOf({ digest, tool, cwd = "", prompt: { ended: _, ...prompt } }: PermissionRequest): string {
  return digestOf([digest, tool, cwd, prompt]);
}
