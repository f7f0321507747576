import { clip } from "../../base/text.ts";
import type { Observation } from "../../contract/observation.ts";

const longestArgument = 60;
const mostArguments = 3;

/** The title of a server's tool says nothing of its input: the first short arguments, as they are on record. */
export function titleWithInput({ title, tool }: Pick<Observation, "title" | "tool">, input: unknown): string {
  // A call of what does not exist has its whole input behind its name.
  if (!tool.startsWith("mcp__") || title.startsWith(tool)) return title;
  const given = typeof input === "object" && input !== null ? Object.entries(input) : [];
  const words = given.map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const short = words.filter((word) => word.length <= longestArgument).slice(0, mostArguments);
  const shown = short.length > 0 ? short : words.slice(0, 1).map((word) => clip(word, longestArgument));
  return [title, ...shown].join(", ");
}

const mostRows = 6;

/** What people are told of a call that came to nothing: a row beside its title, and what stands below. */
export function failureRows(observation: Observation): readonly string[] {
  const { title, summary, user, status, recovery = "" } = observation;
  // What else stands there is what the call would have shown, and no reason.
  const why = flat(user.text).startsWith(flat(summary)) ? user.text : summary;
  // What to do is advice for the model, unless it names a command that a person could type.
  const advice = status === "error" && /`gauntlet |\bgauntlet [a-z]+ /.test(recovery) ? recovery : "";
  const [first = "", ...others] = why === title ? [] : why.trim().split("\n");
  const below = [...new Set([...others, ...advice.split("\n")])].filter((row) => row.trim() !== "");
  // The last one says what to do.
  return [first, ...(below.length > mostRows ? [...below.slice(0, mostRows - 1), below.at(-1) ?? ""] : below)];
}

function flat(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
