import type { ModelMessage, ModelRequest } from "../../contract/model.ts";
import type { ScriptTurn } from "./script.ts";

/** Says in words what was expected and not shown. */
export function checkExpectation(expect: ScriptTurn["expect"], request: ModelRequest): string | undefined {
  if (expect === undefined) return undefined;
  const { messages, tools } = request;
  const missing = (what: string, wanted: string, shown: string) =>
    `expected ${what} ${JSON.stringify(wanted)}, but was shown ${JSON.stringify(shortened(shown))}.`;
  const user = lastOf(messages, "user");
  if (expect.user !== undefined && !user.includes(expect.user)) return missing("the user to say", expect.user, user);
  const results = resultsAtEnd(messages);
  for (const wanted of expect.results ?? []) {
    if (!results.some((text) => text.includes(wanted))) return missing("a result with", wanted, results.join("\n"));
  }
  const shown = lastShown(messages);
  if (expect.matches !== undefined && !new RegExp(expect.matches, "mu").test(shown)) {
    return missing("something that matches", expect.matches, shown);
  }
  for (const wanted of expect.tools ?? []) {
    const offered = tools.map((tool) => tool.name);
    if (!offered.includes(wanted)) return missing("the tool", wanted, offered.join(" "));
  }
  return undefined;
}

/** The last message, in words. */
export function lastShown(messages: readonly ModelMessage[]): string {
  const last = messages.at(-1);
  return last?.role === "tool" ? resultsAtEnd(messages).join("\n") : lastOf(messages, "user");
}

function lastOf(messages: readonly ModelMessage[], role: "user"): string {
  const message = messages.findLast((candidate) => candidate.role === role);
  if (message?.role !== "user") return "";
  return message.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

/** Those that came after what the model said last. */
function resultsAtEnd(messages: readonly ModelMessage[]): string[] {
  const from = messages.findLastIndex((message) => message.role === "assistant");
  return messages
    .slice(from + 1)
    .flatMap((message) => (message.role === "tool" ? message.results : []))
    .map(({ text }) => text);
}

function shortened(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 150)} … ${text.slice(-150)}`;
}
