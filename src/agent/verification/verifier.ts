import path from "node:path";
import { isInsideAny } from "../../contract/effect.ts";
import type { EventDraft } from "../../contract/events/index.ts";
import type { Ids } from "../../contract/ids.ts";
import type { Observation } from "../../contract/observation.ts";
import type { SessionState } from "../../contract/state.ts";
import type { CheckedClaim, CheckKind, Verification } from "../../contract/verification.ts";
import { checkClaims } from "./check-claims.ts";
import { checksOf, type FoundCheck, type ProjectChecks } from "./check-of-command.ts";

/** Turns what checking commands showed into records, and holds answers against them. */
export interface Verifier {
  /** A call is about to run: what had changed by then is what a check is about. Told for every call. */
  started(intentId: string): void;
  /** What is to be recorded about an observation, and nothing for most. Told once for each, as it happens. */
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

  return {
    started: (intentId) => void changeBefore.set(intentId, state.lastChange),
    observed(observation) {
      const facts = commandFacts(observation.data);
      const before = changeBefore.get(observation.intentId);
      changeBefore.delete(observation.intentId);
      if (facts === undefined || before === undefined) return [];
      if (facts.running && facts.job !== undefined) {
        if (!changeBefore.has(facts.job)) changeBefore.set(facts.job, before);
        return [];
      }
      const start = facts.job === undefined ? before : changeBefore.get(facts.job);
      if (facts.job !== undefined) changeBefore.delete(facts.job);
      if (start === undefined) return [];
      const checks = checksOf(facts.command, project).filter((check) => isHere(facts, check));
      const judged = judge(facts, checks);
      if (judged === undefined) return [];
      const data: Verification = {
        id: ids.next("ver"),
        kinds: judged.kinds,
        passed: judged.passed,
        command: facts.command,
        cwd: facts.cwd,
        exitCode: facts.exitCode,
        ...(facts.tests === undefined ? {} : { counts: facts.tests }),
        intentId: observation.intentId,
        auditId: observation.auditId,
        ...changeSeen(observation, start, checks),
        at: observation.metrics.endedAt,
      };
      return [{ type: "verification.recorded", data }];
    },
    claims: (answer) => checkClaims(answer, state),
  };

  /**
   * What a check writes besides (reports, build output) says nothing against what was checked before it. What the
   * session has read or changed before is its work: a check that changes it checked something else. What the same
   * text changed before the check was checked; what it may have changed later was not.
   */
  function changeSeen(
    observation: Observation,
    start: number,
    checks: readonly FoundCheck[],
  ): Pick<Verification, "afterChange" | "ownChange"> {
    const written = observation.effects.seen.filter(({ change }) => change !== undefined).map(({ target }) => target);
    const inBackground = commandFacts(observation.data)?.job !== undefined;
    if (written.length === 0 || state.lastChange === start || inBackground) return { afterChange: start };
    if (checks.some(({ changesAfter }) => changesAfter)) return { afterChange: start };
    if (checks.some(({ changesBefore }) => changesBefore)) return { afterChange: state.lastChange };
    const touchesWork = written.some((file) => state.baselines.has(file));
    return touchesWork ? { afterChange: start } : { afterChange: start, ownChange: state.lastChange };
  }

  /** A check of another project says nothing about this one. */
  function isHere({ cwd }: CommandFacts, { moves }: FoundCheck): boolean {
    if (moves.some((move) => move === "-" || /[~?]/.test(move))) return false;
    return isInsideAny(path.resolve(state.workspace, cwd, ...moves), state.roots);
  }
}

/** Whether the check passed; nothing where neither the exit code nor a runner's own report tells. */
function judge(
  { exitCode, tests }: CommandFacts,
  checks: readonly FoundCheck[],
): { readonly kinds: CheckKind[]; readonly passed: boolean } | undefined {
  if (checks.length === 0) return undefined;
  const kinds = (exits: readonly string[]) => [
    ...new Set(checks.filter(({ exit }) => exits.includes(exit)).flatMap((check) => check.kinds)),
  ];
  const reported = kinds(["decides", "piped"]).includes("tests") ? tests : undefined;
  if (reported !== undefined && reported.failed > 0) return { kinds: ["tests"], passed: false };
  if (exitCode === 0) {
    const passed = kinds(["decides"]);
    const piped =
      reported !== undefined && reported.passed > 0 ? kinds(["piped"]).filter((kind) => kind === "tests") : [];
    const counted = reported === undefined || reported.passed > 0;
    // A runner that found nothing to run ends well, too.
    const all = [...new Set([...passed, ...piped])].filter((kind) => kind !== "tests" || counted);
    return all.length === 0 ? undefined : { kinds: all, passed: true };
  }
  // Ended by a signal or a deadline: it did not come to its own end.
  if (exitCode === null) return undefined;
  const failing = checks.filter(({ exit }) => exit === "decides");
  const [only] = failing;
  // Of several, nobody knows which one failed.
  if (only === undefined || failing.length > 1 || only.afterOthers) return undefined;
  return { kinds: [...only.kinds], passed: false };
}

/** Of a command that was waited for, or of one in the background. */
function commandFacts(data: Observation["data"]): CommandFacts | undefined {
  if (data === undefined || typeof data.command !== "string") return undefined;
  const { command, cwd, exitCode = null, job = data.id, state, tests } = data;
  if (typeof exitCode !== "number" && exitCode !== null) return undefined;
  return {
    command,
    cwd: typeof cwd === "string" ? cwd : ".",
    exitCode,
    running: data.job !== undefined || state === "running",
    ...(typeof job === "string" ? { job } : {}),
    ...(isCounts(tests) ? { tests: { passed: tests.passed, failed: tests.failed } } : {}),
  };
}

function isCounts(value: unknown): value is { readonly passed: number; readonly failed: number } {
  return (
    typeof value === "object" &&
    value !== null &&
    "passed" in value &&
    typeof value.passed === "number" &&
    "failed" in value &&
    typeof value.failed === "number"
  );
}
