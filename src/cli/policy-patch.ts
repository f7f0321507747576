import type { Observation } from "../contract/observation.ts";
import { lines, type Shown, say } from "./render/shown.ts";

/** As it would stand in a settings file. */
export function policyPatch(rules: readonly string[]): string {
  return JSON.stringify({ permissions: { allow: rules } });
}

export interface UnansweredAsks {
  note(observation: Observation): void;
  /** Empty when nothing was left unanswered. */
  render(rulesFile: string): Shown;
}

/** More would be no patch that anybody reads. */
const mostRules = 200;

/** Gathers what nobody could be asked about, so that the next run need not stop there. */
export function gatherUnanswered(): UnansweredAsks {
  const rules = new Set<string>();
  let unanswered = 0;
  let unspoken = 0;
  return {
    note({ code, permission }) {
      if (code !== "approval_unavailable" || permission === undefined) return;
      unanswered += 1;
      const needed = permission.suggestedRules ?? [];
      if (needed.length === 0 || rules.size + needed.length > mostRules) unspoken += 1;
      else for (const rule of needed) rules.add(rule);
    },
    render(rulesFile) {
      if (unanswered === 0) return lines([]);
      const asks = unanswered === 1 ? "1 call needed" : `${unanswered} calls needed`;
      return lines([
        say`${asks} an agreement that nobody could give.`,
        ...(rules.size === 0 ? [] : [say`To allow them, put into ${rulesFile}:`, say`${policyPatch([...rules])}`]),
        ...(unspoken === 0 ? [] : [say`For ${unspoken} of them no rule can speak: they need a person.`]),
      ]);
    },
  };
}
