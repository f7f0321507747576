import { createOneAtATime } from "../../base/async.ts";
import type { EventDraft } from "../../contract/events/index.ts";
import type { Ids } from "../../contract/ids.ts";
import type { Elicitation, ElicitationAnswer, ElicitedField, Elicitor } from "../../contract/server/server.ts";
import { filledIn } from "../client/elicitation-form.ts";
import { boundedLine, boundedWords } from "../tools/bounded-text.ts";

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
  return async (asked: Omit<Elicitation, "id" | "server">, signal: AbortSignal): Promise<ElicitationAnswer> => {
    if (!parts.mayAsk()) return { action: "decline" };
    if (waiting >= most.waiting) {
      parts.unasked(`The server ${parts.server} had more questions open than anybody answers.`);
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
  asked: Omit<Elicitation, "id" | "server">,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  const question: Elicitation = { id: ids.next("req"), server, ...shown(asked, redact) };
  if (signal.aborted || !record([elicitedEvent(question)])) return { action: "cancel" };
  const wrong = hasMoreThanShown(asked) ? "is longer than anybody reads" : wrongWith(question, redact);
  const answer: ElicitationAnswer =
    wrong === undefined
      ? await askPerson(elicit, question, signal)
      : { action: "decline", reason: `The server ${server} asked for something that ${wrong}.` };
  const { action } = answer;
  if ("reason" in answer && answer.reason !== undefined) unasked(answer.reason);
  const noted = record([{ type: "server.elicitation_answered", data: { elicitation: question.id, action } }]);
  return noted ? withoutReason(answer) : { action: "cancel" };
}

type Redact = ElicitationParts["redact"];

/** A login's link is what it is: it may hold a secret that the person needs. */
function shown(
  { message, ask }: Omit<Elicitation, "id" | "server">,
  redact: Redact,
): Omit<Elicitation, "id" | "server"> {
  const words = boundedWords(redact).words(message, most.message);
  if (ask.mode === "url") return { message: words, ask: { mode: "url", url: plainAddress(ask.url) ?? ask.url } };
  const fields = ask.fields.slice(0, most.fields).map((field) => shownField(field, redact));
  return { message: words, ask: { mode: "form", fields } };
}

function shownField(field: ElicitedField, redact: Redact): ElicitedField {
  const { title, description, choices } = field;
  const { line, words } = boundedWords(redact);
  return {
    ...field,
    ...(title === undefined ? {} : { title: line(title, most.title) }),
    ...(description === undefined ? {} : { description: words(description, most.description) }),
    ...(choices === undefined
      ? {}
      : { choices: choices.map(({ value, title }) => ({ value, title: line(title, most.title) })) }),
  };
}

function hasMoreThanShown({ ask }: Pick<Elicitation, "ask">): boolean {
  if (ask.mode === "url") return false;
  return ask.fields.slice(most.fields).some((field) => field.required && field.default === undefined);
}

function wrongWith({ ask }: Elicitation, redact: Redact): string | undefined {
  if (ask.mode === "url") {
    if (plainAddress(ask.url) === undefined) return "leads to no page";
    return ask.url.length > most.url ? "is longer than anybody reads" : undefined;
  }
  const fixed = ask.fields.flatMap(({ name, choices = [], default: given = [] }) => [
    name,
    ...choices.map(({ value }) => value),
    ...[given].flat().map(String),
  ]);
  if (fixed.join("").length > most.fixed) return "is longer than anybody reads";
  return fixed.some((text) => redact(text) !== text) ? "holds a secret" : undefined;
}

async function askPerson(
  elicit: Elicitor | undefined,
  question: Elicitation,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  if (elicit === undefined) {
    return {
      action: "decline",
      reason: `The server ${question.server} asked something, and nobody can be asked here.`,
    };
  }
  const gone = Promise.withResolvers<ElicitationAnswer>();
  const onAbort = () => gone.resolve({ action: "cancel" });
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return checked(question, await Promise.race([elicit(question, signal), gone.promise]));
  } catch {
    // Whoever should have asked failed: nobody has answered.
    return { action: "cancel" };
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function checked({ server, ask }: Elicitation, answer: ElicitationAnswer): ElicitationAnswer {
  if (answer.action === "accept") {
    if (ask.mode === "url") return { action: "accept", content: {} };
    const filled = filledIn(ask.fields, { ...answer.content });
    if (filled.ok) return { action: "accept", content: filled.value };
    const { field = "", message } = filled.failure;
    const wrong = `${boundedLine(field, most.name)}: ${message}`;
    return {
      action: "cancel",
      reason: `The answer to a question of the server ${server} does not fit its form, and was not sent. ${wrong}`,
    };
  }
  const reason = answer.reason === undefined ? {} : { reason: boundedLine(answer.reason, most.reason) };
  return { action: answer.action === "decline" ? "decline" : "cancel", ...reason };
}

function withoutReason(answer: ElicitationAnswer): ElicitationAnswer {
  return answer.action === "accept" ? answer : { action: answer.action };
}

function elicitedEvent({ id, server, message, ask }: Elicitation): EventDraft {
  const common = { server, elicitation: id, message };
  if (ask.mode === "url") {
    return { type: "server.elicited", data: { ...common, mode: "url", url: withoutQuery(ask.url) } };
  }
  const fields = ask.fields.map(({ name }) => boundedLine(name, most.name));
  return { type: "server.elicited", data: { ...common, mode: "form", fields } };
}

/** Links for one login carry a secret behind the question mark. */
function withoutQuery(url: string): string {
  return boundedLine(url.replace(/[?#].*$/s, ""), most.url);
}

const plainHost = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d+)?$/;

export function plainAddress(text: string): string | undefined {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, username, password, host, pathname, search, hash } = new URL(text);
  // What stands before an `@` reads like the host, and is not.
  if (username !== "" || password !== "" || !plainHost.test(host)) return undefined;
  const fragment = hash === "" ? "" : `#${spelled(hash.slice(1))}`;
  const address = `${protocol}//${host}${spelled(pathname)}${search === "" ? "" : `?${spelled(search.slice(1))}`}${fragment}`;
  return URL.canParse(address) && new URL(address).href === address ? address : undefined;
}

function spelled(part: string): string {
  return part.replace(/%(?![\da-f]{2})|[^\w\-.~!$&'()*+,;=:@/?%]/gi, encodeURIComponent);
}
