import path from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { looksLikeFile, mentionsIn } from "../../base/text.ts";
import type { Agent, AgentNotice } from "../../contract/app/agent.ts";
import type { App } from "../../contract/app/app.ts";
import type { StreamLine } from "../../contract/app/stream-line.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { RunLimits } from "../../contract/settings.ts";
import { personAt } from "../ask-person.ts";
import { namesNoModel } from "../choose-model.ts";
import { agentOptionsOf, type CommandContext, declareModelFlags, examples, type ModelFlags } from "../flags.ts";
import { block } from "../render/shown.ts";
import { viewOn } from "../render/wrap.ts";
import {
  type ExitCode,
  exitCodeOfEnded,
  exitCodes,
  mistake,
  printJson,
  printNotice,
  printNotices,
  type ReportForm,
} from "../report.ts";
import { showProgress } from "../run/progress.ts";
import { renderReport, runExitCode, whyUnverified } from "../run/report.ts";
import { readBeside, readText } from "../run/standard-input.ts";
import { resultLineOf, streamLineOf } from "../run/stream-line.ts";
import type { Surface } from "../surface.ts";
import { withApp } from "../with-app.ts";

interface RunFlags extends ModelFlags {
  readonly maxTurns?: number;
  readonly maxCost?: number;
  readonly maxTokens?: number;
  readonly maxTime?: number;
  readonly output: "text" | "json" | "stream-json";
  readonly requireVerification?: boolean;
}

export function declare(command: Command, { surface, end }: CommandContext): void {
  declareModelFlags(
    command
      .description(
        "Give a model a task and let it work until it stops. You are not asked: a call that needs approval is refused, and listed at the end with the rules that would allow it.",
      )
      .argument(
        "[task]",
        "the task, with files as @path; by default, or with -, read from standard input. With a task, text on standard input is passed to the model as data",
      )
      .option("--max-turns <n>", "maximum number of model turns", wholeNumber)
      .option("--max-cost <usd>", "maximum cost", positiveNumber)
      .option("--max-tokens <n>", "maximum number of input and output tokens", wholeNumber)
      .option("--max-time <seconds>", "maximum run time", positiveNumber)
      .addOption(
        new Option("--output <form>", "standard output: the answer, one JSON object, or a JSON line for each event")
          .choices(["text", "json", "stream-json"])
          .default("text"),
      )
      .option("--require-verification", "exit with 1 unless checks after the last change confirm the answer"),
  )
    .addHelpText(
      "after",
      examples(
        ["gauntlet run 'why do the tests fail? fix it' --mode acceptEdits --allow 'Bash(npm test)'", "Fix the tests:"],
        ["gauntlet run 'review the last commit' --model anthropic/claude-sonnet-4-5", "Use another model:"],
        ["git diff | gauntlet run 'review this'", "Pass the output of another command as data:"],
        ["gauntlet run - --output json --max-cost 0.50 < task.md", "In a script, with the task from a file:"],
        ["gauntlet run 'now update the docs' --continue", "Continue the last session:"],
      ),
    )
    .action(async (task: string | undefined, flags: RunFlags) => end(await run(surface, task, flags)));
}

async function run(surface: Surface, task: string | undefined, flags: RunFlags): Promise<ExitCode> {
  const form: ReportForm = { json: flags.output === "text" ? false : "versioned" };
  const read = await readTask(surface, task, flags);
  if (!read.ok) return exitCodeOfEnded(surface, read, form);
  const { goal, piped, fromStdin } = read.value;
  return withApp(surface, { ...flags, ...form }, async (app) => {
    const opened = await openAgent(surface, app, flags);
    if (!opened.ok) return opened;
    const { agent, progress } = opened.value;
    if (!fromStdin) await tellLeftOut(surface, app, goal);
    const stopListening = surface.onInterrupt((signal) => void agent.interrupt(signal));
    progress.onClosed(() => void agent.interrupt("The reader of the output left."));
    try {
      if (flags.output === "stream-json") await printJson(surface, startedLine(app, agent));
      const message = { ...limitsOf(flags), readMentions: !fromStdin, piped };
      const report = await agent.send(goal, message).finally(progress.end);
      const exitCode = runExitCode(report, { requireVerification: flags.requireVerification ?? false });
      await progress.settled();
      const unverified = flags.requireVerification && report.stop === "done" ? whyUnverified(report) : undefined;
      const because =
        exitCode === exitCodes.failed && unverified !== undefined ? `not verified: ${unverified}` : undefined;
      if (flags.output !== "text") await printJson(surface, resultLineOf(report, exitCode, because));
      else if (report.answer !== "" && !progress.hasShown(report.answer)) await printAnswer(surface, report.answer);
      const view = viewOn(surface.stderr);
      if (flags.output !== "stream-json") {
        await surface.stderr.write(renderReport(report, view, app.rulesFile).text);
      }
      if (unverified !== undefined) {
        await printNotice(surface, view.line`${view.paint("bad", "not verified:")} ${unverified}`);
      }
      return exitCode;
    } finally {
      stopListening();
      await agent.close();
    }
  });
}

