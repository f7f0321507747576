import type { Command } from "commander";
import { messageOf, quoted } from "../../base/text.ts";
import type { Door } from "../../contract/app/door.ts";
import type { IntentInput } from "../../contract/intent.ts";
import type { Explanation, Mode, VerdictPart } from "../../contract/verdict.ts";
import { type CommandContext, type DoorFlags, declareDoorFlags, examples } from "../flags.ts";
import { type InputLine, readLines } from "../read-lines.ts";
import { effectText } from "../render/event.ts";
import { clipped, lines, type Paint, type Shown, say, toneOfDecision } from "../render/shown.ts";
import { type View, viewOn } from "../render/wrap.ts";
import {
  type ExitCode,
  exitCodeOfEnded,
  exitCodes,
  failureLine,
  mistake,
  printJson,
  printNotice,
  printShown,
} from "../report.ts";
import type { Surface } from "../surface.ts";
import { withApp, withDoor } from "../with-app.ts";

interface ExplainFlags extends DoorFlags {
  readonly shell?: string | true;
  readonly stdin?: boolean;
}

export function declare(command: Command, { surface, end }: CommandContext): void {
  declareDoorFlags(
    command
      .description(
        "Explain what would happen, and why, without running it: the parsed command, what it would touch, the verdict, " +
          "the rule that decided and the smallest rule that would change it. Always exits 0.",
      )
      .argument("[tool]", "name of the tool")
      .argument("[json]", "its input as JSON")
      .option("--shell [command]", "explain a shell command")
      .option("--stdin", "explain one JSON value per line: a call, or a string with --shell; prints JSON lines"),
  )
    .addHelpText(
      "after",
      riskHelp +
        examples(
          ["gauntlet explain --shell 'git log | head -3 && rm -rf build'", "A shell command, part by part:"],
          [
            `gauntlet explain edit '{"path":"src/a.ts","old_string":"x","new_string":"y"}' --mode acceptEdits`,
            "An edit in another mode:",
          ],
          [`echo '"npm test"' | gauntlet explain --shell --stdin`, "A list of commands:"],
        ),
    )
    .action(async (tool: string | undefined, json: string | undefined, flags: ExplainFlags) =>
      end(await runExplain(surface, { tool, json, flags })),
    );
}

const riskHelp = `
Risk levels, by the worst effect of a call:
  R0  nothing but the session
  R1  reads inside the workspace
  R2  writes files inside the workspace
  R3  runs programs of the project, moves files, delegates work
  R4  deletes, uses the network, changes protected configuration, or has unknown effects
  R5  secrets, the state of Gauntlet, paths outside the workspace, a whole workspace
`;

interface ExplainRequest {
  readonly tool: string | undefined;
  readonly json: string | undefined;
  readonly flags: ExplainFlags;
}

async function runExplain(surface: Surface, asked: ExplainRequest): Promise<ExitCode> {
  const { flags } = asked;
  const wanted = wantedOf(asked);
  if (typeof wanted === "string") {
    const hint = "Use one of: explain <tool> '<json>', explain --shell '<command>', explain [--shell] --stdin";
    return exitCodeOfEnded(surface, mistake(wanted, hint), flags);
  }
  return withApp(surface, flags, (app) =>
    withDoor({ surface, app }, flags, { preview: true }, async (door) => {
      if (wanted.kind === "lines") return explainLines(surface, door, wanted.read);
      const explanation = await door.explain(wanted.intent);
      if (flags.json === true) await printJson(surface, explanation);
      else await printShown(surface, renderExplanation(explanation, viewOn(surface.stdout)));
      if (asked.json === undefined && explanation.code === "unknown_tool") {
        const { tool } = wanted.intent;
        await printNotice(surface, say`To explain a shell command: gauntlet explain --shell ${quoted(tool)}`);
      }
      return exitCodes.done;
    }),
  );
}

type Explained =
  | { readonly kind: "one"; readonly intent: IntentInput }
  | { readonly kind: "lines"; readonly read: (value: unknown) => IntentInput | string };

function wantedOf({ tool, json, flags }: ExplainRequest): Explained | string {
  if (flags.shell !== undefined) {
    if (tool !== undefined) return "--shell explains a command, not a tool";
    if (flags.stdin === true) {
      return flags.shell === true ? { kind: "lines", read: shellIntent } : "--stdin takes the commands from its lines";
    }
    if (flags.shell === true) return "--shell needs a command";
    return { kind: "one", intent: { tool: "bash", input: { command: flags.shell } } };
  }
  if (flags.stdin === true) {
    if (json !== undefined) return "--stdin takes the inputs from its lines";
    return { kind: "lines", read: tool === undefined ? wholeIntent : (input) => ({ tool, input }) };
  }
  if (tool === undefined) return "nothing to explain";
  try {
    return { kind: "one", intent: { tool, input: JSON.parse(json ?? "{}") } };
  } catch (error) {
    return `the input of ${tool} cannot be read: ${messageOf(error)}`;
  }
}

