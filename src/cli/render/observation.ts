import { clip, quoted } from "../../base/text.ts";
import { settledFacts } from "../../contract/app/archive.ts";
import type { ContentBlock, Observation } from "../../contract/observation.ts";
import { diffLine } from "./diff-view.ts";
import { below, block as blockOf, lines, type Paint, type Shown, say } from "./shown.ts";
import { durationText } from "./table.ts";
import type { View } from "./wrap.ts";

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

function onlyRefused({ ok, invocationId, user, summary }: Observation): boolean {
  return !ok && invocationId === undefined && flat(user.text) === flat(summary);
}

function says(whole: string, part: string): boolean {
  return flat(part) !== "" && flat(whole).includes(flat(part));
}

function flat(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

interface Beside extends View {
  readonly resultShown: boolean;
  readonly rulesFile: string;
}

export function renderEnding(observation: Observation, beside: Beside): Shown {
  const { paint, line, wrap, row, label, copied, resultShown } = beside;
  const { ok, status, code, title, summary, metrics, model, field, recovery } = observation;
  const mark = ok ? paint("good", "✓") : paint("bad", status === "denied" ? "⊘" : "✗");
  const ending = line`${mark} ${title}${ok ? "" : `: ${code}`} ${paint("quiet", `(${durationText(metrics.durationMs)})`)}`;
  const next = model.truncated ? model.next : undefined;
  const rest = next && copied(label("the rest"), say`gauntlet call ${next.tool} ${quoted(JSON.stringify(next.input))}`);
  const remembered = rememberedLines(observation, beside);
  const { id: kept } = settledFacts(observation);
  const later = kept === undefined ? undefined : copied(label("to apply it"), say`gauntlet try apply ${kept}`);
  if (ok) return lines([ending, ...remembered, rest, later]);
  const face = resultShown && !onlyRefused(observation) ? observation.user.text : "";
  return lines([
    ending,
    ...(says(face, summary) ? [] : below(label("why"), summary).map(wrap)),
    ...permissionLines(observation, beside),
    ...remembered,
    row("field", field),
    ...(recovery === undefined || code === "user_denied" || says(face, recovery)
      ? []
      : below(label("then"), recovery).map(wrap)),
    rest,
    later,
  ]);
}

export function readArtifact(id: string): Shown {
  return say`gauntlet call read_artifact ${quoted(JSON.stringify({ id }))}`;
}

function permissionLines(observation: Observation, { row, label, copied, rulesFile }: Beside) {
  const { status, code, summary, permission, artifacts } = observation;
  if (status !== "denied" || permission === undefined) return [];
  const { decision, reason, source, rule, risk } = permission;
  const needed = permission.suggestedRules ?? [];
  const by = `risk ${risk}, by ${source}${rule === undefined ? "" : `, rule ${rule}`}`;
  const changes = artifacts.find(({ kind }) => kind === "changes");
  const decided = [
    row(decision, summary.includes(reason) ? by : `${reason} (${by})`),
    changes && copied(label("changes"), readArtifact(changes.id)),
  ];
  const allowable = code === "approval_unavailable" || code === "policy_denied";
  if (needed.length === 0 || !allowable) return decided;
  return [
    ...decided,
    copied(label("to allow it"), say`${needed.map((one) => `--allow ${quoted(one)}`).join(" ")}`),
    copied(label("or settings"), say`${policyPatch(needed)} in ${rulesFile}`),
  ];
}

function rememberedLines({ permission }: Observation, { row }: View): readonly (Shown | undefined)[] {
  const { remembered } = permission ?? {};
  if (remembered === undefined) return [];
  const { scope, rules, path, problem } = remembered;
  if (problem !== undefined) return [row("notice", problem)];
  const place = path === undefined ? `for this ${scope}` : `in ${path}`;
  return rules.map((rule) => row("remembered", `${rule} ${place}`));
}

const longestArgument = 60;
const mostArguments = 3;

export function titleWithInput({ title, tool }: Pick<Observation, "title" | "tool">, input: unknown): string {
  // A call of what does not exist has its whole input behind its name.
  if (!tool.startsWith("mcp__") || title.startsWith(tool)) return title;
  const given = typeof input === "object" && input !== null ? Object.entries(input) : [];
  const words = given.map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const short = words.filter((word) => word.length <= longestArgument).slice(0, mostArguments);
  const shown = short.length > 0 ? short : words.slice(0, 1).map((word) => clip(word, longestArgument));
  return [title, ...shown].join(", ");
}

const mostRows = 6;

export function failureRows(observation: Observation): readonly string[] {
  const { title, summary, user, status, recovery = "" } = observation;
  // What else stands there is what the call would have shown, and no reason.
  const why = flat(user.text).startsWith(flat(summary)) ? user.text : summary;
  // What to do is advice for the model, unless it names a command that a person could type.
  const advice = status === "error" && /`gauntlet |\bgauntlet [a-z]+ /.test(recovery) ? recovery : "";
  const [first = "", ...others] = why === title ? [] : why.trim().split("\n");
  const below = [...new Set([...others, ...advice.split("\n")])].filter((row) => row.trim() !== "");
  // The last one says what to do.
  return [first, ...(below.length > mostRows ? [...below.slice(0, mostRows - 1), below.at(-1) ?? ""] : below)];
}

export function policyPatch(rules: readonly string[]): string {
  return JSON.stringify({ permissions: { allow: rules } });
}

const mostRules = 200;

export function gatherUnanswered() {
  const rules = new Set<string>();
  let unanswered = 0;
  let unspoken = 0;
  return {
    note({ code, permission }: Observation): void {
      if (code !== "approval_unavailable" || permission === undefined) return;
      unanswered += 1;
      const needed = permission.suggestedRules ?? [];
      if (needed.length === 0 || rules.size + needed.length > mostRules) unspoken += 1;
      else for (const rule of needed) rules.add(rule);
    },
    render(rulesFile: string): Shown {
      if (unanswered === 0) return lines([]);
      const asks = unanswered === 1 ? "1 call needed" : `${unanswered} calls needed`;
      return lines([
        say`${asks} approval, and no user could be asked.`,
        ...(rules.size === 0 ? [] : [say`To allow them, add to ${rulesFile}:`, say`${policyPatch([...rules])}`]),
        unspoken === 0 ? undefined : say`No rule can allow ${unspoken} of them: a user must approve each call.`,
      ]);
    },
  };
}
