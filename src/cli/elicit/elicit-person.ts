import { createOneAtATime, type OneAtATime } from "../../base/async.ts";
import type { FieldValue } from "../../contract/server/elicitation.ts";
import type { Elicitation, ElicitationAnswer, ElicitedField, Elicitor } from "../../contract/server/server.ts";
import { lines, say } from "../render/shown.ts";
import { viewOn } from "../render/wrap.ts";
import type { Output, Question } from "../surface.ts";
import { kindWords, readField, valueText } from "./field-value.ts";
import { renderQuestion } from "./render-question.ts";

type AskLine = (text: string) => Promise<string | undefined>;
type Answered = { readonly field: ElicitedField; readonly value: FieldValue };

const cancelled: ElicitationAnswer = { action: "cancel" };

/**
 * Puts a server's question to the person at the terminal. Nothing goes to the server before a clear yes, and all
 * of it is shown before that. The end of the input cancels.
 */
export function elicitPerson(
  output: Output,
  question: Question,
  beforeAsking: () => void,
  oneAtATime: OneAtATime = createOneAtATime(),
): Elicitor {
  return (asked, signal) =>
    oneAtATime(async () => {
      if (signal.aborted) return cancelled;
      beforeAsking();
      await output.write(renderQuestion(asked, viewOn(output)).text);
      const ask: AskLine = async (text) => {
        const line = await question(text, signal);
        if (line === undefined) await output.write("\nNot answered: nothing was sent to the server.\n");
        return line;
      };
      return asked.ask.mode === "form" ? askForm(asked, asked.ask.fields, output, ask) : askPage(output, ask);
    }).catch(() => cancelled);
}

async function askPage(output: Output, ask: AskLine): Promise<ElicitationAnswer> {
  const choice = await choose(output, ask, "[y]es, I open it · [n]o, decline (Enter) · [c]ancel:");
  if (choice === undefined) return cancelled;
  return choice === "y" ? { action: "accept", content: {} } : { action: choice === "n" ? "decline" : "cancel" };
}

async function askForm(
  { server }: Elicitation,
  fields: readonly ElicitedField[],
  output: Output,
  ask: AskLine,
): Promise<ElicitationAnswer> {
  const begin = await choose(output, ask, "[y] answer it · [n]o, decline (Enter) · [c]ancel:");
  if (begin === undefined || begin === "c") return cancelled;
  if (begin === "n") return { action: "decline" };
  const answered: Answered[] = [];
  for (const [index, field] of fields.entries()) {
    const value = await askField(field, `${index + 1}/${fields.length}`, output, ask);
    if (value === "gone") return cancelled;
    if (value !== undefined) answered.push({ field, value });
  }
  const { paint, wrap } = viewOn(output);
  await output.write(
    lines(
      answered.map(({ field, value }) => wrap(say`  ${nameOf(field)}: ${paint("accent", valueText(field, value))}`)),
    ).text,
  );
  const send = await choose(output, ask, `Send this to ${server}? [y]es · [n]o, decline (Enter) · [c]ancel:`);
  if (send === undefined || send === "c") return cancelled;
  if (send === "n") return { action: "decline" };
  return { action: "accept", content: Object.fromEntries(answered.map(({ field, value }) => [field.name, value])) };
}

async function askField(
  field: ElicitedField,
  place: string,
  output: Output,
  ask: AskLine,
): Promise<FieldValue | undefined | "gone"> {
  const { paint, wrap } = viewOn(output);
  const { description, choices = [], required } = field;
  await output.write(
    lines([
      wrap(say`${paint("quiet", place)} ${paint("strong", nameOf(field))}${required ? "" : " (may stay empty)"}`),
      ...(description === undefined ? [] : [wrap(say`  ${description}`)]),
      ...choices.map(({ title }, index) => wrap(say`  ${index + 1}  ${title}`)),
    ]).text,
  );
  const usual = field.default === undefined ? "" : `, Enter for ${valueText(field, field.default)}`;
  const prompt = `${wrap(say`${kindWords[field.kind]}${usual}:`).text} `;
  for (;;) {
    const line = await ask(prompt);
    if (line === undefined) return "gone";
    const read = readField(field, line);
    if (read.ok) return read.value;
    await output.write(`${read.why}\n`);
  }
}

/** The server's title, else its name for it. */
function nameOf({ name, title }: ElicitedField): string {
  return title ?? name;
}

async function choose(output: Output, ask: AskLine, words: string): Promise<"y" | "n" | "c" | undefined> {
  const prompt = `${viewOn(output).wrap(say`${words}`).text} `;
  for (;;) {
    const line = await ask(prompt);
    if (line === undefined) return undefined;
    const typed = line.trim().toLowerCase();
    if (typed === "y" || typed === "yes") return "y";
    if (typed === "" || typed === "n" || typed === "no") return "n";
    if (typed === "c" || typed === "cancel") return "c";
    await output.write("Type one of y, n, c and Enter.\n");
  }
}
