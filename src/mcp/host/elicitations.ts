import { createOneAtATime, untilOver } from "../../base/async.ts";
import { visibleText } from "../../base/text.ts";
import type { EventDraft } from "../../contract/events/index.ts";
import type { Ids } from "../../contract/ids.ts";
import type { Elicitation, ElicitationAnswer, ElicitedField, Elicitor } from "../../contract/server/server.ts";
import { filledIn } from "../client/elicitation-form.ts";
import { boundedLine, boundedWords } from "../tools/bounded-text.ts";

type ServerQuestion = Omit<Elicitation, "id" | "server">;

export interface ElicitationParts {
  readonly server: string;
  readonly elicit: Elicitor | undefined;
  readonly mayAsk: () => boolean;
  readonly ids: Ids;
  readonly record: (drafts: readonly EventDraft[]) => boolean;
  readonly redact: (text: string) => string;
  readonly unasked: (reason: string) => void;
}

const most = {
  message: 2_000,
  title: 200,
  description: 1_000,
  fields: 32,
  waiting: 4,
  url: 2_000,
  fixed: 64 * 1024,
  reason: 300,
  name: 80,
};

export function createElicitations(parts: ElicitationParts) {
  const oneAtATime = createOneAtATime();
  let waiting = 0;
  return async (asked: ServerQuestion, signal: AbortSignal): Promise<ElicitationAnswer> => {
    if (!parts.mayAsk()) return { action: "decline" };
    if (waiting >= most.waiting) {
      parts.unasked(`The server ${parts.server} asked too many questions at once.`);
      return { action: "decline" };
    }
    waiting += 1;
    try {
      return await oneAtATime(() => askOnce(parts, asked, signal));
    } finally {
      waiting -= 1;
    }
  };
}

async function askOnce(
  { server, elicit, ids, record, redact, unasked }: ElicitationParts,
  asked: ServerQuestion,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  const question: Elicitation = { id: ids.next("req"), server, ...shown(asked, redact) };
  if (signal.aborted || !record([elicitedEvent(question)])) return { action: "cancel" };
  const wrong = wrongWith(asked, question, redact);
  const answer: ElicitationAnswer =
    wrong === undefined
      ? await askPerson(elicit, question, signal)
      : { action: "decline", reason: `A question of the server ${server} was declined: it ${wrong}.` };
  const { action } = answer;
  if ("reason" in answer && answer.reason !== undefined) unasked(answer.reason);
  const noted = record([{ type: "server.elicitation_answered", data: { elicitation: question.id, action } }]);
  return !noted ? { action: "cancel" } : answer.action === "accept" ? answer : { action: answer.action };
}

type Redact = ElicitationParts["redact"];

/** A link is not redacted: a login link may hold a secret that the user needs. */
function shown({ message, ask }: ServerQuestion, redact: Redact): ServerQuestion {
  const { line, words } = boundedWords(redact);
  const shownMessage = words(message, most.message);
  if (ask.mode === "url") return { message: shownMessage, ask: { mode: "url", url: plainAddress(ask.url) ?? ask.url } };
  const fields = ask.fields.slice(0, most.fields).map(
    (field): ElicitedField => ({
      ...field,
      title: field.title && line(field.title, most.title),
      description: field.description && words(field.description, most.description),
      choices: field.choices?.map(({ value, title }) => ({ value, title: line(title, most.title) })),
    }),
  );
  return { message: shownMessage, ask: { mode: "form", fields } };
}

function wrongWith(asked: ServerQuestion, { ask }: Elicitation, redact: Redact): string | undefined {
  const tooLong = "is too long";
  if (ask.mode === "url") {
    if (plainAddress(ask.url) === undefined) return "has an invalid address";
    return ask.url.length > most.url ? tooLong : undefined;
  }
  const unshown = asked.ask.mode === "form" ? asked.ask.fields.slice(most.fields) : [];
  if (unshown.some((field) => field.required && field.default === undefined)) return tooLong;
  const fixed = ask.fields.flatMap(({ name, choices = [], default: given = [] }) => [
    name,
    ...choices.map(({ value }) => value),
    ...[given].flat().map(String),
  ]);
  if (fixed.join("").length > most.fixed) return tooLong;
  if (fixed.some((text) => visibleText(text) !== text)) return "contains invisible characters";
  return fixed.some((text) => redact(text) !== text) ? "contains a secret" : undefined;
}

async function askPerson(
  elicit: Elicitor | undefined,
  question: Elicitation,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  if (elicit === undefined) {
    const reason = `A question of the server ${question.server} was declined: no user can be asked.`;
    return { action: "decline", reason };
  }
  try {
    const answer = await untilOver(elicit(question, signal), signal);
    return answer === undefined ? { action: "cancel" } : checked(question, answer);
  } catch {
    return { action: "cancel" };
  }
}

function checked({ server, ask }: Elicitation, answer: ElicitationAnswer): ElicitationAnswer {
  if (answer.action === "accept") {
    if (ask.mode === "url") return { action: "accept", content: {} };
    const filled = filledIn(ask.fields, { ...answer.content });
    if (filled.ok) return { action: "accept", content: filled.value };
    const { field = "", message } = filled.failure;
    const why = `is invalid and was not sent. ${boundedLine(field, most.name)}: ${message}`;
    return { action: "cancel", reason: `The answer to a question of the server ${server} ${why}` };
  }
  const reason = answer.reason && boundedLine(answer.reason, most.reason);
  return { action: answer.action === "decline" ? "decline" : "cancel", reason };
}

function elicitedEvent({ id, server, message, ask }: Elicitation): EventDraft {
  const common = { server, elicitation: id, message };
  if (ask.mode === "url") {
    // A login link has its secret after the question mark.
    const url = boundedLine(ask.url.replace(/[?#].*$/s, ""), most.url);
    return { type: "server.elicited", data: { ...common, mode: "url", url } };
  }
  const fields = ask.fields.map(({ name }) => boundedLine(name, most.name));
  return { type: "server.elicited", data: { ...common, mode: "form", fields } };
}

const plainHost = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d+)?$/;

export function plainAddress(text: string): string | undefined {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, username, password, host, pathname, search, hash } = new URL(text);
  // Text before an `@` looks like the host, but is not.
  if (username !== "" || password !== "" || !plainHost.test(host)) return undefined;
  const fragment = hash === "" ? "" : `#${spelled(hash.slice(1))}`;
  const address = `${protocol}//${host}${spelled(pathname)}${search === "" ? "" : `?${spelled(search.slice(1))}`}${fragment}`;
  return URL.canParse(address) && new URL(address).href === address ? address : undefined;
}

function spelled(part: string): string {
  return part.replace(/%(?![\da-f]{2})|[^\w\-.~!$&'()*+,;=:@/?%]/gi, encodeURIComponent);
}
