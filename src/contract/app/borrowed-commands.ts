import path from "node:path";
import { clip, visibleText } from "../../base/text.ts";
import { fail, type Outcome, ok } from "../codes.ts";
import { plainName, type ServerPrompt } from "../server/server.ts";
import type { MessageOptions } from "./agent.ts";
import type { App } from "./app.ts";
import type { Door } from "./door.ts";
import type { ListedSkill, SkillSurvey } from "./skill.ts";

export interface Letter {
  readonly message: string;
  readonly calls: NonNullable<MessageOptions["calls"]>;
}

/** A skill, or a prompt of an MCP server, as a slash command. */
export interface BorrowedCommand {
  readonly name: string;
  readonly argument?: string;
  readonly summary: string;
  letter(argument: string): Outcome<Letter>;
}

/** Only for users, not offered to a model. */
export const promptTool = "mcp_prompts_get";

const longestSummary = 200;
const longestRead = 2_000;

function oneLine(text: string, longest: number): string {
  return clip(visibleText(text.slice(0, longestRead).replace(/\s*\n\s*/g, " ⏎ ")), longest);
}

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

/** Reserved for prompts, whose servers may start later, and for skills with a longer name. */
const kept = /^(?:mcp|skill)__/;

/** Unique. The user's own skills have precedence. */
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
  return trusted || scripts.length === 0 ? "skill of this project" : "skill of this project, scripts not trusted";
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

/** In the order of the server. Quoted text is one value; the last value takes the rest. */
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

export interface BorrowedShelf {
  readonly known: readonly BorrowedCommand[];
  /** Starts no server. */
  refresh(signal?: AbortSignal): Promise<void>;
  /** Starts the server of a prompt if needed. */
  find(name: string, signal?: AbortSignal): Promise<BorrowedCommand | undefined>;
  /** Why the name cannot be used. */
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
    // An aborted request says nothing about the server.
    if (signal?.aborted === true) return;
    prompts.set(server, listed.ok ? promptCommands(server, listed.value) : []);
    if (listed.ok) failures.delete(server);
    else failures.set(server, `${listed.failure.message} ${listed.failure.recovery ?? ""}`.trim());
  }

  function serverOf(name: string): string | undefined {
    const named = door.servers().filter((server) => name.startsWith(`mcp__${server.name}__`));
    return named.toSorted((one, other) => other.name.length - one.name.length)[0]?.name;
  }

  /** Two prompts of a server may have the same name: the first one wins. */
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
      if (name.startsWith("mcp__")) return "No MCP server of this session has this name. /mcp lists the servers.";
      return unread.find(({ directory }) => path.basename(directory) === name)?.why;
    },
  };
}
