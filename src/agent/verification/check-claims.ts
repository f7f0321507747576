import path from "node:path";
import type { CheckedClaim, CheckKind, ClaimKind, Verification } from "../../contract/verification.ts";
import { type Claim, readClaims } from "./read-claims.ts";

export interface Evidence {
  /** The latest check of each kind. */
  readonly verifications: ReadonlyMap<CheckKind, Verification>;
  /** Sequence number of the last change of a file. */
  readonly lastChange: number;
  /** Every file that was changed, by its path. */
  readonly changedFiles: ReadonlyMap<string, unknown>;
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

function checkClaim({ kind, phrase }: Claim, { verifications, lastChange, changedFiles }: Evidence): CheckedClaim {
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
  if (!latest.passed) {
    return { kind, phrase, verdict: "contradicted", reason: `${ran} failed${exitText(latest)}.`, evidence };
  }
  if (lastChange === 0) {
    const verdict = kind === "fixed" ? "unsupported" : "supported";
    return { kind, phrase, verdict, reason: `${ran} passed, and nothing was changed.`, evidence };
  }
  const reason = `${ran} passed after the last change.${changedChecks(changedFiles)}`;
  return { kind, phrase, verdict: "supported", reason, evidence };
}

const nothingRan: Readonly<Record<ClaimKind, string>> = {
  tests: "No command showed how tests end",
  build: "Nothing was built or type-checked",
  lint: "No linter ran",
  fixed: "Nothing checked the work",
};

/** Names of what says what is checked: tests, and where the checks are set up. */
const checkFiles =
  /(?:^|\/)(?:(?:tests?|specs?|__tests__|__snapshots__)\/[^/]+|[^/]*[._-](?:test|spec)s?\.[^/]+|test_[^/]+\.py|conftest\.py|package\.json|pyproject\.toml|tox\.ini|Makefile|justfile|[^/]*(?:jest|vitest|eslint|biome|tsconfig)[^/]*)$/;
/** What a run of the checks leaves behind. */
const compiled = /(?:^|\/)__pycache__(?:\/|$)|\.py[co]$/;
const named = 3;

/** A check that was changed along the way shows less than one that was there before, and a person should know. */
function changedChecks(changedFiles: Evidence["changedFiles"]): string {
  const changed = [...changedFiles.keys()]
    .filter((file) => checkFiles.test(file) && !compiled.test(file))
    .map((file) => path.basename(file));
  if (changed.length === 0) return "";
  const more = changed.length > named ? ` and ${changed.length - named} more` : "";
  return ` The session changed what it checks with: ${changed.slice(0, named).join(", ")}${more}.`;
}

function newest(verifications: readonly Verification[]): Verification | undefined {
  return verifications.toSorted((a, b) => (a.at < b.at ? 1 : -1))[0];
}

function exitText({ exitCode, counts }: Verification): string {
  if (counts !== undefined && counts.failed > 0) return `: ${counts.failed} of ${counts.failed + counts.passed} failed`;
  return exitCode === null ? "" : ` with exit code ${exitCode}`;
}
