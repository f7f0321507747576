import { createOneAtATime, type OneAtATime } from "../base/async.ts";
import { type FieldValue, isOfFormat, outOfBounds } from "../contract/server/elicitation.ts";
import type { Elicitation, ElicitationAnswer, ElicitedField, Elicitor } from "../contract/server/server.ts";
import { below, labeller, lines, type Shown, say } from "./render/shown.ts";
import { type View, viewOn } from "./render/wrap.ts";
import type { Output, Question } from "./surface.ts";

type AskLine = (text: string) => Promise<string | undefined>;
type Answered = { readonly field: ElicitedField; readonly value: FieldValue };

const cancelled: ElicitationAnswer = { action: "cancel" };

/** Nothing is sent to the server before an explicit yes, and all of it is shown first. The end of input cancels. */
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
  const choice = await choose(output, ask, "[y]es, open it · [n]o, decline (Enter) · [c]ancel:");
  if (choice === undefined) return cancelled;
  return choice === "y" ? { action: "accept", content: {} } : { action: choice === "n" ? "decline" : "cancel" };
}

async function askForm(
  { server }: Elicitation,
  fields: readonly ElicitedField[],
  output: Output,
  ask: AskLine,
): Promise<ElicitationAnswer> {
  const begin = await choose(output, ask, "[y]es, answer · [n]o, decline (Enter) · [c]ancel:");
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
      wrap(say`${paint("quiet", place)} ${paint("strong", nameOf(field))}${required ? "" : " (optional)"}`),
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
    await output.write("Enter y, n or c.\n");
  }
}

type ReadField = { readonly ok: true; readonly value?: FieldValue } | { readonly ok: false; readonly why: string };

export function readField(field: ElicitedField, typed: string): ReadField {
  const text = field.kind === "text" ? typed : typed.trim();
  if (text.trim() === "") {
    if (field.default !== undefined) return { ok: true, value: field.default };
    return field.required ? { ok: false, why: "A value is required." } : { ok: true };
  }
  const read = readTyped(field, text);
  const problem = read.ok && read.value !== undefined ? outOfBounds(field, read.value) : undefined;
  return problem === undefined ? read : { ok: false, why: problem };
}

function readTyped(field: ElicitedField, text: string): ReadField {
  switch (field.kind) {
    case "text":
      return isOfFormat(field.format, text.trim())
        ? { ok: true, value: text }
        : { ok: false, why: `Enter ${formatWords[field.format ?? "uri"]}.` };
    case "number":
    case "integer": {
      const value = Number(text);
      if (!Number.isFinite(value)) return { ok: false, why: "Enter a number." };
      if (field.kind === "integer" && !Number.isSafeInteger(value)) return { ok: false, why: "Enter a whole number." };
      return { ok: true, value };
    }
    case "boolean":
      if (/^(?:y|yes|true)$/i.test(text)) return { ok: true, value: true };
      if (/^(?:n|no|false)$/i.test(text)) return { ok: true, value: false };
      return { ok: false, why: "Enter y or n." };
    case "choice":
      return chosen(field, text);
    case "choices": {
      const all = text.split(",").map((one) => chosen(field, one.trim()));
      const wrong = all.find((one) => !one.ok);
      if (wrong !== undefined) return wrong;
      const values = all.flatMap((one) => (one.ok && typeof one.value === "string" ? [one.value] : []));
      return { ok: true, value: [...new Set(values)] };
    }
  }
}

const formatWords = {
  email: "an address such as ann@example.com",
  uri: "an address such as https://example.com",
  date: "a date such as 2026-01-31",
  "date-time": "a time such as 2026-01-31T12:00:00Z",
} as const;

function chosen({ choices = [] }: ElicitedField, text: string): ReadField {
  const byNumber = /^\d{1,4}$/.test(text) ? choices[Number(text) - 1] : undefined;
  const found = byNumber ?? choices.find(({ value, title }) => value === text || title === text);
  if (found !== undefined) return { ok: true, value: found.value };
  return { ok: false, why: `Choose one of 1 to ${choices.length}.` };
}

export function valueText(field: ElicitedField, value: FieldValue): string {
  const titleOf = (one: string) => field.choices?.find((choice) => choice.value === one)?.title ?? one;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? titleOf(value) : value.map(titleOf).join(", ");
}

export const kindWords = {
  text: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "y or n",
  choice: "one of these",
  choices: "some of these, separated by commas",
} as const satisfies Record<ElicitedField["kind"], string>;

export function renderQuestion({ server, message, ask }: Elicitation, { paint, wrap, fold }: View): Shown {
  const label = labeller(paint);
  const title =
    ask.mode === "form"
      ? `MCP server ${server} asks for information.`
      : `MCP server ${server} asks you to open a page.`;
  return lines([
    say``,
    say`${paint("warning", "?")} ${paint("strong", title)}`,
    ...below(label("it says"), message).map(wrap),
    ...(ask.mode === "form"
      ? [wrap(say`${label("note")}your answer is sent to this server: no passwords, no keys`)]
      : [
          wrap(say`${label("host")}${paint("strong", hostOf(ask.url))}${isOpen(ask.url) ? ", not encrypted" : ""}`),
          fold(say`${label("address")}${ask.url}`),
        ]),
  ]);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "unknown";
}

function isOpen(url: string): boolean {
  return !url.startsWith("https:");
}