function shellIntent(value: unknown): IntentInput | string {
  return typeof value === "string" ? { tool: "bash", input: { command: value } } : "expected a JSON string";
}

function wholeIntent(value: unknown): IntentInput | string {
  if (typeof value !== "object" || value === null || !("tool" in value) || typeof value.tool !== "string") {
    return 'expected {"tool", "input"}';
  }
  return { tool: value.tool, input: "input" in value ? value.input : {} };
}

const longestLine = 8 * 1024 * 1024;

async function explainLines(
  surface: Surface,
  door: Door,
  read: (value: unknown) => IntentInput | string,
): Promise<ExitCode> {
  for await (const line of readLines(surface.stdin, longestLine)) {
    const intent = parseLine(line, read);
    if (typeof intent !== "string") await printJson(surface, await door.explain(intent));
    else {
      const message = `Line ${line.number}: ${intent}`;
      await printJson(surface, { ...failureLine({ code: "bad_request", message }), line: line.number });
    }
  }
  return exitCodes.done;
}

function parseLine(line: InputLine, read: (value: unknown) => IntentInput | string): IntentInput | string {
  if ("problem" in line) return line.problem;
  try {
    return read(JSON.parse(line.text));
  } catch (error) {
    return `not JSON: ${messageOf(error)}. Each line is one JSON value; a command is a string: "npm test"`;
  }
}

function renderExplanation(explanation: Explanation, { paint, line, row, label, copied, wrap }: View): Shown {
  const {
    decision,
    apply,
    risk,
    reason,
    source,
    rule,
    ruleOrigin,
    code,
    effects,
    parts = [],
    next,
    notes,
  } = explanation;
  const ruled = rule === undefined ? "" : `, rule ${rule}`;
  const place = ruleOrigin === undefined ? "" : ` in ${ruleOrigin}`;
  return lines([
    line`${paint(toneOfDecision(decision), decision.padEnd(14))}risk ${risk}: ${reason}`,
    row("decided by", `${source}${ruled}${place}${code === undefined ? "" : `, ${code}`}`),
    row("changes", apply && afterRun(explanation)),
    ...(parts.length > 0
      ? parts.flatMap((part, index) => {
          const told = parts.findIndex(({ text }) => text === part.text) < index;
          return partLines(part, { paint, last: index === parts.length - 1, told }).map(wrap);
        })
      : effects.map((effect) => row("touches", effectText(effect)))),
    ...wayOut(explanation).map(([name, text]) => copied(label(name), say`${text}`)),
    next && copied(label("instead"), say`${next.tool} ${quoted(JSON.stringify(next.input))}`),
    ...notes.map((note) => row("note", note)),
  ]);
}

const whenEnded: Readonly<Record<Mode, string>> = {
  default: "default mode asks about every change (--mode acceptEdits keeps edits, --mode auto also keeps deletions)",
  acceptEdits: "acceptEdits mode keeps edits, and asks about deletions (--mode auto keeps them)",
  auto: "auto mode keeps its changes, and asks about lockfiles, hidden directories and many deletions",
  bypass: "bypass mode keeps its changes",
  dontAsk: "dontAsk mode discards its changes",
  plan: "plan mode discards its changes",
};

function afterRun({ decision, mode = "default", rule }: Explanation): string {
  const ruled = decision === "allow" && rule !== undefined && mode !== "plan";
  const then = ruled ? `${rule} keeps its changes` : whenEnded[mode];
  return `It runs on a copy of the workspace. When it ends, ${then}. Every mode asks about protected paths.`;
}

function partLines(
  part: VerdictPart,
  { paint, last, told }: { readonly paint: Paint; readonly last: boolean; readonly told: boolean },
): readonly Shown[] {
  const { decision, risk, text, reason, effects, coveredBy } = part;
  const [branch, stem] = last ? ["└─", "  "] : ["├─", "│ "];
  const verdict = paint(toneOfDecision(decision), decision.padEnd(5));
  const below = [
    ...effects.map((effect) => say`${effectText(effect)}`),
    ...coveredBy.map((rule) => say`${paint("good", "allowed by")} ${rule}`),
    ...(part.needsSavedRule === true ? [say`${paint("bad", "needs a rule")}`] : []),
  ];
  return [
    say`${branch} ${verdict} ${risk}  ${paint("strong", told ? clipped(text) : text)}  ${paint("quiet", reason)}`,
    ...below.map((line) => say`${stem}           ${line}`),
  ];
}

function wayOut({ decision, rule, ruleOrigin, suggestedRules: rules = [] }: Explanation) {
  const rows: (readonly [string, string])[] = [];
  if (decision === "allow") return rows;
  if (rule !== undefined && ruleOrigin !== undefined) rows.push(["to change it", `narrow ${rule} in ${ruleOrigin}`]);
  if (rules.length > 0) rows.push(["to allow it", rules.map((one) => `--allow ${quoted(one)}`).join(" ")]);
  return rows;
}
