import { quoted } from "../../base/text.ts";
import { settledFacts } from "../../contract/app/proposed-changes.ts";
import type { ContentBlock, Observation } from "../../contract/observation.ts";
import { policyPatch } from "../policy-patch.ts";
import { diffLine } from "./diff.ts";
import { below, block as blockOf, labeller, lines, type Paint, type Shown, say } from "./shown.ts";
import { durationText } from "./table.ts";
import type { View } from "./wrap.ts";

/** What came of the call: the user face, then what the model was given. */
export function renderResult(observation: Observation, paint: Paint): Shown {
  const { ok, code, user, model, summary, recovery = "" } = observation;
  const face = user.text.trimEnd();
  // To a model a failure is told in the content; people are told beside it.
  const beside = ok ? [] : [summary, `${code}: ${summary}`, recovery];
  const told = new Set([face, ...beside].flatMap((text) => text.split("\n")));
  const blocks = model.content.filter(
    ({ text, label }) =>
      !(!ok && label !== "stdout" && label !== "stderr" && says(face, text)) &&
      !text.split("\n").every((line) => line === "" || told.has(line)),
  );
  return lines([
    ...(face === "" || onlyRefused(observation) ? [] : [blockOf(face)]),
    ...blocks.flatMap((block) => blockLines(block, paint, { labelled: model.content.length > 1 })),
  ]);
}

function blockLines(block: ContentBlock, paint: Paint, options: { readonly labelled: boolean }): readonly Shown[] {
  const text = block.text.replace(/\n+$/, "");
  return [
    ...(options.labelled && block.label !== undefined ? [paint("quiet", `── ${block.label}`)] : []),
    ...(block.format === "diff" ? text.split("\n").map((line) => diffLine(line, paint)) : [blockOf(text)]),
  ];
}

/** Nothing ran, and the user face says no more than the reason that stands beside it. */
function onlyRefused({ ok, invocationId, user, summary }: Observation): boolean {
  return !ok && invocationId === undefined && flat(user.text) === flat(summary);
}

/** Whatever its lines. Nothing is said by nothing. */
function says(whole: string, part: string): boolean {
  return flat(part) !== "" && flat(whole).includes(flat(part));
}

function flat(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

export interface Beside extends View {
  /** The user face was printed, so its words are not repeated. */
  readonly resultShown: boolean;
  /** Where a rule that is kept for this project goes. */
  readonly rulesFile: string;
}

/** What stands beside the result: how it ended, why, and what to do next. */
export function renderEnding(observation: Observation, { paint, wrap, copied, resultShown, rulesFile }: Beside): Shown {
  const { ok, status, code, title, summary, metrics, model, field, recovery } = observation;
  const mark = ok ? paint("good", "✓") : paint("bad", status === "denied" ? "⊘" : "✗");
  const label = labeller(paint);
  const ending = wrap(
    say`${mark} ${title}${ok ? "" : `: ${code}`} ${paint("quiet", `(${durationText(metrics.durationMs)})`)}`,
  );
  const rest =
    model.truncated && model.next !== undefined
      ? [copied(label("the rest"), say`${model.next.tool} ${quoted(JSON.stringify(model.next.input))}`)]
      : [];
  const remembered = rememberedLines(observation, { label, wrap });
  const { id: kept } = settledFacts(observation);
  const later = kept === undefined ? [] : [copied(label("to apply it"), say`gauntlet try apply ${kept}`)];
  if (ok) return lines([ending, ...remembered, ...rest, ...later]);
  const face = resultShown && !onlyRefused(observation) ? observation.user.text : "";
  return lines([
    ending,
    ...(says(face, summary) ? [] : below(label("why"), summary).map(wrap)),
    ...permissionLines(observation, { label, wrap, copied, rulesFile }),
    ...remembered,
    ...(field === undefined ? [] : [wrap(say`${label("field")}${field}`)]),
    ...(recovery === undefined || says(face, recovery) ? [] : below(label("then"), recovery).map(wrap)),
    ...rest,
    ...later,
  ]);
}

interface Ways extends Pick<Beside, "wrap" | "copied" | "rulesFile"> {
  readonly label: (name: string) => Shown;
}

/** Only where permission was the matter; a command that was agreed to and failed has other worries. */
function permissionLines({ status, code, summary, permission, artifacts }: Observation, ways: Ways): readonly Shown[] {
  if (status !== "denied" || permission === undefined) return [];
  const { label, wrap, copied, rulesFile } = ways;
  const { decision, reason, source, rule, risk } = permission;
  const needed = permission.suggestedRules ?? [];
  const by = `risk ${risk}, by ${source}${rule === undefined ? "" : `, rule ${rule}`}`;
  const changes = artifacts.find(({ kind }) => kind === "changes");
  const decided = [
    wrap(say`${label(decision)}${summary.includes(reason) ? by : `${reason} (${by})`}`),
    ...(changes === undefined ? [] : [copied(label("changes"), say`artifact ${changes.id}`)]),
  ];
  const allowable = code === "approval_unavailable" || code === "policy_denied";
  if (needed.length === 0 || !allowable) return decided;
  return [
    ...decided,
    copied(label("to allow it"), say`${needed.map((one) => `--allow ${quoted(one)}`).join(" ")}`),
    copied(label("or settings"), say`${policyPatch(needed)} in ${rulesFile}`),
  ];
}

/** What a person's answer is good for from now on, or why for less than they wished. */
function rememberedLines({ permission }: Observation, { label, wrap }: Pick<Ways, "label" | "wrap">): readonly Shown[] {
  const { remembered } = permission ?? {};
  if (remembered === undefined) return [];
  const { scope, rules, path, problem } = remembered;
  if (problem !== undefined) return [wrap(say`${label("notice")}${problem}`)];
  const place = path === undefined ? `for this ${scope}` : `in ${path}`;
  return rules.map((rule) => wrap(say`${label("remembered")}${rule} ${place}`));
}
