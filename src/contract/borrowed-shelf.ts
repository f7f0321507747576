import path from "node:path";
import type { App } from "./app.ts";
import { type BorrowedCommand, promptCommands, skillCommands } from "./borrowed-commands.ts";
import type { Door } from "./door.ts";

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
