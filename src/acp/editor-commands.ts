import type { AvailableCommand } from "@agentclientprotocol/sdk";
import type { App } from "../contract/app/app.ts";
import type { BorrowedCommand, Letter } from "../contract/app/borrowed-commands.ts";
import { createBorrowedShelf } from "../contract/app/borrowed-commands.ts";
import type { Door } from "../contract/app/door.ts";
import { fail, type Outcome } from "../contract/codes.ts";

/** What is said to us and not to the model. */
export interface OwnCommand {
  readonly name: string;
  readonly description: string;
  /** Gives the words that the person gets. */
  run(): Promise<string>;
}

/** What a text that begins with a slash stands for. */
export type Meant = { readonly own: OwnCommand } | { readonly letter: Outcome<Letter> };

/** The words behind a slash: ours, the skills that are there and the prompts of servers, as the terminal has them. */
export interface EditorCommands {
  /** Those that are known now, where they are others than the last time. Nothing is started for it. */
  news(): Promise<readonly AvailableCommand[] | undefined>;
  /** Nothing for a text that is a message. A word that nobody knows is answered with those that somebody does. */
  read(text: string, signal: AbortSignal): Promise<Meant | undefined>;
}

/** A path is no word: it has another slash. */
const slashed = /^\/([^\s/]+)(?:\s+(.*))?$/s;

export function createEditorCommands(
  app: Pick<App, "skills">,
  door: Pick<Door, "servers" | "prompts">,
  own: readonly OwnCommand[],
): EditorCommands {
  const shelf = createBorrowedShelf(app, door, { isTaken: (name) => own.some((command) => command.name === name) });
  let told = "";

  return {
    async news() {
      await shelf.refresh();
      const all = [...own.map(({ name, description }) => ({ name, description })), ...shelf.known.map(available)];
      const text = JSON.stringify(all);
      if (text === told) return undefined;
      told = text;
      return all;
    },
    async read(text, signal) {
      const [, name, argument = ""] = slashed.exec(text.trim()) ?? [];
      if (name === undefined) return undefined;
      const ours = own.find((command) => command.name === name);
      if (ours !== undefined) return { own: ours };
      const borrowed = await shelf.find(name, signal);
      if (borrowed !== undefined) return { letter: borrowed.letter(argument.trim()) };
      return { letter: fail("bad_request", await unknownWords(name, signal)) };
    },
  };

  async function unknownWords(name: string, signal: AbortSignal): Promise<string> {
    const why = await shelf.whyNot(name);
    await shelf.refresh(signal);
    const known = [...own, ...shelf.known].map((command) => `/${command.name}`);
    return `There is no command /${name}.${why === undefined ? "" : ` ${why}`} There are: ${known.join(", ")}. What is meant for the model must not begin with a slash.`;
  }
}

function available({ name, summary, argument }: BorrowedCommand): AvailableCommand {
  return { name, description: summary, ...(argument === undefined ? {} : { input: { hint: argument } }) };
}
