// @ts-nocheck
import type { Gate, GateQuestion } from "./contract/gate.ts";
import type { Permit, Verdict } from "./contract/verdict.ts";
export function createGate(o: any): Gate {
  const permits = new WeakSet<Permit>();
  const mk = (q: GateQuestion, v: Verdict): Permit => {
    const writes = q.report.effects.some((e) => !["read","list","session","call"].includes(e.op));
    const p: Permit = { intentId: q.checked.intent.id, digest: q.checked.digest, effects: q.report.effects, exceptions: [], ...(q.report.command?{command:q.report.command}:{}),
      sandbox: { readable: q.workspace.roots, writable: writes ? q.workspace.roots : [], protected: [], masked: [], network: "none" }, expiresAt: o.clock.now()+60000 };
    permits.add(p); return p; };
  return {
    async judge(q) { const r = q.assessment.risk; const d = r==="R5"?"deny": r==="R0"||r==="R1"||q.mode==="bypass"||(q.mode==="acceptEdits"&&r==="R2")?"allow":"ask";
      return { decision: d, reason: q.assessment.reasons.join("; "), source: "mode", risk: r, firm: false, exceptions: [], suggestedRule: "x" }; },
    prompt: (q,v) => ({ title: q.checked.tool.name, action: q.report.command?.text ?? JSON.stringify(q.checked.input), effects: q.report.effects.map(e=>e.op), risk: v.risk, reason: v.reason, sandbox: q.sandbox.backend, outputLimit: "x", suggestedRule: "x" }),
    permit: mk, permitAnswered: (q,v) => mk(q,v), redeem: (p) => permits.delete(p), bareDenied: () => undefined };
}
export const compileRules = (r: any, _c: any) => ({ rules: [], problems: [] as any[] });
