import type { Command } from "commander";
import type { RunReport } from "../../contract/app/agent.ts";
import type { App } from "../../contract/app/app.ts";
import type { Observation } from "../../contract/observation.ts";
import type { Asker } from "../../contract/verdict.ts";
import { type CommandContext, examples } from "../flags.ts";
import { diffLine } from "../render/diff-view.ts";
import { lines, type Shown, say } from "../render/shown.ts";
import { oneLine } from "../render/table.ts";
import { besideMargin, viewOn } from "../render/wrap.ts";
import { type Ended, type ExitCode, exitCodeOfEnded, exitCodes, printNotice } from "../report.ts";
import { showProgress } from "../run/progress.ts";
import { renderReport } from "../run/report.ts";
import { sampleProject, sampleScript, sampleTask } from "../sample-project.ts";
import type { Output, Surface } from "../surface.ts";

interface DemoFlags {
  readonly interactive?: boolean;
  readonly keep?: boolean;
}

export function declare(command: Command, { surface, end }: CommandContext): void {
  command
    .description(
      "Run a demo without a key or a network: a small broken project and a scripted model. Everything else is real: tools, permissions, sandbox, tests, log.",
    )
    .option("--interactive", "use the terminal interface and answer the prompts yourself")
    .option("--keep", "keep the project and its log, and print where")
    .addHelpText(
      "after",
      examples(["gauntlet demo", "Watch the demo:"], ["gauntlet demo --interactive", "Answer the prompts yourself:"]),
    )
    .action(async (flags: DemoFlags) => end(await demo(surface, flags)));
}

export async function demo(surface: Surface, flags: DemoFlags): Promise<ExitCode> {
  const made = surface.makeSample(sampleProject, JSON.stringify(sampleScript));
  if (!made.ok) return exitCodeOfEnded(surface, made, {});
  const sample = made.value;
  try {
    const app = await surface.createApp({ cwd: sample.project, gauntletHome: sample.state });
    if (!app.ok) return exitCodeOfEnded(surface, app, {});
    try {
      return await exitCodeOfEnded(surface, await tell(surface, app.value, sample.script, flags), {});
    } finally {
      await app.value.close();
    }
  } finally {
    if (flags.keep) await printNotice(surface, say`project: ${sample.project}, log: ${sample.state}`);
    else sample.remove();
  }
}

async function tell(surface: Surface, app: App, script: string, flags: DemoFlags): Promise<Ended> {
  if (flags.interactive === true && surface.converse !== undefined) return converse(surface, app, script);
  const { paint, line } = viewOn(surface.stdout);
  const { print, title } = printerOn(surface.stdout);
  await title(`User: ${sampleTask}`);

  // Not awaited: what is lost here, the next title reports.
  const unawaited = { ...surface.stdout, write: (text: string) => surface.stdout.write(text).catch(() => {}) };
  const progress = showProgress({ ...surface, stderr: unawaited });
  const seen: Observation[] = [];
  const agent = await app.openAgent({
    model: { wanted: `scripted/${script}` },
    ask: agreeing(unawaited),
    onNotice(notice) {
      progress.notice(notice);
      if (notice.kind !== "observed") return;
      seen.push(notice.observation);
      const diff = notice.observation.model.content.find(({ format }) => format === "diff")?.text.trimEnd();
      if (diff !== undefined)
        void printerOn(unawaited).print(lines(diff.split("\n").map((row) => say`    ${diffLine(row, paint)}`)));
    },
  });
  if (!agent.ok) return agent;
  const { send, interrupt, close } = agent.value;
  let interrupted = false;
  const stopListening = surface.onInterrupt((signal) => {
    interrupted = true;
    void interrupt(signal);
  });
  let report: RunReport;
  try {
    report = await send(sampleTask);
  } finally {
    stopListening();
    progress.clear();
    await close();
  }
  if (interrupted || report.stop === "interrupted") return exitCodes.interrupted;
  await title("The model claims:");
  const answer = report.answer.trimEnd().split("\n");
  await print(lines(answer.map((row) => line`  ${row}`)));
  await title("The log shows:");
  await print(renderReport(report, viewOn(surface.stdout), app.rulesFile));
  await audit(surface, app, seen);
  if (report.stop !== "done") return exitCodes.failed;
  const supported = report.claims.every(({ verdict }) => verdict === "supported");
  return supported && report.verifications.at(-1)?.passed === true ? exitCodes.done : exitCodes.failed;
}

