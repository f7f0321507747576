import { createOneAtATime, type OneAtATime } from "../contract/one-at-a-time.ts";
import type { Asker, PermissionAnswer, PermissionRequest } from "../contract/verdict.ts";
import { renderPrompt } from "./render/prompt.ts";
import { onceWords } from "./render/redefined.ts";
import { say } from "./render/shown.ts";
import { viewOn } from "./render/wrap.ts";
import type { Output, Question } from "./surface.ts";

/**
 * Asks the person at the terminal. Only a clear word says yes: Enter alone is no, anything else is asked again,
 * and the end of the input is nobody. One question at a time, so that an answer cannot meet the wrong one.
 */
export function askPerson(
  output: Output,
  question: Question,
  beforeAsking: () => void,
  oneAtATime: OneAtATime = createOneAtATime(),
): Asker {
  return (request, signal) =>
    oneAtATime(async () => {
      if (signal.aborted) return "unavailable" as const;
      beforeAsking();
      return readAnswer(request, output, async (text) => {
        const line = await question(text, signal);
        // An interrupt and the end of the input leave the cursor behind the question.
        if (line === undefined) await output.write("\nNot answered: what was asked for did not happen.\n");
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
  const { suggestedRules = [], savesTo } = request.prompt;
  const canRemember = suggestedRules.length > 0;
  const keys = keysOf({
    once: onceWords(request),
    canRemember,
    canSave: canRemember && savesTo !== undefined,
    leftOut,
  });
  const choices = `${view.wrap(say`${keys.map(({ words }) => words).join(" · ")}:`).text} `;
  const answer = { request: request.id, by: "person at the terminal" };
  for (;;) {
    const line = await question(choices);
    if (line === undefined) return "unavailable";
    const typed = line.trim().toLowerCase();
    const key = keys.find((known) => known.key === typed || known.name === typed || (typed === "" && known.usual));
    switch (key?.key) {
      case "y":
        return { ...answer, answer: "allow", remember: "once" };
      case "s":
        return { ...answer, answer: "allow", remember: "session" };
      case "a":
        return { ...answer, answer: "allow", remember: "always" };
      case "n":
        return { ...answer, answer: "deny" };
      case "d": {
        const message = await question("Why not? ");
        if (message === undefined) return "unavailable";
        return { ...answer, answer: "deny", ...(message.trim() === "" ? {} : { message: message.trim() }) };
      }
      case "v":
        await output.write(renderPrompt(request, { ...view, whole: true }).shown.text);
        break;
      default:
        await output.write(`${view.wrap(say`${misunderstood(typed, keys)}`).text}\n`);
    }
  }
}

interface Key {
  readonly key: "y" | "s" | "a" | "n" | "d" | "v";
  /** The whole word, where that is an answer too. */
  readonly name?: string;
  readonly words: string;
  /** What Enter alone stands for. */
  readonly usual?: true;
}

function keysOf(offer: {
  /** How long a plain yes holds. */
  readonly once: string;
  readonly canRemember: boolean;
  readonly canSave: boolean;
  readonly leftOut: number;
}): readonly Key[] {
  return [
    { key: "y", name: "yes", words: `[y]es, ${offer.once}` },
    ...(offer.canRemember ? [{ key: "s", words: "yes for this [s]ession" } as const] : []),
    ...(offer.canSave ? [{ key: "a", words: "yes [a]lways" } as const] : []),
    { key: "n", name: "no", words: "[n]o (Enter)", usual: true },
    ...(offer.leftOut === 0 ? [] : [{ key: "v", words: "[v]iew all of it" } as const]),
    { key: "d", words: "no, and [d] say why" },
  ];
}

function misunderstood(typed: string, keys: readonly Key[]): string {
  const known = `Type one of ${keys.map(({ key }) => key).join(", ")} and Enter.`;
  if (typed === "s") return `This cannot be allowed for the whole session: no rule would cover exactly this. ${known}`;
  if (typed === "a") return `This cannot be allowed for always: no rule for it can be saved. ${known}`;
  return `"${typed.slice(0, 20)}" is not one of the answers. ${known}`;
}
