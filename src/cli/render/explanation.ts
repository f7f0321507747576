import { quoted } from "../../base/text.ts";
import type { Explanation, Mode, VerdictPart } from "../../contract/verdict.ts";
import { effectText } from "./effect.ts";
import { clipped, labeller, lines, nothing, type Paint, type Shown, say, toneOfDecision } from "./shown.ts";
import type { View } from "./wrap.ts";

/** The verdict, then the command as a tree of its parts, then what would change the verdict. */
export function renderExplanation(explanation: Explanation, { paint, wrap, copied }: View): Shown {
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
  const label = labeller(paint);
  const ruled = rule === undefined ? nothing : say`, rule ${rule}`;
  const place = ruleOrigin === undefined ? nothing : say` in ${ruleOrigin}`;
  return lines([
    wrap(say`${paint(toneOfDecision(decision), decision.padEnd(14))}risk ${risk}: ${reason}`),
    wrap(say`${label("decided by")}${source}${ruled}${place}${code === undefined ? nothing : say`, ${code}`}`),
    ...(apply === undefined ? [] : [wrap(say`${label("changes")}${afterRun(explanation)}`)]),
    ...(parts.length > 0
      ? parts.flatMap((part, index) =>
          partLines(part, {
            paint,
            last: index === parts.length - 1,
            told: parts.findIndex(({ text }) => text === part.text) < index,
          }).map(wrap),
        )
      : effects.map((effect) => wrap(say`${label("touches")}${effectText(effect)}`))),
    ...wayOut(explanation).map(([name, text]) => copied(label(name), say`${text}`)),
    ...(next === undefined ? [] : [copied(label("instead"), say`${next.tool} ${quoted(JSON.stringify(next.input))}`)]),
    ...notes.map((note) => wrap(say`${label("note")}${note}`)),
  ]);
}

/** What the mode does with changes that no rule covers. */
const whenEnded: Readonly<Record<Mode, string>> = {
  default: "default mode asks about every change (--mode acceptEdits keeps edits, --mode auto deletions too)",
  acceptEdits: "acceptEdits mode keeps edits, and asks about deletions (--mode auto keeps them)",
  auto: "auto mode keeps its changes, and asks about lockfiles, hidden directories and many deletions",
  bypass: "bypass mode keeps its changes",
  dontAsk: "dontAsk mode discards its changes",
  plan: "plan mode discards its changes",
};

function afterRun({ decision, mode = "default", rule }: Explanation): string {
  const ruled = decision === "allow" && rule !== undefined && mode !== "plan";
  const then = ruled ? `${rule} keeps its changes` : whenEnded[mode];
  return `It runs on a copy of the workspace. When it ends, ${then}. Protected paths are asked about in every mode.`;
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
    ...(part.needsSavedRule === true ? [say`${paint("bad", "only a rule allows it")}`] : []),
  ];
  return [
    say`${branch} ${verdict} ${risk}  ${paint("strong", told ? clipped(text) : text)}  ${paint("quiet", reason)}`,
    ...below.map((line) => say`${stem}           ${line}`),
  ];
}

/** The smallest change that would turn the verdict into allow, where rules can. */
function wayOut({ decision, rule, ruleOrigin, suggestedRules: rules = [] }: Explanation) {
  const rows: (readonly [string, string])[] = [];
  if (decision === "allow") return rows;
  if (rule !== undefined && ruleOrigin !== undefined) rows.push(["to change it", `narrow ${rule} in ${ruleOrigin}`]);
  if (rules.length > 0) rows.push(["to allow it", rules.map((one) => `--allow ${quoted(one)}`).join(" ")]);
  return rows;
}
