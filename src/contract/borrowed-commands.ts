import type { MessageOptions } from "./agent.ts";
import { fail, type Outcome, ok } from "./codes.ts";
import type { ServerPrompt } from "./server.ts";
import { plainName } from "./server-tool-name.ts";
import type { ListedSkill, SkillSurvey } from "./skill.ts";
import { visibleText } from "./visible-text.ts";

/** What is sent for a command that somebody else brought. */
export interface Letter {
  readonly message: string;
  readonly calls: NonNullable<MessageOptions["calls"]>;
}

/** A skill, or a prompt of an MCP server, under a name that a person can type. */
export interface BorrowedCommand {
  readonly name: string;
  readonly argument?: string;
  /** Whose it is, and what they say of it. */
  readonly summary: string;
  letter(argument: string): Outcome<Letter>;
}

const longestSummary = 200;

/** Somebody else's words in one line, with whatever they hide made visible. */
function oneLine(text: string, longest: number): string {
  const flat = visibleText(text.replace(/\s*\n\s*/g, " ⏎ "));
  return flat.length > longest ? `${flat.slice(0, longest - 1)}…` : flat;
}

/** Skills by their names; one that is called like a command of ours has a longer one. */
export function skillCommands({ skills }: SkillSurvey, isTaken: (name: string) => boolean): readonly BorrowedCommand[] {
  return skills.map((skill) => {
    const plain = skill.name.replace(/[\s/]+/g, "-");
    return {
      name: isTaken(plain) ? `skill__${plain}` : plain,
      argument: "[words]",
      summary: oneLine(`${whose(skill)}: ${skill.description}`, longestSummary),
      letter: (argument) =>
        ok({
          message: `Follow the skill ${skill.name}${argument === "" ? "." : `: ${argument}`}`,
          calls: [{ tool: "skill", input: { name: skill.name, ...(argument === "" ? {} : { arguments: argument }) } }],
        }),
    };
  });
}

function whose({ origin, trusted }: ListedSkill): string {
  if (origin === "user") return "your skill";
  return trusted ? "skill of this project" : "skill of this project, its scripts may not run";
}

export function promptCommands(server: string, prompts: readonly ServerPrompt[]): readonly BorrowedCommand[] {
  return prompts.map(({ name, title, description, values }) => ({
    name: plainName({ server, tool: name }),
    ...(values.length === 0 ? {} : { argument: values.map(placeholder).join(" ") }),
    summary: oneLine(`prompt of ${server}: ${description ?? title ?? name}`, longestSummary),
    letter(argument) {
      const given = valuesOf(values, argument);
      if (!given.ok) return given;
      return ok({
        message: `Follow the prompt ${name} of the MCP server ${server}.`,
        calls: [{ tool: "mcp_prompts_get", input: { server, name, values: given.value } }],
      });
    },
  }));
}

type Value = ServerPrompt["values"][number];

function placeholder({ name, required }: Value): string {
  return required ? `<${oneLine(name, 30)}>` : `[${oneLine(name, 30)}]`;
}

/** In the order that the server names them; what stands in quotes is one, and the last takes all that is left. */
function valuesOf(wanted: readonly Value[], argument: string): Outcome<Readonly<Record<string, string>>> {
  const words = [...argument.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
  if (words.length > 0 && wanted.length === 0) return fail("bad_request", "This prompt takes no values.");
  const given = words.length <= wanted.length ? words : [...words.slice(0, wanted.length - 1), rest(words, wanted)];
  const missing = wanted.filter(({ required }, index) => required && given[index] === undefined);
  if (missing.length > 0) {
    const names = missing.map(({ name }) => oneLine(name, 30)).join(", ");
    const all = wanted.map(placeholder).join(" ");
    const count = missing.length === 1 ? "1 value" : `${missing.length} values`;
    return fail("bad_request", `${count} missing: ${names}. It takes: ${all}`);
  }
  return ok(Object.fromEntries(given.map((value, index) => [wanted[index]?.name ?? "", value])));
}

function rest(words: readonly string[], wanted: readonly Value[]): string {
  return words.slice(wanted.length - 1).join(" ");
}
