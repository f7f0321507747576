import path from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { looksLikeFile, mentionsIn } from "../../base/text.ts";
import type { Agent, AgentNotice } from "../../contract/app/agent.ts";
import type { App } from "../../contract/app/app.ts";
import type { StreamLine } from "../../contract/app/stream-line.ts";
import type { Failure } from "../../contract/codes.ts";
import type { FoundModel } from "../../contract/model.ts";
import type { RunLimits } from "../../contract/settings.ts";
import { personAt } from "../ask-person.ts";
import { namesNoModel } from "../choose-model.ts";
import { agentOptionsOf, type CommandContext, declareModelFlags, examples, type ModelFlags } from "../flags.ts";
import { block, say } from "../render/shown.ts";
import { viewOn } from "../render/wrap.ts";
import {
  type ExitCode,
  exitCodes,
  printJson,
  printNotice,
  type ReportForm,
  reportFailure,
  reportUsage,
} from "../report.ts";
import { showProgress } from "../run/progress.ts";
import { renderReport, runExitCode, whyUnverified } from "../run/report.ts";
import { readBeside, readText } from "../run/standard-input.ts";
import { resultLineOf, streamLineOf } from "../run/stream-line.ts";
import type { Surface } from "../surface.ts";
import { tellNotices, withApp } from "../with-app.ts";

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
        "Give a model a task and let it work until it stops. Nobody is asked: what needs an agreement that no rule gives is refused, and listed at the end with the rules that would allow it.",
      )
      .argument(
        "[task]",
        "what is to be done, with files as @path; read from standard input when absent or -. Beside a task, text on standard input is given to the model as data",
      )
      .option("--max-turns <n>", "stop after so many answers of the model", wholeNumber)
      .option("--max-cost <usd>", "stop when it has cost this much", positiveNumber)
      .option("--max-tokens <n>", "stop when so many tokens went in and out", wholeNumber)
      .option("--max-time <seconds>", "stop after this long", positiveNumber)
      .addOption(
        new Option(
          "--output <form>",
          "what standard output gets: the answer, one JSON object, or a JSON line for everything that happens",
        )
          .choices(["text", "json", "stream-json"])
          .default("text"),
      )
      .option("--require-verification", "end with 1 unless checks that ran after the last change bear the answer out"),
  )
    .addHelpText(
      "after",
      examples(
        ["gauntlet run 'why do the tests fail? fix it' --mode acceptEdits --allow 'Bash(npm test)'", "Let it work:"],
        ["gauntlet run 'review the last commit' --model anthropic/claude-sonnet-4-5", "With a certain model:"],
        ["git diff | gauntlet run 'review this'", "With what another command prints, as data:"],
        ["gauntlet run - --output json --max-cost 0.50 < task.md", "In a script, with the task from a file:"],
        ["gauntlet run 'now update the docs' --continue", "Go on where it stopped:"],
      ),
    )
    .action(async (task: string | undefined, flags: RunFlags) => end(await run(surface, task, flags)));
}

async function run(surface: Surface, task: string | undefined, flags: RunFlags): Promise<ExitCode> {
  const json = reportForm(flags);
  const fromStdin = task === undefined || task === "-";
  if (fromStdin && surface.question !== undefined) {
    const message = "there is no task";
    return reportUsage(
      surface,
      { message, hint: "Say what is to be done: gauntlet run 'fix the failing tests'" },
      json,
    );
  }
  const input = await (fromStdin
    ? readText(surface.stdin)
    : readBeside(surface, (notice) => tellNotice(surface, notice), flags.maxTime));
  if (!input.ok) {
    const { message, recovery: hint = "" } = input.failure;
    return reportUsage(surface, { message, hint }, json);
  }
  const goal = (fromStdin ? input.value : task).trim();
  const piped = fromStdin || input.value.trim() === "" ? "" : input.value;
  if (goal === "") {
    const hint = "Pass it as one quoted argument, or on standard input.";
    return reportUsage(surface, { message: "the task is empty", hint }, json);
  }
  return withApp(surface, { ...flags, ...json }, async (app) => {
    const opened = await openAgent(surface, app, flags);
    if (opened.code !== undefined) return opened.code;
    const { agent, progress } = opened;
    if (!fromStdin) await tellLeftOut(surface, app, goal);
    const stopListening = surface.onInterrupt((signal) => void agent.interrupt(signal));
    // Nobody learns what it does any more.
    progress.onClosed(() => void agent.interrupt("The reader of the output left."));
    try {
      if (flags.output === "stream-json") await printJson(surface, startedLine(app, agent));
      const message = { ...limitsOf(flags), readMentions: !fromStdin, ...(piped === "" ? {} : { piped }) };
      const report = await agent.send(goal, message).finally(progress.end);
      const exitCode = runExitCode(report, { requireVerification: flags.requireVerification ?? false });
      await progress.settled();
      const unverified = flags.requireVerification && report.stop === "done" ? whyUnverified(report) : undefined;
      const because =
        exitCode === exitCodes.failed && unverified !== undefined ? `not verified: ${unverified}` : undefined;
      if (flags.output !== "text") await printJson(surface, resultLineOf(report, exitCode, because));
      else if (report.answer !== "" && !progress.hasShown(report.answer)) await printAnswer(surface, report.answer);
      if (flags.output !== "stream-json") {
        await surface.stderr.write(renderReport(report, viewOn(surface.stderr), app.rulesFile).text);
      }
      if (unverified !== undefined) {
        const { paint, wrap } = viewOn(surface.stderr);
        await printNotice(surface, wrap(say`${paint("bad", "not verified:")} ${unverified}`));
      }
      return exitCode;
    } finally {
      stopListening();
      await agent.close();
    }
  });
}