interface Task {
  readonly goal: string;
  readonly piped?: string;
  readonly fromStdin: boolean;
}

async function readTask(surface: Surface, task: string | undefined, { maxTime }: RunFlags): Promise<Outcome<Task>> {
  const fromStdin = task === undefined || task === "-";
  if (fromStdin && surface.question !== undefined) {
    return mistake("no task given", "Pass the task: gauntlet run 'fix the failing tests'");
  }
  const input = await (fromStdin
    ? readText(surface.stdin)
    : readBeside(surface, (notice) => printNotices(surface, [notice]), maxTime));
  if (!input.ok) return input;
  const goal = (fromStdin ? input.value : task).trim();
  if (goal === "") return mistake("the task is empty", "Pass it as one quoted argument, or on standard input.");
  return ok({ goal, piped: fromStdin || input.value.trim() === "" ? undefined : input.value, fromStdin });
}

async function tellLeftOut(surface: Surface, app: App, task: string): Promise<void> {
  const isThere = (name: string) => surface.exists(path.resolve(app.workspace, name));
  for (const names of mentionsIn(task)) {
    const name = names.at(-1) ?? "";
    if (!names.some(isThere) && looksLikeFile(name))
      await printNotices(surface, [`@${name} is not attached: the file does not exist.`]);
  }
}

async function openAgent(surface: Surface, app: App, flags: RunFlags) {
  const options = await agentOptionsOf(flags, surface, app);
  if (!options.ok) return options;
  const settings = app.settings(options.value);
  if (!settings.ok) return settings;
  if (namesNoModel(flags, settings.value, { app, session: options.value.session })) return noModel(app, flags.baseUrl);
  await printNotices(surface, settings.value.notices);
  const answers = flags.output === "text" ? surface.stdout : undefined;
  const progress =
    flags.output === "stream-json" ? streamLines(surface) : { ...showProgress(surface, answers), ...unwatched };
  const { elicit } = personAt(surface.stderr, surface.terminalQuestion, progress.clear);
  const agent = await app.openAgent({ ...options.value, by: "program", elicit, onNotice: progress.notice });
  if (!agent.ok) return agent;
  for (const notice of agent.value.notices) await printNotice(surface, viewOn(surface.stderr).line`${notice}`);
  return ok({ agent: agent.value, progress });
}

/** Programs and files get the exact text. On a terminal, control characters must not take effect. */
async function printAnswer(surface: Surface, answer: string): Promise<void> {
  const text = `${answer.trimEnd()}\n`;
  await surface.stdout.write(surface.stdout.terminal ? block(text).text : text);
}

async function noModel(app: App, baseUrl: string | undefined): Promise<Extract<Outcome<never>, { ok: false }>> {
  const found = await app.findModels(baseUrl);
  if (baseUrl !== undefined) {
    const names = found.map(({ name }) => `--model ${name}`);
    const noNames = `${baseUrl} lists no models. If the address is right, name a model: --model openai-compatible/NAME.`;
    const recovery = names.length === 0 ? noNames : `Available: ${names.join(", ")}.`;
    return mistake("--base-url needs --model.", recovery);
  }
  const names = found.map(({ name, from }) => `--model ${name} (${from})`);
  return mistake(
    "No model is configured.",
    names.length > 0
      ? `Choose one: ${names.join(", ")}.`
      : "Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, start a local server such as Ollama, or pass --model and --base-url. `gauntlet demo` needs no model.",
  );
}

/** Nothing is written to standard output before the end. */
const unwatched = { settled: async () => {}, onClosed: () => {} };

function streamLines(surface: Surface) {
  let last: Promise<void> = Promise.resolve();
  let closed = () => {};
  return {
    notice(notice: AgentNotice): void {
      const line = streamLineOf(notice);
      if (line === undefined) return;
      last = last.then(() => printJson(surface, line));
      last.catch(() => closed());
    },
    clear: () => {},
    end: () => {},
    hasShown: () => false,
    settled: () => last,
    onClosed: (listener: () => void) => {
      closed = listener;
    },
  };
}

function startedLine(app: App, { sessionId, chain, door }: Agent): StreamLine {
  const { ref } = chain.models[0];
  return { v: 1, type: "started", session: sessionId, workspace: app.workspace, mode: door.state.mode, model: ref };
}

function limitsOf({ maxTurns, maxCost, maxTokens, maxTime }: RunFlags): RunLimits {
  return { maxTurns, maxCostUsd: maxCost, maxTokens, maxMs: maxTime && maxTime * 1000 };
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("Expected a whole number above 0.");
  return Number(text);
}

function positiveNumber(text: string): number {
  const number = Number(text);
  if (!(number > 0) || !Number.isFinite(number)) throw new InvalidArgumentError("Expected a number above 0.");
  return number;
}
