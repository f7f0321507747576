import type { Asker, PermissionAnswer, PermissionRequest } from "../contract/verdict.ts";
import { renderPrompt } from "./render/prompt.ts";
import { painter } from "./render/shown.ts";
import type { Surface } from "./surface.ts";

/**
 * Asks the person at the terminal. Only a clear word counts: anything else is asked again, and the end of
 * the input is nobody. One question at a time, so that an answer cannot meet the wrong one.
 */
export function askPerson(surface: Surface, beforeAsking: () => void): Asker | undefined {
  const { question } = surface;
  if (question === undefined) return undefined;
  let turn: Promise<unknown> = Promise.resolve();
  return (request, signal) => {
    const asked = turn.then(async () => {
      if (signal.aborted) return "unavailable" as const;
      beforeAsking();
      await surface.stderr.write(renderPrompt(request, painter(surface.stderr)).text);
      return readAnswer(request, (text) => question(text, signal));
    });
    const answered = asked.catch(() => "unavailable" as const);
    turn = answered;
    return answered;
  };
}

async function readAnswer(
  request: PermissionRequest,
  question: (text: string) => Promise<string | undefined>,
): Promise<PermissionAnswer | "unavailable"> {
  const canRemember = request.prompt.suggestedRule !== undefined;
  const choices = canRemember
    ? "[y]es, once · yes for this [s]ession · [n]o · no, and [d] say why: "
    : "[y]es, once · [n]o · no, and [d] say why: ";
  const answer = { request: request.id, by: "person at the terminal" };
  for (;;) {
    const line = await question(choices);
    if (line === undefined) return "unavailable";
    switch (line.trim().toLowerCase()) {
      case "y":
      case "yes":
        return { ...answer, answer: "allow", remember: "once" };
      case "n":
      case "no":
        return { ...answer, answer: "deny" };
      case "s":
        if (canRemember) return { ...answer, answer: "allow", remember: "session" };
        break;
      case "d": {
        const message = await question("Why not? ");
        if (message === undefined) return "unavailable";
        return { ...answer, answer: "deny", ...(message.trim() === "" ? {} : { message: message.trim() }) };
      }
    }
  }
}
