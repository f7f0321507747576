import path from "node:path";
import { isRecord } from "../../base/json.ts";
import { isInsideAny } from "../../contract/effect.ts";
import type { EventDraft } from "../../contract/events/index.ts";
import type { Ids } from "../../contract/ids.ts";
import type { Observation } from "../../contract/observation.ts";
import type { SessionState } from "../../contract/state.ts";
import type { CheckedClaim, CheckKind, Verification } from "../../contract/verification.ts";
import { checkClaims } from "./check-claims.ts";
import { checkOf, type FoundCheck, type ProjectChecks } from "./check-of-command.ts";

export interface Verifier {
  /** Called before every call runs: a check covers the changes up to then. */
  started(intentId: string): void;
  observed(observation: Observation): readonly EventDraft[];
  claims(answer: string): readonly CheckedClaim[];
}

interface CommandFacts {
  readonly command: string;
  readonly cwd: string;
  readonly exitCode: number | null;
  readonly job?: string;
  readonly running: boolean;
  readonly tests?: { readonly passed: number; readonly failed: number };
}

export function createVerifier(parts: {
  readonly state: SessionState;
  readonly ids: Ids;
  readonly project: ProjectChecks;
}): Verifier {
  const { state, ids, project } = parts;
  /** By intent while it runs, then by job while that runs. */
  const changeBefore = new Map<string, number>();

  function take(id: string): number | undefined {
    const before = changeBefore.get(id);
    changeBefore.delete(id);
    return before;
  }

  return {
    started: (intentId) => void changeBefore.set(intentId, state.lastChange),
    observed(observation) {
      const { data, intentId, auditId, metrics } = observation;
      const facts = commandFacts(data);
      const before = take(intentId);
      if (facts === undefined || before === undefined) return [];
      const { job, running, command, cwd, exitCode, tests: counts } = facts;
      if (running && job !== undefined) {
        if (!changeBefore.has(job)) changeBefore.set(job, before);
        return [];
      }
      const start = job === undefined ? before : take(job);
      const check = checkOf(command, project);
      const judged = check !== undefined && isHere(facts, check) ? judge(facts, check) : undefined;
      if (start === undefined || judged === undefined) return [];
      const seen = changeSeen(observation, start, job !== undefined);
      const id = ids.next("ver");
      const verification = { id, ...judged, command, cwd, exitCode, intentId, auditId, ...seen, at: metrics.endedAt };
      return [{ type: "verification.recorded", data: { ...verification, ...(counts && { counts }) } }];
    },
    claims: (answer) => checkClaims(answer, state),
  };

  /**
   * Other files that a check writes (reports, build output) do not invalidate earlier checks. Files that the session
   * has read or changed are its work: a check that changes them checked something else.
   */
  function changeSeen(
    { effects }: Observation,
    start: number,
    inBackground: boolean,
  ): Pick<Verification, "afterChange" | "ownChange"> {
    const written = effects.seen.filter(({ change }) => change !== undefined);
    if (written.length === 0 || state.lastChange === start || inBackground) return { afterChange: start };
    const touchesWork = written.some(({ target }) => state.baselines.has(target));
    return touchesWork ? { afterChange: start } : { afterChange: start, ownChange: state.lastChange };
  }

  /** A check of another project says nothing about this one. */
  function isHere({ cwd }: CommandFacts, { directory = "." }: FoundCheck): boolean {
    if (directory === "-" || /[~?]/.test(directory)) return false;
    return isInsideAny(path.resolve(state.workspace, cwd, directory), state.roots);
  }
}

function judge(
  { exitCode, tests }: CommandFacts,
  { kinds, piped }: FoundCheck,
): { readonly kinds: CheckKind[]; readonly passed: boolean } | undefined {
  const reported = kinds.includes("tests") ? tests : undefined;
  if (reported !== undefined && reported.failed > 0) return { kinds: ["tests"], passed: false };
  if (exitCode === 0) {
    // A runner that found no tests also succeeds.
    const counted = reported === undefined ? !piped : reported.passed > 0;
    const passed = kinds.filter((kind) => (kind === "tests" ? counted : !piped));
    return passed.length === 0 ? undefined : { kinds: passed, passed: true };
  }
  // Without an exit code it was killed by a signal or a deadline.
  return exitCode === null || piped ? undefined : { kinds: [...kinds], passed: false };
}

function commandFacts(data: Observation["data"]): CommandFacts | undefined {
  if (data === undefined || typeof data.command !== "string") return undefined;
  const { command, cwd, exitCode = null, job = data.id, state, tests } = data;
  if (typeof exitCode !== "number" && exitCode !== null) return undefined;
  return {
    ...{ command, cwd: typeof cwd === "string" ? cwd : ".", exitCode },
    running: data.job !== undefined || state === "running",
    ...(typeof job === "string" && { job }),
    ...(isCounts(tests) && { tests: { passed: tests.passed, failed: tests.failed } }),
  };
}

function isCounts(value: unknown): value is NonNullable<CommandFacts["tests"]> {
  return isRecord(value) && typeof value.passed === "number" && typeof value.failed === "number";
}
