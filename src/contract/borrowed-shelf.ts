import path from "node:path";
import type { App } from "./app.ts";
import { type BorrowedCommand, promptCommands, skillCommands } from "./borrowed-commands.ts";
import type { Door } from "./door.ts";

/** The commands that skills and MCP servers bring to a session. */
export interface BorrowedShelf {
  /** As far as they are known: nothing is started for it. */
  readonly known: readonly BorrowedCommand[];
  /** Looks again, at what is there and at servers that are ready. */
  refresh(): Promise<void>;
  /** The server of a prompt is started where it is not. */
  find(name: string): Promise<BorrowedCommand | undefined>;
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

  async function lookAtPrompts(server: string): Promise<void> {
    const listed = await door.prompts(server, AbortSignal.timeout(patienceMs));
    prompts.set(server, listed.ok ? promptCommands(server, listed.value) : []);
    if (listed.ok) failures.delete(server);
    else failures.set(server, `${listed.failure.message} ${listed.failure.recovery ?? ""}`.trim());
  }

  /** Of the server that it names, in whichever state that is. */
  function serverOf(name: string): string | undefined {
    const named = door.servers().filter((server) => name.startsWith(`mcp__${server.name}__`));
    return named.toSorted((one, other) => other.name.length - one.name.length)[0]?.name;
  }

  const known = () => [...skills, ...[...prompts.values()].flat()];
  const find = (name: string) => known().find((command) => command.name === name);

  return {
    get known() {
      return known();
    },
    async refresh() {
      const ready = door.servers().filter(({ state, prompts: some }) => state === "ready" && some === true);
      await Promise.all([lookAtSkills(), ...ready.map(({ name }) => lookAtPrompts(name))]);
    },
    async find(name) {
      const there = find(name);
      if (there !== undefined) return there;
      const server = serverOf(name);
      await (server === undefined ? lookAtSkills() : lookAtPrompts(server));
      return find(name);
    },
    async whyNot(name) {
      const server = serverOf(name);
      if (server !== undefined) {
        const offered = (prompts.get(server) ?? []).map((command) => `/${command.name}`).join(", ");
        return failures.get(server) ?? `${server} offers ${offered === "" ? "no prompts" : offered}.`;
      }
      if (name.startsWith("mcp__")) return "No MCP server of this session is called like that: /mcp lists them.";
      return unread.find(({ directory }) => path.basename(directory) === name)?.why;
    },
  };
}
