import { createOneAtATime, type OneAtATime } from "../base/async.ts";
import type { DoorOptions } from "../contract/app/door.ts";
import type { Asker, ListedChange, PermissionAnswer, PermissionRequest, Remember } from "../contract/verdict.ts";
import { elicitPerson } from "./elicit-person.ts";
import { onceWords, renderPrompt } from "./render/prompt.ts";
import { say } from "./render/shown.ts";
import { viewOn } from "./render/wrap.ts";
import type { Output, Question } from "./surface.ts";

/** Only an explicit answer approves: Enter means no, anything unclear is asked again, the end of input is no answer. */
function askPerson(output: Output, question: Question, beforeAsking: () => void, oneAtATime: OneAtATime): Asker {
  return (request, signal) =>
    oneAtATime(async () => {
      if (signal.aborted) return "unavailable" as const;
      beforeAsking();
      return readAnswer(request, output, async (text) => {
        const line = await question(text, signal);
        // After an interrupt or the end of input, the cursor is still on the line of the question.
        if (line === undefined) await output.write("\nNot answered: the call was not run.\n");
        return line;
      });
    }).catch(() => "unavailable" as const);
}

async function readAnswer(
  request: PermissionRequest,
  output: Output,
  question: (text: string) => Promise<string | undefined>,
): Promise<PermissionAnswer | "unavailable"> {
  const view = viewOn(output);
  const { shown, leftOut } = renderPrompt(request, { ...view, whole: false });
  await output.write(shown.text);
  const keys = keysOf(request, leftOut);
  const choices = `${view.wrap(say`${keys.map(({ words }) => words).join(" · ")}:`).text} `;
  const answer = { request: request.id, by: "person at the terminal" };
  for (;;) {
    const line = await question(choices);
    if (line === undefined) return "unavailable";
    const typed = line.trim().toLowerCase();
    const key = keys.find(
      ({ key, names, usual }) => key === typed || names?.includes(typed) || (typed === "" && usual),
    );
    switch (key?.does) {
      case "once":
      case "session":
      case "always":
        return { ...answer, answer: "allow", remember: key.does };
      case "deny":
        return { ...answer, answer: "deny" };
      case "tell": {
        const message = await question("Reason (optional, sent to the model): ");
        if (message === undefined) return "unavailable";
        return { ...answer, answer: "deny", message: message.trim() || undefined };
      }
      case "show":
        await output.write(renderPrompt(request, { ...view, whole: true }).shown.text);
        break;
      case "select": {
        const only = await selectChanges(request.prompt.changes ?? [], output, question);
        if (only === undefined) return "unavailable";
        if (only.length > 0) return { ...answer, answer: "allow", remember: "once", only };
        break;
      }
      default:
        await output.write(`${view.wrap(say`${misunderstood(typed, keys)}`).text}\n`);
    }
  }
}

async function selectChanges(
  changes: readonly ListedChange[],
  output: Output,
  question: (text: string) => Promise<string | undefined>,
): Promise<readonly string[] | undefined> {
  const { fold } = viewOn(output);
  const width = String(changes.length).length;
  for (const [at, { line }] of changes.entries())
    await output.write(`${fold(say`  ${String(at + 1).padStart(width)}  ${line}`).text}\n`);
  for (;;) {
    const line = await question(`Which to keep, such as 1 3-5 (Enter: back): `);
    if (line === undefined) return undefined;
    const chosen = numbersIn(line, changes.length);
    if (chosen !== undefined) return changes.filter((_, at) => chosen.has(at + 1)).map(({ path }) => path);
    await output.write(`Enter numbers from 1 to ${changes.length}.\n`);
  }
}

function numbersIn(text: string, most: number): ReadonlySet<number> | undefined {
  const numbers = new Set<number>();
  for (const word of text.split(/[\s,]+/).filter((one) => one !== "")) {
    const [, from = "", to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(word) ?? [];
    if (from === "" || Number(from) < 1 || Number(to) > most || Number(from) > Number(to)) return undefined;
    for (let one = Number(from); one <= Number(to); one++) numbers.add(one);
  }
  return numbers;
}

interface Key {
  readonly key: string;
  readonly does: Remember | "deny" | "tell" | "show" | "select";
  readonly names?: readonly string[];
  readonly words: string;
  readonly usual?: true;
}

function keysOf(request: PermissionRequest, leftOut: number): readonly Key[] {
  const { suggestedRules = [], opens, savesTo, changes, diff } = request.prompt;
  const canRemember = suggestedRules.length > 0;
  const canSave = canRemember && savesTo !== undefined;
  if (changes !== undefined) return changeKeys(changes, { canRemember, canSave, hasDiff: diff !== undefined });
  return [
    opens
      ? { key: "y", does: "session", names: ["yes", "s"], words: "[y]es, for this session" }
      : { key: "y", does: "once", names: ["yes"], words: `[y]es, ${onceWords(request)}` },
    ...(canRemember && !opens ? [{ key: "s", does: "session", words: "yes, for this [s]ession" } as const] : []),
    ...(canSave ? [{ key: "a", does: "always", words: "yes, [a]lways" } as const] : []),
    { key: "n", does: "deny", names: ["no"], words: "[n]o (Enter)", usual: true },
    ...(leftOut === 0 ? [] : [{ key: "v", does: "show", words: "[v]iew all" } as const]),
    { key: "d", does: "tell", words: "no, with a reason [d]" },
  ];
}

function changeKeys(
  { length }: readonly ListedChange[],
  { canRemember, canSave, hasDiff }: Readonly<Record<"canRemember" | "canSave" | "hasDiff", boolean>>,
): readonly Key[] {
  return [
    { key: "a", does: "once", names: ["all", "y", "yes"], words: length === 1 ? "[a]pply it" : "[a]ll" },
    ...(length === 1 ? [] : [{ key: "s", does: "select", names: ["select"], words: "[s]elect" } as const]),
    hasDiff
      ? { key: "d", does: "show", names: ["diff", "v"], words: "[d]iff" }
      : { key: "v", does: "show", words: "[v]iew all" },
    {
      key: "n",
      does: "deny",
      names: ["no", "nothing"],
      words: length === 1 ? "[n]o (Enter)" : "[n]one (Enter)",
      usual: true,
    },
    ...(canRemember ? [{ key: "r", does: "session", words: "all, [r]emember for this session" } as const] : []),
    ...(canSave ? [{ key: "w", does: "always", words: "all, [w]rite the rule to your settings" } as const] : []),
    { key: "t", does: "tell", words: "no, with a reason [t]" },
  ];
}

function misunderstood(typed: string, keys: readonly Key[]): string {
  const known = `Enter one of ${keys.map(({ key }) => key).join(", ")}.`;
  if (typed === "s") return `This cannot be allowed for the session: no rule covers exactly this. ${known}`;
  if (typed === "a") return `This cannot be allowed permanently: no rule can be saved for it. ${known}`;
  return `"${typed.slice(0, 20)}" is not a valid answer. ${known}`;
}

export function personAt(
  output: Output,
  question: Question | undefined,
  beforeAsking: () => void,
): Pick<DoorOptions, "ask" | "elicit"> {
  if (question === undefined) return {};
  // One question at a time: an answer must not reach the wrong question.
  const oneAtATime = createOneAtATime();
  return {
    ask: askPerson(output, question, beforeAsking, oneAtATime),
    elicit: elicitPerson(output, question, beforeAsking, oneAtATime),
  };
}
