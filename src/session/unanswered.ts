import { z } from "zod";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { digestOf } from "../contract/digest.ts";
import { risk } from "../contract/effect.ts";
import type { Clock } from "../contract/ids.ts";
import { lazy } from "../contract/lazy.ts";
import { permissionAnswer } from "../contract/permission-answer.ts";
import type { Unanswered } from "../contract/unanswered.ts";
import type { PermissionAnswer, PermissionRequest } from "../contract/verdict.ts";

/** A small text of the person's own, changed all or nothing. */
export interface PrivateText {
  read(): Outcome<string | undefined>;
  update(change: (before: string | undefined) => Outcome<string>): Outcome<void>;
}

/** Older ones have to be asked anew. */
const mostKept = 50;

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
      suggestedRule: z.exactOptional(z.string()),
      suggestedRules: z.exactOptional(z.array(z.string())),
      savesTo: z.exactOptional(z.string()),
      diff: z.exactOptional(z.string()),
    }),
    requestedAt: z.string(),
    expiresAt: z.string(),
  }),
);
const entry = lazy(() =>
  z.object({
    /** Of everything that was asked. */
    question: z.string(),
    request: request(),
    client: z.exactOptional(z.string()),
    answer: z.exactOptional(permissionAnswer()),
  }),
);
const entries = lazy(() => z.array(entry()));
type Entry = z.infer<ReturnType<typeof entry>>;
type Taken = { readonly answer: PermissionAnswer } | { readonly waitsAs: string };

/** The longest question that is kept: its text would not be read by anybody. */
const longest = 16 * 1024;

export function createUnanswered(text: PrivateText, clock: Clock): Unanswered {
  const fresh = (kept: Entry) => Date.parse(kept.request.expiresAt) > clock.now();

  function parse(before: string | undefined): Outcome<readonly Entry[]> {
    if (before === undefined) return ok([]);
    try {
      return ok(entries().parse(JSON.parse(before)).filter(fresh));
    } catch {
      return fail("tool_failed", "The questions that wait for a person cannot be read.", {
        recovery: "Remove the file questions.json beside the project's settings.",
      });
    }
  }

  /** `change` gives what is kept from now on, and what came of it. */
  function update<Result>(
    change: (kept: readonly Entry[]) => Outcome<{ readonly kept: readonly Entry[]; readonly result: Result }>,
  ): Outcome<Result> {
    let outcome: Outcome<Result> = fail("tool_failed", "The questions that wait for a person were not read.");
    const written = text.update((before) => {
      const known = parse(before);
      const changed = known.ok ? change(known.value) : known;
      if (!changed.ok) return changed;
      outcome = ok(changed.value.result);
      return ok(`${JSON.stringify(changed.value.kept.slice(-mostKept))}\n`);
    });
    return written.ok ? outcome : written;
  }

  return {
    list() {
      const before = text.read();
      const kept = before.ok ? parse(before.value) : before;
      if (!kept.ok) return kept;
      const open = kept.value.filter(({ answer }) => answer === undefined);
      return ok(open.map(({ request, client }) => ({ ...request, ...(client === undefined ? {} : { client }) })));
    },
    take(asked, client) {
      const question = questionOf(asked);
      return update<Taken>((kept) => {
        const known = kept.find((one) => one.question === question);
        if (known?.answer !== undefined) {
          const given = { ...known.answer, request: asked.id };
          return ok({ kept: kept.filter((one) => one !== known), result: { answer: given } });
        }
        // The first one's name stays good: it may be on its way to somebody.
        if (known !== undefined) return ok({ kept, result: { waitsAs: known.request.id } });
        const added = request().safeParse(asked);
        if (!added.success || JSON.stringify(added.data).length > longest) {
          return fail("budget_exceeded", "The question is too long to be kept for a person.");
        }
        const waits = { question, request: added.data, ...(client === undefined ? {} : { client }) };
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
        const answered = kept.map((one) => (one === known ? { ...one, answer: given } : one));
        return ok({ kept: answered, result: known.request });
      });
    },
  };
}

/** Agreement covers what was shown: another effect, another diff or another command is another question. */
function questionOf({ digest, tool, cwd = "", prompt }: PermissionRequest): string {
  return digestOf([digest, tool, cwd, prompt]);
}
