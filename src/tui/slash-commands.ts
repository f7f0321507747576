import { nearest } from "../base/nearest.ts";
import { hasTask } from "../cli/find-session.ts";
import { renderChecks, renderSurvey } from "../cli/render/inventory.ts";
import { say } from "../cli/render/shown.ts";
import { oneLine } from "../cli/render/table.ts";
import { besideMargin, viewOn } from "../cli/render/wrap.ts";
import type { Agent } from "../contract/app/agent.ts";
import type { App } from "../contract/app/app.ts";
import type { BorrowedCommand } from "../contract/app/borrowed-commands.ts";
import type { DoorOptions } from "../contract/app/door.ts";
import type { Outcome } from "../contract/codes.ts";
import { type Mode, modes } from "../contract/verdict.ts";
import {
  contextDetail,
  jobsText,
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
    summary: "list commands and keys",
    async run({ columns, note, borrowed }) {
      note("plain", helpText(columns, await borrowed()));
    },
  },
  {
    name: "model",
    argument: "[provider/id]",
    summary: "show the model, or select another for the next turn",
    choices: (app) => modelsInSettings(app, {}),
    async run({ app, agent, options, note, setModel }, argument) {
      if (argument === "") return note("plain", await modelsText(app, agent, options));
      const set = setModel(argument);
      if (set.ok) note("good", `Using ${argument} from the next turn.`);
      else note("bad", `${set.failure.message} ${set.failure.recovery ?? ""}`.trim());
    },
  },
  {
    name: "mode",
    argument: "[mode]",
    summary: "show or set what runs without asking; Shift+Tab cycles through modes",
    choices: () => modes,
    run({ agent, note, setMode }, argument) {
      if (argument === "") return note("plain", modesText(agent.door.state.mode));
      if (!isMode(argument)) return note("bad", `Unknown mode ${argument}. Use one of: ${modes.join(", ")}.`);
      const set = setMode(argument);
      if (set.ok) note("good", `Mode: ${argument}`);
      else note("bad", set.failure.message);
    },
  },
  {
    name: "tools",
    summary: "list the tools that the model can use",
    run({ agent, columns, note }) {
      note("plain", menuText(agent.door.menu(), columns));
    },
  },
  {
    name: "skills",
    summary: "list skills, and which are trusted",
    async run({ app, columns, note }) {
      const survey = await app.skills.survey();
      if (!survey.ok) return note("bad", survey.failure.message);
      note("plain", renderSurvey(survey.value, viewOn({ colour: false, columns })).text.trimEnd());
    },
  },
  {
    name: "mcp",
    summary: "list MCP servers and their state",
    async run({ app, agent, columns, note }) {
      const listed = await app.servers.list();
      if (!listed.ok) return note("bad", listed.failure.message);
      note("plain", serversText(agent.door.servers(), listed.value, { columns }));
    },
  },
  {
    name: "permissions",
    summary: "list permission rules, including those of this session",
    run({ app, agent, options, note }) {
      const settings = app.settings(options);
      if (!settings.ok) return note("bad", settings.failure.message);
      note("plain", permissionsText(settings.value.rules, agent.door.state.grants));
    },
  },
  {
    name: "sessions",
    summary: "list the latest sessions of this project by number, newest last",
    run: ({ note, list }) => note("plain", list().text),
  },
  {
    name: "new",
    alias: "clear",
    summary: "start a new session; this one is kept (also /clear)",
    run: ({ startNew }) => startNew(),
  },
  {
    name: "resume",
    argument: "[number|id]",
    summary: "resume a session by its number in /sessions or its id; default: the latest",
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
    summary: "copy this session, up to now or up to an event, and continue in the copy",
    async run({ app, agent, note, isBusy, open }, argument) {
      if (isBusy()) return;
      const archive = app.archive();
      if (!archive.ok) return note("bad", archive.failure.message);
      const at = argument === "" ? undefined : Number(argument);
      if (at !== undefined && !Number.isSafeInteger(at)) return note("bad", "Pass an event number: /fork 120");
      const forked = archive.value.fork(agent.sessionId, at);
      if (!forked.ok) return note("bad", forked.failure.message);
      const { session, changedSince } = forked.value;
      note("good", "Forked. Files in the workspace are unchanged.");
      if (changedSince.length > 0) note("warning", `Files changed since that event: ${changedSince.join(", ")}`);
      await open(session);
    },
  },
  {
    name: "jobs",
    argument: "[stop n]",
    summary: "list commands that run in the background by number, or stop one",
    async run({ agent, note }, argument) {
      const jobs = [...agent.door.state.openJobs.values()];
      if (argument === "") return note("plain", jobsText(jobs));
      const [, number = jobs.length === 1 ? "1" : ""] = /^stop(?: (\d+))?$/.exec(argument) ?? [undefined, "0"];
      const job = jobs[Number(number) - 1];
      if (job === undefined) return note("bad", `Pass a number of this list: /jobs stop 1\n${jobsText(jobs)}`);
      const stopped = await agent.door.call({
        tool: "task_stop",
        input: { id: job.jobId },
        origin: { source: "person" },
      });
      if (!stopped.ok) note("bad", stopped.summary);
      else note("good", `Stopped: ${oneLine(job.command)}`);
    },
  },
  {
    name: "undo",
    argument: "[n] [yes]",
    summary: "preview reverting the last n calls; with yes, revert them",
    async run({ app, agent, note, isBusy }, argument) {
      if (isBusy()) return;
      const report = await app.undo({ session: agent.sessionId, ...readUndo(argument) });
      if (report.ok) return note(...undoText(report.value));
      note("bad", `${report.failure.message} ${report.failure.recovery ?? ""}`.trim());
    },
  },
  {
    name: "compact",
    summary: "replace older history with a summary",
    async run({ agent, note }) {
      const done = await agent.compact();
      if (!done.ok) note("bad", done.failure.message);
    },
  },
  {
    name: "cost",
    summary: "show tokens and cost of this session",
    run({ screen, agent, note }) {
      const { usage } = agent.door.state;
      const money =
        usage.unpriced > 0
          ? `at least $${usage.costUsd.toFixed(4)} (no prices for ${usage.unpriced} turns)`
          : `$${usage.costUsd.toFixed(4)}`;
      note(
        "plain",
        `${usage.inputTokens} tokens in (${usage.cacheReadTokens} cached), ${usage.outputTokens} out; ${money}; ${contextDetail(screen.context)}`,
      );
    },
  },
  {
    name: "doctor",
    summary: "check this machine and report problems",
    async run({ app, agent, options, columns, note }) {
      const checks = await sessionChecks(app, agent, options);
      note("plain", renderChecks(checks, viewOn({ colour: false, columns })).text.trimEnd());
    },
  },
  {
    name: "quit",
    alias: "exit",
    summary: "quit; the session can be resumed (also /exit)",
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
  const advice = why ?? (near.length === 0 ? "/help lists all commands." : `Did you mean ${near.join(" or ")}?`);
  return `Unknown command /${name}. ${advice}`;
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
  ["Enter", "send; while a task runs, messages are queued"],
  ["Alt+Enter, \\ Enter", "new line (also Ctrl+J)"],
  ["Up, Down", "prompt history of this project"],
  ["@", "attach a file or a directory"],
  ["Tab", "complete; answer a question that came while you type"],
  ["Esc", "interrupt; queued messages return to the prompt"],
  ["Shift+Tab", "change the mode"],
  ["Ctrl+O", "full output of the last call; again: the previous call"],
  ["Ctrl+L", "clear the window"],
  ["Ctrl+C", "clear the prompt, or interrupt; twice: quit"],
  ["Ctrl+D", "quit, if the prompt is empty"],
  ["Ctrl+A E W U K", "line start, line end; delete word, to line start, to line end"],
  ["y n, arrows, Enter", "answer a question; answers that last longer need Enter; v: full text"],
];
