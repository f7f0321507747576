import { nearest } from "../base/nearest.ts";
import { hasTask } from "../cli/find-session.ts";
import { renderChecks, renderSurvey } from "../cli/render/inventory.ts";
import { say } from "../cli/render/shown.ts";
import { besideMargin, viewOn } from "../cli/render/wrap.ts";
import type { Agent } from "../contract/app/agent.ts";
import type { App } from "../contract/app/app.ts";
import type { BorrowedCommand } from "../contract/app/borrowed-commands.ts";
import type { DoorOptions } from "../contract/app/door.ts";
import type { Outcome } from "../contract/codes.ts";
import { type Mode, modes } from "../contract/verdict.ts";
import {
  contextDetail,
  menuText,
  modelsInSettings,
  modelsText,
  modesText,
  permissionsText,
  readUndo,
  serversText,
  sessionChecks,
  undoText,
} from "./command-texts.ts";
import type { NoteTone, Screen } from "./screen.ts";
import { mostListed, type SessionList, sessionsHere } from "./session-list.ts";

interface SlashContext {
  readonly app: App;
  readonly agent: Agent;
  readonly screen: Screen;
  readonly options: DoorOptions;
  readonly columns: number;
  note(tone: NoteTone, text: string): void;
  borrowed(): Promise<readonly BorrowedCommand[]>;
  isBusy(): boolean;
  setMode(mode: Mode): Outcome<void>;
  setModel(wanted: string): Outcome<unknown>;
  list(): SessionList;
  open(session: string): Promise<void>;
  startNew(): Promise<void>;
  quit(): void;
}

export interface SlashCommand {
  readonly name: string;
  readonly alias?: string;
  readonly argument?: string;
  readonly summary: string;
  readonly choices?: (app: App) => readonly string[];
  run(context: SlashContext, argument: string): void | Promise<void>;
}

export const slashCommands: readonly SlashCommand[] = [
  {
    name: "help",
    summary: "these commands and the keys",
    async run({ columns, note, borrowed }) {
      note("plain", helpText(columns, await borrowed()));
    },
  },
  {
    name: "model",
    argument: "[provider/id]",
    summary: "which model, or another one from the next turn on",
    choices: (app) => modelsInSettings(app, {}),
    async run({ app, agent, options, note, setModel }, argument) {
      if (argument === "") return note("plain", await modelsText(app, agent, options));
      const set = setModel(argument);
      if (set.ok) note("good", `${argument} from the next turn on`);
      else note("bad", `${set.failure.message} ${set.failure.recovery ?? ""}`.trim());
    },
  },
  {
    name: "mode",
    argument: "[mode]",
    summary: "how much runs without asking; Shift+Tab goes through the usual ones",
    choices: () => modes,
    run({ agent, note, setMode }, argument) {
      if (argument === "") return note("plain", modesText(agent.door.state.mode));
      if (!isMode(argument)) return note("bad", `There is no mode ${argument}: ${modes.join(", ")}.`);
      const set = setMode(argument);
      if (set.ok) note("good", `mode ${argument}`);
      else note("bad", set.failure.message);
    },
  },
  {
    name: "tools",
    summary: "what the model can propose",
    run({ agent, columns, note }) {
      note("plain", menuText(agent.door.menu(), columns));
    },
  },
  {
    name: "skills",
    summary: "the skills that the model can read, and which are trusted",
    async run({ app, columns, note }) {
      const survey = await app.skills.survey();
      if (!survey.ok) return note("bad", survey.failure.message);
      note("plain", renderSurvey(survey.value, viewOn({ colour: false, columns })).text.trimEnd());
    },
  },
  {
    name: "mcp",
    summary: "the MCP servers of this session, how they are, and which are not in force",
    async run({ app, agent, columns, note }) {
      const listed = await app.servers.list();
      if (!listed.ok) return note("bad", listed.failure.message);
      note("plain", serversText(agent.door.servers(), listed.value, { columns }));
    },
  },
  {
    name: "permissions",
    summary: "the rules in force, and what was agreed to in this session",
    run({ app, agent, options, note }) {
      const settings = app.settings(options);
      if (!settings.ok) return note("bad", settings.failure.message);
      note("plain", permissionsText(settings.value.rules, agent.door.state.grants));
    },
  },
  {
    name: "sessions",
    summary: "the latest sessions of this project, numbered; the latest last",
    run: ({ note, list }) => note("plain", list().text),
  },
  {
    name: "new",
    alias: "clear",
    summary: "a fresh session here; this one stays on record (also /clear)",
    run: ({ startNew }) => startNew(),
  },
  {
    name: "resume",
    argument: "[number|id]",
    summary:
      "go on in an earlier session: its number in /sessions, its id or the beginning of it; else the latest task",
    choices: (app) =>
      sessionsHere(app)
        .filter((session) => hasTask(session) && !session.imported)
        .slice(0, mostListed)
        .map(({ id }) => id),
    run: ({ open }, argument) => open(argument === "" ? "latest" : argument),
  },
  {
    name: "fork",
    argument: "[seq]",
    summary: "a copy of this session up to now, or up to an event, to try something else in",
    async run({ app, agent, note, isBusy, open }, argument) {
      if (isBusy()) return;
      const archive = app.archive();
      if (!archive.ok) return note("bad", archive.failure.message);
      const at = argument === "" ? undefined : Number(argument);
      if (at !== undefined && !Number.isSafeInteger(at)) return note("bad", "Give the number of an event: /fork 120");
      const forked = archive.value.fork(agent.sessionId, at);
      if (!forked.ok) return note("bad", forked.failure.message);
      const { session, changedSince } = forked.value;
      note("good", "Forked. Files in the workspace stay as they are.");
      if (changedSince.length > 0) note("warning", `Changed since then: ${changedSince.join(", ")}`);
      await open(session);
    },
  },
  {
    name: "undo",
    argument: "[n] [yes]",
    summary: "show what undoing the last n calls would do; with yes, do it",
    async run({ app, agent, note, isBusy }, argument) {
      if (isBusy()) return;
      const report = await app.undo({ session: agent.sessionId, ...readUndo(argument) });
      if (report.ok) note(...undoText(report.value));
      else note("bad", report.failure.message);
    },
  },
  {
    name: "compact",
    summary: "show the model older history by its facts",
    async run({ agent, note }) {
      const done = await agent.compact();
      if (!done.ok) note("bad", done.failure.message);
    },
  },
  {
    name: "cost",
    summary: "what it has used so far",
    run({ screen, agent, note }) {
      const { usage } = agent.door.state;
      const money =
        usage.unpriced > 0
          ? `at least $${usage.costUsd.toFixed(4)}, prices unknown for ${usage.unpriced} turns`
          : `$${usage.costUsd.toFixed(4)}`;
      note(
        "plain",
        `${usage.inputTokens} tokens in (${usage.cacheReadTokens} from the cache), ${usage.outputTokens} out; ${money}; ${contextDetail(screen.context)}`,
      );
    },
  },
  {
    name: "doctor",
    summary: "what this machine offers and what is missing",
    async run({ app, agent, options, columns, note }) {
      const checks = await sessionChecks(app, agent, options);
      note("plain", renderChecks(checks, viewOn({ colour: false, columns })).text.trimEnd());
    },
  },
  {
    name: "quit",
    alias: "exit",
    summary: "end the session; it can be resumed (also /exit)",
    run: ({ quit }) => quit(),
  },
];

