import type { Risk } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import type { Mode, Verdict } from "../contract/verdict.ts";
import { runsProjectCode } from "./git-commands.ts";

type TabledDecision = Verdict["decision"];
type RiskColumn = "careful" | "edits" | "auto";

/** `direct`: project code can change the workspace itself. `ports`: no process runs. `none`: an unconfined process. */
export type CallConfinement = "sandbox" | "direct" | "ports" | "none";

/** `dontAsk` and `bypass` differ from `default` only in how an ask ends; `plan` was handled earlier. */
const columns: Readonly<Record<Mode, RiskColumn>> = {
  default: "careful",
  plan: "careful",
  dontAsk: "careful",
  bypass: "careful",
  acceptEdits: "edits",
  auto: "auto",
};

type RiskRow = Readonly<Record<RiskColumn, TabledDecision>>;
type RiskRows = Readonly<Record<Risk, RiskRow>>;

const allows: RiskRow = { careful: "allow", edits: "allow", auto: "allow" };
const asks: RiskRow = { careful: "ask", edits: "ask", auto: "ask" };
const denies: RiskRow = { careful: "deny", edits: "deny", auto: "deny" };

const sandbox: RiskRows = {
  R0: allows,
  R1: allows,
  R2: { careful: "ask", edits: "allow", auto: "allow" },
  R3: { careful: "ask", edits: "ask", auto: "allow" },
  R4: asks,
  R5: denies,
};

const table: Readonly<Record<CallConfinement, RiskRows>> = {
  sandbox,
  direct: { ...sandbox, R3: asks },
  // The port itself limits reads. A written file may later run unconfined, so every write asks.
  ports: { ...sandbox, R2: asks, R3: asks },
  none: { R0: asks, R1: asks, R2: asks, R3: asks, R4: denies, R5: denies },
};

export function decideByRisk(risk: Risk, mode: Mode, confinement: CallConfinement): TabledDecision {
  return table[confinement][risk][columns[mode]];
}

export function confinementOf(question: GateQuestion): CallConfinement {
  const { report, checked, sandbox } = question;
  if (sandbox.enforces) return question.view === false && runsProjectCode(question) ? "direct" : "sandbox";
  return report.command !== undefined || checked.tool.requiresSandbox ? "none" : "ports";
}
