import type { CheckedClaim, CheckKind, ClaimKind, Verification } from "../../contract/verification.ts";
import { type Claim, readClaims } from "./read-claims.ts";

export interface Evidence {
  /** The latest check of each kind. */
  readonly verifications: ReadonlyMap<CheckKind, Verification>;
  /** Sequence number of the last change of a file. */
  readonly lastChange: number;
}

/** Checks of these kinds speak about a claim; the first kind that was checked decides. */
const speaksFor: Readonly<Record<ClaimKind, readonly (readonly CheckKind[])[]>> = {
  tests: [["tests"]],
  build: [["build", "types"]],
  lint: [["lint"]],
  fixed: [["tests"], ["build", "types"], ["lint"]],
};

/** Holds what an answer states against what was recorded. */
export function checkClaims(answer: string, evidence: Evidence): readonly CheckedClaim[] {
  return readClaims(answer).map((claim) => checkClaim(claim, evidence));
}

function checkClaim({ kind, phrase }: Claim, { verifications, lastChange }: Evidence): CheckedClaim {
  const latest = speaksFor[kind]
    .map((kinds) => newest(kinds.flatMap((one) => verifications.get(one) ?? [])))
    .find((verification) => verification !== undefined);
  if (latest === undefined) {
    return { kind, phrase, verdict: "unsupported", reason: `${nothingRan[kind]}.`, evidence: [] };
  }
  const evidence = [latest.id];
  const ran = `\`${latest.command}\``;
  if (latest.afterChange !== lastChange) {
    const reason = `Files were changed after ${ran} ${latest.passed ? "passed" : "failed"}.`;
    return { kind, phrase, verdict: "unsupported", reason, evidence };
  }
  return latest.passed
    ? { kind, phrase, verdict: "supported", reason: `${ran} passed after the last change.`, evidence }
    : { kind, phrase, verdict: "contradicted", reason: `${ran} failed${exitText(latest)}.`, evidence };
}

const nothingRan: Readonly<Record<ClaimKind, string>> = {
  tests: "No tests ran",
  build: "Nothing was built or type-checked",
  lint: "No linter ran",
  fixed: "Nothing checked the work",
};

function newest(verifications: readonly Verification[]): Verification | undefined {
  return verifications.toSorted((a, b) => (a.at < b.at ? 1 : -1))[0];
}

function exitText({ exitCode, counts }: Verification): string {
  if (counts !== undefined && counts.failed > 0) return `: ${counts.failed} of ${counts.failed + counts.passed} failed`;
  return exitCode === null ? "" : ` with exit code ${exitCode}`;
}
