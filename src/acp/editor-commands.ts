import type { AvailableCommand } from "@agentclientprotocol/sdk";
import { visibleText } from "../base/text.ts";
import type { App } from "../contract/app/app.ts";
import { type BorrowedCommand, createBorrowedShelf, type Letter } from "../contract/app/borrowed-commands.ts";
import type { Door } from "../contract/app/door.ts";
import type { ListedSkill, SkillSurvey } from "../contract/app/skill.ts";
import { fail, type Outcome } from "../contract/codes.ts";

interface OwnCommand {
  readonly name: string;
  readonly description: string;
  run(): Promise<string>;
}

type Meant = { readonly own: OwnCommand } | { readonly letter: Outcome<Letter> };

const slashed = /^\/([^\s/]+)(?:\s+(.*))?$/s;

export function createEditorCommands(
  app: Pick<App, "skills">,
  door: Pick<Door, "servers" | "prompts">,
  own: readonly OwnCommand[],
) {
  const shelf = createBorrowedShelf(app, door, { isTaken: (name) => own.some((command) => command.name === name) });
  let told = "";

  return {
    /** All commands, if they changed since the last time. */
    async changed(): Promise<readonly AvailableCommand[] | undefined> {
      await shelf.refresh();
      const all = [...own.map(({ name, description }) => ({ name, description })), ...shelf.known.map(available)];
      const text = JSON.stringify(all);
      if (text === told) return undefined;
      told = text;
      return all;
    },
    async read(text: string, signal: AbortSignal): Promise<Meant | undefined> {
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
    return `Unknown command /${name}.${why === undefined ? "" : ` ${why}`} Available: ${known.join(", ")}. A message for the model must not start with a slash.`;
  }
}

function available({ name, summary, argument }: BorrowedCommand): AvailableCommand {
  return { name, description: summary, ...(argument !== undefined && { input: { hint: argument } }) };
}

export function skillsText({ skills, unread }: SkillSurvey): string {
  if (skills.length + unread.length === 0) return "No skills found.";
  return [
    ...skills.map(skillLine),
    ...unread.map(({ directory, why }) => inLine(`- not read: ${directory} (${why})`)),
  ].join("\n");
}

function skillLine({ name, description, origin, trusted, allowedTools, scripts }: ListedSkill): string {
  const untrusted = scripts.length === 0 ? "the project's" : "the project's, not trusted (`gauntlet trust`)";
  const facts = [
    origin === "user" ? "yours" : trusted ? "the project's, trusted" : untrusted,
    ...(allowedTools === undefined ? [] : [`restricts tools to: ${allowedTools.join(", ") || "none"}`]),
    ...(scripts.length === 0 ? [] : [`scripts: ${scripts.join(", ")}`]),
  ];
  return inLine(`- ${name}: ${description} (${facts.join("; ")})`);
}

function inLine(text: string): string {
  return visibleText(text).replace(/\r?\n/g, "\\n");
}