async function converse(surface: Surface, app: App, script: string): Promise<Ended> {
  const welcome = ["Demo: the model is a script, everything else is real. /quit exits."];
  const agent = { model: { wanted: `scripted/${script}`, because: "the demo" } };
  const ended = await surface.converse?.(app, { agent, welcome, task: sampleTask });
  if (ended?.ok === false) return ended;
  const archive = app.archive();
  const events = archive.ok
    ? archive.value.events(ended?.value.sessionId ?? "", { types: ["tool.observed"] })
    : archive;
  if (!events.ok) return events;
  const seen = [...events.value].flatMap((event) => (event.type === "tool.observed" ? [event.data.observation] : []));
  await audit(surface, app, seen);
  return exitCodes.done;
}

function isDeclined({ code }: Observation): boolean {
  return code === "user_denied";
}

async function audit({ stdout }: Surface, app: App, seen: readonly Observation[]): Promise<void> {
  const archive = app.archive();
  const call = seen.find(({ tool, ok }) => tool === "edit" && ok) ?? seen.findLast(isDeclined) ?? seen.at(-1);
  if (!archive.ok || call === undefined) return;
  const why = archive.value.why(call.auditId);
  const verified = archive.value.verify();
  const { paint, line } = viewOn(stdout);
  const { print, title } = printerOn(stdout);
  const asks = isDeclined(call) ? `Why did "${call.title}" not run?` : `Why was "${call.title}" allowed?`;
  await title(`${asks} (gauntlet audit why)`);
  if (why.ok) {
    const asked = why.value.questions.slice(0, 6);
    const columns = stdout.columns ?? Number.POSITIVE_INFINITY;
    const rows = asked.flatMap(({ question, answer }) => {
      const first = say`  ${paint("quiet", question.padEnd(34))} `;
      return besideMargin(say`${oneLine(answer, 110)}`, { columns, first });
    });
    await print(lines(rows));
    await print(lines([line`  ${paint("quiet", why.value.chain.map(({ type }) => type).join(" → "))}`]));
  }
  if (verified.ok) {
    const whole = verified.value.every(({ ok }) => ok);
    const events = verified.value.reduce((sum, one) => sum + one.events, 0);
    const mark = whole ? paint("good", "✓") : paint("bad", "✗");
    await print(lines([say`  ${mark} ${events} events in a hash chain`]));
  }
  await title("Next steps:");
  await print(
    lines([
      say`  gauntlet                                   work with your own model`,
      say`  gauntlet run '<task>' --mode acceptEdits   the same without prompts`,
      say`  gauntlet explain --shell 'rm -rf build'    explain what would happen`,
      say`  gauntlet demo --interactive                answer the prompts yourself`,
    ]),
  );
}

function printerOn(stdout: Output) {
  const print = (text: Shown) => stdout.write(text.text);
  return { print, title: (words: string) => print(lines([say``, viewOn(stdout).paint("strong", words)])) };
}

function agreeing(stdout: Output): Asker {
  const { paint, line } = viewOn(stdout);
  return async ({ id, tool, prompt }) => {
    const { title, action, risk, reason } = prompt;
    const what = tool === "bash" ? say`${title} ${paint("strong", oneLine(action, 60))}` : say`${title}`;
    const asked = line`${paint("warning", "?")} ${what} ${paint("quiet", `${risk}: ${reason}`)} ${paint("good", "yes, once (answered by the demo)")}`;
    await stdout.write(lines([asked]).text);
    return { request: id, answer: "allow", remember: "once", by: "the demo" };
  };
}