function reportForm({ output }: Pick<RunFlags, "output">): ReportForm {
  return { json: output === "text" ? false : "versioned" };
}

async function tellLeftOut(surface: Surface, app: App, task: string): Promise<void> {
  const isThere = (name: string) => surface.exists(path.resolve(app.workspace, name));
  for (const names of mentionsIn(task)) {
    const name = names.at(-1) ?? "";
    if (!names.some(isThere) && looksLikeFile(name))
      await tellNotice(surface, `@${name} is not attached: there is no such file here.`);
  }
}

async function tellNotice(surface: Surface, text: string): Promise<void> {
  const { paint, wrap } = viewOn(surface.stderr);
  await printNotice(surface, wrap(say`${paint("warning", "notice:")} ${text}`));
}

async function openAgent(surface: Surface, app: App, flags: RunFlags) {
  const json = reportForm(flags);
  const options = await agentOptionsOf(flags, surface, app);
  if (!options.ok) return { code: await reportFailure(surface, options.failure, json) };
  const settings = app.settings(options.value);
  if (settings.ok && namesNoModel(flags, settings.value, { app, session: options.value.session })) {
    return { code: await reportFailure(surface, await noModel(app, flags.baseUrl), json) };
  }
  const told = await tellNotices(surface, app, options.value, json);
  if (told !== undefined) return { code: told };
  const answers = flags.output === "text" ? surface.stdout : undefined;
  const progress =
    flags.output === "stream-json" ? streamLines(surface) : { ...showProgress(surface, answers), ...unwatched };
  const { elicit } = personAt(surface.stderr, surface.terminalQuestion, progress.clear);
  const agent = await app.openAgent({
    ...options.value,
    by: "program",
    elicit,
    onNotice: progress.notice,
  });
  if (!agent.ok) return { code: await reportFailure(surface, agent.failure, json) };
  for (const notice of agent.value.notices) await printNotice(surface, viewOn(surface.stderr).wrap(say`${notice}`));
  return { agent: agent.value, progress };
}

/** As the model wrote it for programs and files; on a terminal it must not drive it. */
async function printAnswer(surface: Surface, answer: string): Promise<void> {
  const text = `${answer.trimEnd()}\n`;
  await surface.stdout.write(surface.stdout.terminal ? block(text).text : text);
}

const wayToOne =
  "Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or start a server such as Ollama on this machine, or name a model with --model and --base-url. `gauntlet demo` needs none.";

async function noModel(app: App, baseUrl: string | undefined): Promise<Failure> {
  const found = await app.findModels(baseUrl);
  if (baseUrl !== undefined) return noModelNamed(found, baseUrl);
  const names = found.map(({ name, from }) => `--model ${name} (${from})`);
  return {
    code: "bad_request",
    message: "No model is set up.",
    recovery: names.length === 0 ? wayToOne : `Name one: ${names.join(", ")}.`,
  };
}

function noModelNamed(found: readonly FoundModel[], baseUrl: string): Failure {
  const names = found.map(({ name }) => `--model ${name}`);
  const silent = `${baseUrl} lists no models. If it is the right address, name the one that you mean: --model openai-compatible/NAME.`;
  return {
    code: "bad_request",
    message: "--base-url says where to ask, and nothing says which model.",
    recovery: names.length === 0 ? silent : `It has: ${names.join(", ")}.`,
  };
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
  return {
    maxTurns,
    maxCostUsd: maxCost,
    maxTokens,
    ...(maxTime === undefined ? {} : { maxMs: maxTime * 1000 }),
  };
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("Give a whole number above 0.");
  return Number(text);
}

function positiveNumber(text: string): number {
  const number = Number(text);
  if (!(number > 0) || !Number.isFinite(number)) throw new InvalidArgumentError("Give a number above 0.");
  return number;
}
