import type { MessageOptions } from "./agent.ts";
import { clip } from "./clip.ts";
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

/** The tool behind every command of a server. It is there for people, and for no model. */
export const promptTool = "mcp_prompts_get";

const longestSummary = 200;
/** So much of a text is looked at to make a line of it. */
const longestRead = 2_000;

/** Somebody else's words in one line, with whatever they hide made visible. */
function oneLine(text: string, longest: number): string {
  return clip(visibleText(text.slice(0, longestRead).replace(/\s*\n\s*/g, " ⏎ ")), longest);
}

/** Skills by their names; one whose name somebody else has is called by a longer one. */
export function skillCommands({ skills }: SkillSurvey, isTaken: (name: string) => boolean): readonly BorrowedCommand[] {
  const names = typedNames(skills, isTaken);
  return skills.map((skill) => ({
    name: names.get(skill) ?? skill.name,
    argument: "[words]",
    summary: oneLine(`${whose(skill)}: ${skill.description}`, longestSummary),
    letter: (argument) =>
      ok({
        message: `Follow the skill ${skill.name}${argument === "" ? "." : `: ${argument}`}`,
        calls: [{ tool: "skill", input: { name: skill.name, ...(argument === "" ? {} : { arguments: argument }) } }],
      }),
  }));
}

/** Of prompts, whose servers may start later, and of skills that have a longer name. */
const kept = /^(?:mcp|skill)__/;

/** No two are the same. The person's own choose first, and then those that are typed as they are called. */
function typedNames(skills: readonly ListedSkill[], isTaken: (name: string) => boolean) {
  const names = new Map<ListedSkill, string>();
  const used = new Set<string>();
  const plain = ({ name }: ListedSkill) => name.replace(/[\s/]+/g, "-");
  const turn = (skill: ListedSkill) => (skill.origin === "user" ? 0 : 2) + (plain(skill) === skill.name ? 0 : 1);
  for (const skill of skills.toSorted((one, other) => turn(one) - turn(other))) {
    const wanted = plain(skill);
    const isFree = !kept.test(wanted) && !isTaken(wanted) && !used.has(wanted);
    let name = isFree ? wanted : `skill__${wanted}`;
    for (let count = 2; used.has(name); count += 1) name = `skill__${wanted}-${count}`;
    used.add(name);
    names.set(skill, name);
  }
  return names;
}

function whose({ origin, trusted, scripts }: ListedSkill): string {
  if (origin === "user") return "your skill";
  return trusted || scripts.length === 0 ? "skill of this project" : "skill of this project, its scripts may not run";
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
        calls: [{ tool: promptTool, input: { server, name, values: given.value } }],
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
