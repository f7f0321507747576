import path from "node:path";
import { clip, visibleText } from "../../base/text.ts";
import { fail, type Outcome, ok } from "../codes.ts";
import { plainName, type ServerPrompt } from "../server/server.ts";
import type { MessageOptions } from "./agent.ts";
import type { App } from "./app.ts";
import type { Door } from "./door.ts";
import type { ListedSkill, SkillSurvey } from "./skill.ts";

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

/** The commands that skills and MCP servers bring to a session. */
export interface BorrowedShelf {
  /** As far as they are known: nothing is started for it. */
  readonly known: readonly BorrowedCommand[];
  /** Looks again, at what is there and at servers that are ready. With the signal no server is waited for any more. */
  refresh(signal?: AbortSignal): Promise<void>;
  /** The server of a prompt is started where it is not. */
  find(name: string, signal?: AbortSignal): Promise<BorrowedCommand | undefined>;
  /** Why a name that sounds like one of them cannot be used. */
  whyNot(name: string): Promise<string | undefined>;
}

const patienceMs = 20_000;

export function createBorrowedShelf(
  { skills: desk }: Pick<App, "skills">,
  door: Pick<Door, "servers" | "prompts">,
  { isTaken }: { isTaken(name: string): boolean },
): BorrowedShelf {
  let skills: readonly BorrowedCommand[] = [];
  let unread: readonly { readonly directory: string; readonly why: string }[] = [];
  const prompts = new Map<string, readonly BorrowedCommand[]>();
  const failures = new Map<string, string>();

  async function lookAtSkills(): Promise<void> {
    const survey = await desk.survey();
    skills = survey.ok ? skillCommands(survey.value, isTaken) : [];
    unread = survey.ok ? survey.value.unread : [];
  }

  async function lookAtPrompts(server: string, signal?: AbortSignal): Promise<void> {
    const patience = AbortSignal.timeout(patienceMs);
    const listed = await door.prompts(server, signal === undefined ? patience : AbortSignal.any([patience, signal]));
    // Nobody heard the answer out: nothing is known by it.
    if (signal?.aborted === true) return;
    prompts.set(server, listed.ok ? promptCommands(server, listed.value) : []);
    if (listed.ok) failures.delete(server);
    else failures.set(server, `${listed.failure.message} ${listed.failure.recovery ?? ""}`.trim());
  }

  /** Of the server that it names, in whichever state that is. */
  function serverOf(name: string): string | undefined {
    const named = door.servers().filter((server) => name.startsWith(`mcp__${server.name}__`));
    return named.toSorted((one, other) => other.name.length - one.name.length)[0]?.name;
  }

  /** Prompts of one server may come to the same name: the first has it. */
  function known(): readonly BorrowedCommand[] {
    const byName = new Map<string, BorrowedCommand>();
    for (const command of [...skills, ...[...prompts.values()].flat()]) {
      if (!byName.has(command.name)) byName.set(command.name, command);
    }
    return [...byName.values()];
  }
  const find = (name: string) => known().find((command) => command.name === name);

  return {
    get known() {
      return known();
    },
    async refresh(signal) {
      const ready = door.servers().filter(({ state, prompts: some }) => state === "ready" && some === true);
      await Promise.all([lookAtSkills(), ...ready.map(({ name }) => lookAtPrompts(name, signal))]);
    },
    async find(name, signal) {
      const there = find(name);
      if (there !== undefined) return there;
      const server = serverOf(name);
      await (server === undefined ? lookAtSkills() : lookAtPrompts(server, signal));
      return find(name);
    },
    async whyNot(name) {
      const server = serverOf(name);
      if (server !== undefined) {
        const names = (prompts.get(server) ?? []).map((command) => `/${command.name}`);
        const offered = [...new Set(names)].join(", ");
        return failures.get(server) ?? `${server} offers ${offered === "" ? "no prompts" : offered}.`;
      }
      if (name.startsWith("mcp__")) return "No MCP server of this session is called like that: /mcp lists them.";
      return unread.find(({ directory }) => path.basename(directory) === name)?.why;
    },
  };
}