export function readCommand(
  text: string,
): { readonly command?: SlashCommand; readonly name: string; readonly argument: string } | undefined {
  const found = /^\/([^\s/]*)(?:\s+(.*))?$/s.exec(text.trim());
  if (found === null) return undefined;
  const [, name = "", argument = ""] = found;
  const command = slashCommands.find((one) => one.name === name || one.alias === name) ?? onlyOne(name);
  return { command, name, argument: argument.trim() };
}

export function noCommand(name: string, borrowed: readonly { readonly name: string }[], why?: string): string {
  const names = [
    ...slashCommands.flatMap((one) => [one.name, one.alias ?? []].flat()),
    ...borrowed.map((one) => one.name),
  ];
  const near = nearest(name, names).map((one) => `/${one}`);
  const advice = why ?? (near.length === 0 ? "/help lists them." : `Did you mean ${near.join(" or ")}?`);
  return `There is no command /${name}. ${advice}`;
}

function onlyOne(beginning: string): SlashCommand | undefined {
  const fitting = slashCommands.filter(({ name }) => beginning !== "" && name.startsWith(beginning));
  return fitting.length === 1 ? fitting[0] : undefined;
}

function isMode(text: string): text is Mode {
  return modes.some((mode) => mode === text);
}

const helpMargin = 22;

function helpText(columns: number, borrowed: readonly BorrowedCommand[]): string {
  const row = (name: string, words: string) => {
    const margin = " ".repeat(helpMargin);
    const rows = (first: string) => besideMargin(say`${words}`, { columns, first: say`${first}` });
    return name.length < helpMargin ? rows(name.padEnd(helpMargin)) : [say`${name}`, ...rows(margin)];
  };
  return [
    ...slashCommands.map(({ name, argument = "", summary }) => row(`/${name} ${argument}`, summary)),
    ...(borrowed.length === 0 ? [] : [[say``]]),
    ...borrowed.map(({ name, argument = "", summary }) => row(`/${name} ${argument}`, summary)),
    [say``],
    ...helpKeys.map(([key, words]) => row(key, words)),
  ]
    .flat()
    .map(({ text }) => text)
    .join("\n");
}

const helpKeys: readonly (readonly [string, string])[] = [
  ["Enter", "sends; what you send while it works is sent when it is done"],
  ["Alt+Enter, \\ Enter", "another line (Ctrl+J too)"],
  ["Up, Down", "what was sent before, in earlier sessions here too"],
  ["@", "attaches a file or a directory"],
  ["Tab", "takes what is offered; turns to a question that came while you write"],
  ["Esc", "interrupts; messages that wait come back into the line"],
  ["Shift+Tab", "changes the mode"],
  ["Ctrl+O", "all that the last call printed or changed; again: the one before"],
  ["Ctrl+L", "clears the window"],
  ["Ctrl+C", "clears what you write; else interrupts; twice: quits"],
  ["Ctrl+D", "on an empty line: quits"],
  ["Ctrl+A E W U K", "to the beginning, to the end; cut a word, to the beginning, to the end"],
  ["y n, arrows, Enter", "answer a question; what holds for longer needs Enter; v shows all of it"],
];
