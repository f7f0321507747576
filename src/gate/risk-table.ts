import type { Risk } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import type { Mode, Verdict } from "../contract/verdict.ts";
import { runsProjectCode } from "./git-commands.ts";

type Decision = Verdict["decision"];
type Column = "careful" | "edits" | "auto";

/**
 * How well the call is confined: by a sandbox, by one that lets project code change the workspace unseen, by file ports
 * alone, or by nothing although it runs a program.
 */
export type Confinement = "sandbox" | "direct" | "ports" | "none";

/** `dontAsk` and `bypass` differ from `default` only in what becomes of an ask; `plan` has refused before. */
const columns: Readonly<Record<Mode, Column>> = {
  default: "careful",
  plan: "careful",
  dontAsk: "careful",
  bypass: "careful",
  acceptEdits: "edits",
  auto: "auto",
};

type Row = Readonly<Record<Column, Decision>>;
type Rows = Readonly<Record<Risk, Row>>;

const allows: Row = { careful: "allow", edits: "allow", auto: "allow" };
const asks: Row = { careful: "ask", edits: "ask", auto: "ask" };
const denies: Row = { careful: "deny", edits: "deny", auto: "deny" };

const sandbox: Rows = {
  R0: allows,
  R1: allows,
  R2: { careful: "ask", edits: "allow", auto: "allow" },
  R3: { careful: "ask", edits: "ask", auto: "allow" },
  R4: asks,
  R5: denies,
};

const table: Readonly<Record<Confinement, Rows>> = {
  sandbox,
  direct: { ...sandbox, R3: asks },
  // The port itself holds reads. What is written may later run unconfined, so nothing is written unasked.
  ports: { ...sandbox, R2: asks, R3: asks },
  none: { R0: asks, R1: asks, R2: asks, R3: asks, R4: denies, R5: denies },
};

export function decideByRisk(risk: Risk, mode: Mode, confinement: Confinement): Decision {
  return table[confinement][risk][columns[mode]];
}

export function confinementOf(question: GateQuestion): Confinement {
  const { report, checked, sandbox } = question;
  if (sandbox.enforces) return question.view === false && runsProjectCode(question) ? "direct" : "sandbox";
  return report.command !== undefined || checked.tool.requiresSandbox ? "none" : "ports";
}
