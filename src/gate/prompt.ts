import { type Effect, isFileEffect } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import type { PermissionPrompt, Verdict } from "../contract/verdict.ts";
import { visibleText } from "../contract/visible-text.ts";

const longestAction = 20_000;

/** Everything a person needs to say yes or no to exactly this call, with nothing hidden in it. */
export function composePrompt(question: GateQuestion, verdict: Verdict): PermissionPrompt {
  const { checked, report, sandbox } = question;
  const { tool, intent } = checked;
  return {
    title: report.command === undefined ? `Allow ${tool.name}?` : "Run this command?",
    action: bounded(unhidden(report.command?.text ?? describeInput(tool.name, checked.input))),
    effects: [
      ...describeEffects(question),
      ...verdict.exceptions.map((closed) => `keeps ${closed.path} closed (${closed.reason})`),
    ].map(unhidden),
    risk: verdict.risk,
    reason: unhidden(verdict.reason),
    sandbox: sandbox.enforces ? sandbox.detail : `No sandbox holds it: ${sandbox.detail}`,
    outputLimit: `At most ${tool.maxResultChars} characters and ${tool.maxResultLines} lines go to the model`,
    ...(intent.reason === undefined ? {} : { intentReason: unhidden(intent.reason) }),
    ...(verdict.suggestedRule === undefined ? {} : { suggestedRule: unhidden(verdict.suggestedRule) }),
  };
}

function describeEffects({ report }: GateQuestion): readonly string[] {
  const lines = report.effects.map((effect) => describeEffect(effect));
  return lines.length === 0 ? ["touches nothing"] : [...new Set(lines)];
}

function describeEffect(effect: Effect): string {
  if (isFileEffect(effect)) {
    const { written, resolved } = effect.path;
    const below = effect.scope === "tree" ? " and everything below it" : "";
    const leads = written === resolved || resolved.endsWith(`/${written}`) ? "" : ` (written as ${written})`;
    return `${effect.op}s ${resolved}${below}${leads}`;
  }
  switch (effect.op) {
    case "exec":
      return `runs ${effect.program}, which may do anything that the sandbox permits`;
    case "connect":
      return `connects to ${effect.host}${effect.port === undefined ? "" : `:${effect.port}`}`;
    case "call":
      return `calls ${effect.tool} of the server ${effect.server}`;
    case "delegate":
      return `hands work to ${effect.profile}`;
    case "session":
      return `touches the session: ${effect.what}`;
    case "unknown":
      return `not understood: ${effect.why}`;
  }
}

function describeInput(name: string, input: unknown): string {
  if (input === null || typeof input !== "object") return `${name} ${JSON.stringify(input)}`;
  const fields = Object.entries(input).map(([key, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return text.includes("\n") ? `${key}:\n${text.replace(/^/gm, "  ")}` : `${key}: ${text}`;
  });
  return [name, ...fields].join("\n");
}

/** Long blank stretches push the rest out of sight; they are counted instead of shown. */
function unhidden(text: string): string {
  return visibleText(text)
    .replace(/[^\S\n]{12,}/gu, (run) => `⟨${run.length} blanks⟩`)
    .replace(/\n{4,}/g, (run) => `\n⟨${run.length - 1} empty lines⟩\n`)
    .replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, (blank) => `\\u{${blank.codePointAt(0)?.toString(16)}}`);
}

function bounded(text: string): string {
  if (text.length <= longestAction) return text;
  const half = longestAction / 2;
  return `${text.slice(0, half)}\n⟨${text.length - longestAction} characters left out⟩\n${text.slice(-half)}`;
}
