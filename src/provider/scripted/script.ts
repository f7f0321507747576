import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { fieldPath, readJsonText } from "../../base/json.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { finishReasons, providerErrorKinds } from "../../contract/model.ts";

const pattern = lazy(() => z.string().refine(isPattern, "invalid regular expression"));

/** What the input of a turn must contain. If not, the turn ends with `bad_request`, or says `otherwise`. */
const expectation = lazy(() =>
  z.strictObject({
    user: z.exactOptional(z.string()),
    results: z.exactOptional(z.array(z.string())),
    /** A regular expression, flags `m` and `u`, for the last message or the results. */
    matches: z.exactOptional(pattern()),
    tools: z.exactOptional(z.array(z.string())),
  }),
);

const stepForms =
  'expected {"text": "…"}, {"reasoning": "…"}, {"call": "tool", "input": {…}} (or "raw": "…" for input, and "id") ' +
  `or {"error": "${providerErrorKinds.join(" | ")}"} (and "message", "retryAfterMs")`;

const step = lazy(() =>
  z.union(
    [
      z.strictObject({ text: z.string() }),
      z.strictObject({ reasoning: z.string() }),
      z.strictObject({
        call: z.string(),
        input: z.exactOptional(z.record(z.string(), z.unknown())),
        /** The arguments as text instead of `input`; need not be JSON. */
        raw: z.exactOptional(z.string()),
        id: z.exactOptional(z.string()),
      }),
      /** Ends the turn. The next request takes the turn after it. */
      z.strictObject({
        error: z.enum(providerErrorKinds),
        message: z.exactOptional(z.string()),
        retryAfterMs: z.exactOptional(z.number().nonnegative()),
      }),
    ],
    { error: stepForms },
  ),
);

const turn = lazy(() =>
  z.strictObject(
    {
      expect: z.exactOptional(expectation()),
      say: z.array(step()),
      otherwise: z.exactOptional(
        z.array(step()).refine((steps) => steps.every((one) => !("error" in one)), "an error is not allowed here"),
      ),
      finish: z.exactOptional(z.enum(finishReasons)),
    },
    { error: 'expected {"say": […]}, optionally with "expect", "otherwise" and "finish"' },
  ),
);

export const scriptSchema = lazy(() =>
  z.strictObject(
    {
      $schema: z.exactOptional(z.string()),
      turns: z.array(turn()).min(1),
    },
    { error: 'expected {"turns": [{"say": […]}, …]}' },
  ),
);

export type Script = z.infer<ReturnType<typeof scriptSchema>>;
export type ScriptTurn = Script["turns"][number];
export type ScriptStep = ScriptTurn["say"][number];

export function readScript(name: string, read: (name: string) => string | undefined): Outcome<Script> {
  const text = read(name);
  if (text === undefined) {
    return fail("bad_request", `There is no script ${name}.`, {
      recovery: `Name a script file: --model scripted/FILE, or "script" of the provider in your settings.`,
    });
  }
  const json = readJsonText(text);
  if (!json.ok) {
    return fail("bad_request", `The script ${name} is not JSON: line ${json.place.line}, ${json.problem}.`);
  }
  const script = scriptSchema().safeParse(json.value);
  if (script.success) return ok(script.data);
  const problems = script.error.issues.map((issue) => {
    const field = issue.path.reduce<string>(
      (text, key) => fieldPath(text, typeof key === "number" ? key : String(key)),
      "",
    );
    const { line } = json.placeOf(field);
    return `line ${line}, ${field === "" ? "the whole" : field}: ${issue.message}`;
  });
  const told = problems.slice(0, mostProblems);
  const more = problems.length > told.length ? [`and ${problems.length - told.length} more`] : [];
  return fail("bad_request", `The script ${name} is invalid.\n${[...told, ...more].join("\n")}`, {
    recovery: "Correct the file: it lists the turns of the model.",
  });
}

const mostProblems = 5;

function isPattern(text: string): boolean {
  try {
    new RegExp(text, "mu");
    return true;
  } catch {
    return false;
  }
}
