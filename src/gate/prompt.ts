import { visibleText } from "../base/text.ts";
import { type Effect, isFileEffect } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import { resultLimits } from "../contract/tool.ts";
import type { PermissionPrompt, Verdict, VerdictPart } from "../contract/verdict.ts";

export function composePrompt(question: GateQuestion, verdict: Verdict): PermissionPrompt {
  const { checked, report } = question;
  const { tool, intent } = checked;
  const { maxChars, maxLines } = resultLimits(tool, question.allowance);
  return {
    title: report.command === undefined ? `Allow ${tool.name}?` : commandTitle(question),
    action: unhidden(report.command?.text ?? describeInput(tool.name, checked.input)),
    effects: [
      ...describeEffects(question),
      ...verdict.exceptions.map((closed) => `keeps ${closed.path} closed (${closed.reason})`),
    ].map(inOneLine),
    risk: verdict.risk,
    reason: inOneLine(verdict.reason),
    sandbox: describeConfinement(question),
    outputLimit: `At most ${maxChars} characters and ${maxLines} lines go to the model`,
    ...(intent.reason === undefined ? {} : { intentReason: inOneLine(intent.reason) }),
    ...describeParts(verdict),
    ...(verdict.suggestedRules === undefined ? {} : { suggestedRules: verdict.suggestedRules.map(inOneLine) }),
    ...(verdict.opens ? { opens: true } : {}),
  };
}

function commandTitle({ report, view }: GateQuestion): string {
  if (!report.background) return "Run this command?";
  return `Run this command in the background?${view === false ? ` ${writesDirectly}` : ""}`;
}

export const writesDirectly = "Its changes are written directly and cannot be undone.";

function describeConfinement({ checked, confinement, sandbox }: GateQuestion): string {
  const own = checked.tool.confinement?.() ?? confinement;
  if (own !== undefined) return inOneLine(own);
  return sandbox.enforces ? sandbox.detail : `No sandbox: ${sandbox.detail}`;
}

function describeParts({ parts = [] }: Verdict): Pick<PermissionPrompt, "parts"> {
  if (parts.length < 2) return {};
  return { parts: parts.map((part) => inOneLine(`${clipped(part.text)}: ${describePart(part)}`)) };
}

const longestPart = 160;

function clipped(text: string): string {
  if (text.length <= longestPart) return text;
  const half = longestPart / 2;
  return `${text.slice(0, half)} ⟨${text.length - longestPart} characters⟩ ${text.slice(-half)}`;
}

function describePart({ decision, coveredBy, reason }: VerdictPart): string {
  if (decision !== "allow") return decision === "deny" ? `refused, ${reason}` : `needs approval, ${reason}`;
  return coveredBy.length === 0 ? "needs no approval" : `allowed by ${coveredBy.join(", ")}`;
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
      return `delegates work to ${effect.profile}`;
    case "session":
      return `changes the session: ${effect.what}`;
    case "unknown":
      return `could not be analysed: ${effect.why}`;
  }
}

function describeInput(tool: string, input: unknown): string {
  if (input === null || typeof input !== "object") return `${tool} ${JSON.stringify(input)}`;
  const fields = Object.entries(input).map(([key, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const name = /[\r\n]/.test(key) ? JSON.stringify(key) : key;
    return text.includes("\n") ? `${name}:\n${text.replace(/^/gm, "  ")}` : `${name}: ${text}`;
  });
  return [tool, ...fields].join("\n");
}

/** Only the diff is cut; the input beside it never is. */
const mostChangeBytes = 256 * 1024;

export function shownChange(change: string): string {
  const lines = unhidden(change, /\t{12,}|[^\S\n]{40,}/gu).split("\n");
  let room = mostChangeBytes;
  const kept = lines.findIndex((line) => {
    room -= Buffer.byteLength(line) + 1;
    return room < 0;
  });
  if (kept === -1) return lines.join("\n");
  const cut = `⟨${lines.length - kept} of ${lines.length} lines left out: more than 256 KiB. The input itself is complete.⟩`;
  return [...lines.slice(0, kept), cut].join("\n");
}

/** Each is shown behind a label, and a line end would let it forge a label. */
export function inOneLine(text: string): string {
  return unhidden(text).replace(/\r?\n/g, "\\n");
}

function unhidden(text: string, blanks = /[^\S\n]{12,}/gu): string {
  return visibleText(text)
    .replace(blanks, (run) => `⟨${run.length} blanks⟩`)
    .replace(/\n{4,}/g, (run) => `\n⟨${run.length - 1} empty lines⟩\n`)
    .replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, (blank) => `\\u{${blank.codePointAt(0)?.toString(16)}}`);
}
