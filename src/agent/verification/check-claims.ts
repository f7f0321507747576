import path from "node:path";
import {
  type CheckedClaim,
  type CheckKind,
  type ClaimKind,
  claimKinds,
  type Verification,
} from "../../contract/verification.ts";

export interface Evidence {
  readonly verifications: ReadonlyMap<CheckKind, Verification>;
  readonly lastChange: number;
  readonly changedFiles: ReadonlyMap<string, unknown>;
}

/** The kinds of checks that are evidence for a claim; the first kind that ran decides. */
const speaksFor: Readonly<Record<ClaimKind, readonly (readonly CheckKind[])[]>> = {
  tests: [["tests"]],
  build: [["build", "types"]],
  lint: [["lint"]],
  fixed: [["tests"], ["build", "types"], ["lint"]],
};

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
    const reason = `Files changed after ${ran} ${latest.passed ? "passed" : "failed"}.`;
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
  tests: "No test run was recorded",
  build: "No build or type check was recorded",
  lint: "No linter run was recorded",
  fixed: "No check was recorded",
};

const checkFiles =
  /(?:^|\/)(?:(?:tests?|specs?|__tests__|__snapshots__)\/[^/]+|[^/]*[._-](?:test|spec)s?\.[^/]+|test_[^/]+\.py|conftest\.py|package\.json|pyproject\.toml|tox\.ini|Makefile|justfile|[^/]*(?:jest|vitest|eslint|biome|tsconfig)[^/]*)$/;
const compiled = /(?:^|\/)__pycache__(?:\/|$)|\.py[co]$/;
const named = 3;

/** A check that the session itself changed is weaker evidence, and the user should know. */
function changedChecks(changedFiles: Evidence["changedFiles"]): string {
  const changed = [...changedFiles.keys()]
    .filter((file) => checkFiles.test(file) && !compiled.test(file))
    .map((file) => path.basename(file));
  if (changed.length === 0) return "";
  const more = changed.length > named ? ` and ${changed.length - named} more` : "";
  return ` The session changed its own checks: ${changed.slice(0, named).join(", ")}${more}.`;
}

function newest(verifications: readonly Verification[]): Verification | undefined {
  return verifications.toSorted((a, b) => (a.at < b.at ? 1 : -1))[0];
}

function exitText({ exitCode, counts }: Verification): string {
  if (counts !== undefined && counts.failed > 0) return `: ${counts.failed} of ${counts.failed + counts.passed} failed`;
  return exitCode === null ? "" : ` with exit code ${exitCode}`;
}

export interface Claim {
  readonly kind: ClaimKind;
  readonly phrase: string;
}

const subject = {
  tests:
    "(?:all |every |the |these |existing |new |remaining |unit |integration |end-to-end |e2e |failing |previously |\\d+ |of |\\d+\\/)*(?:tests?|specs?|test suite|test cases?|suite)",
  build:
    "(?:the |project |production |whole |code |codebase |it )*(?:build|compilation|project|code|codebase|types?|type ?check(?:ing|er)?|typescript|tsc)",
  lint: "(?:the |project |all )*(?:lint(?:er|ers|ing)?|eslint|biome|ruff|clippy|static analysis)(?: checks?| rules?)?",
} as const;
const now = "(?: (?:now|all|again|still|successfully|fully|cleanly|locally|currently))*";

const phrases: Readonly<Record<ClaimKind, readonly RegExp[]>> = {
  tests: [
    new RegExp(
      `\\b${subject.tests}${now} (?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|(?:is|are|was|were|run|runs|ran)${now} (?:green|passing|successful|clean(?:ly)?|ok|fine|successfully|without (?:errors?|failures?)))\\b`,
      "i",
    ),
    /\b(?:passing tests|tests?: (?:✅|✓|passed|pass|ok|green)|(?:\d+|all|every) (?:of \d+ )?tests? pass(?:ed|ing)?|everything (?:now )?passes)/i,
    /\b(?:ran|verified|confirmed)(?: (?:with|by running))? (?:the |all |full )*tests?(?: suite)?(?: and| —|,) (?:all |they |it |everything )*(?:pass|passed|passes|is green|are green)\b/i,
  ],
  build: [
    new RegExp(
      `\\b${subject.build}${now} (?:pass(?:es|ed)?|succeed(?:s|ed)?|compil(?:es|ed)|builds?|check(?:s|ed)? (?:out|cleanly)|(?:is|are|was)${now} (?:green|passing|successful|clean|error-free))\\b`,
      "i",
    ),
    /\b(?:compiles|builds|type-?checks) (?:cleanly|successfully|without (?:errors?|warnings?)|now|again)\b/i,
    /\bno (?:type|compile|compilation|build) errors?\b/i,
  ],
  lint: [
    new RegExp(
      `\\b${subject.lint}${now} (?:pass(?:es|ed)?|succeed(?:s|ed)?|(?:is|are|was)${now} (?:green|passing|clean|happy|successful))\\b`,
      "i",
    ),
    /\bno (?:lint|linting|eslint|linter) (?:errors?|warnings?|issues?|problems?)\b/i,
  ],
  fixed: [
    /\b(?:(?:i|we)(?:'ve|’ve| have)? (?:now |also |successfully )*(?:fixed|resolved|repaired|solved|corrected)\b|(?:the |this |that |your )?(?:bugs?|issues?|problems?|errors?|failures?|crash|regression|it|everything|failing tests?)(?: (?:is|are|has been|have been|was|were))(?: now| all| fully)* (?:fixed|resolved|solved|repaired)\b|(?:now )?works (?:correctly|again|as expected)\b|^(?:fixed|resolved|solved)\b)/i,
  ],
};

/** Words of intention, condition and negation. */
const notSaid =
  /\b(?:not|none|neither|never|cannot|no longer|unable|didn't|doesn't|don't|isn't|aren't|wasn't|weren't|haven't|hasn't|won't|can't|couldn't|without running|if|once|when|until|unless|whether|should|would|could|might|may|will|must|need(?:s|ed)? to|ought|want|wish|expect(?:ed)?|hope(?:fully)?|presumably|probably|likely|assum(?:e|ing)|make sure|ensure|verify that|check that|confirm that|to see|try(?:ing)? to|before|previously failing|still fail(?:s|ing)?|fail(?:s|ed|ing)?|unfixed|partially|remain(?:s|ing)?)\b/i;

/** The claims of an answer about the work, each kind once, in order. */
export function readClaims(answer: string): readonly Claim[] {
  const claims = new Map<ClaimKind, Claim>();
  for (const phrase of sentencesOf(answer)) {
    for (const kind of claimKinds) {
      const isSaid = (pattern: RegExp) => {
        const found = pattern.exec(phrase);
        return found !== null && !isHedged(phrase, found);
      };
      if (!claims.has(kind) && phrases[kind].some(isSaid)) claims.set(kind, { kind, phrase });
    }
  }
  return [...claims.values()];
}

/** Only the clause before the phrase, the phrase and the next word can negate it. */
function isHedged(sentence: string, { index, 0: phrase }: RegExpExecArray): boolean {
  const clause =
    sentence
      .slice(0, index)
      .split(/[,;:—]| and | but | so /)
      .at(-1) ?? "";
  if (/^ (?:before|earlier|previously|until|only)\b/i.test(sentence.slice(index + phrase.length))) return true;
  return notSaid.test(clause) || notSaid.test(phrase.replace(/\b(?:previously )?failing\b/gi, ""));
}

/** The patterns backtrack, and the model chooses their input. */
const longestSentence = 300;
const longestAnswer = 20_000;

/** Prose only: code, quotations and questions are not claims. Of a long answer only the end counts. */
function sentencesOf(answer: string): readonly string[] {
  return answer
    .slice(-longestAnswer)
    .replace(/```[\s\S]*?(?:```|$)/g, "\n")
    .replace(/^[ \t]*>.*$/gm, "")
    .replace(/`[^`\n]*`/g, "…")
    .replace(/[*_#]+/g, "")
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.replace(/^\s*(?:[-•]|\d+[.)])\s*/, "").trim())
    .filter((sentence) => sentence !== "" && !sentence.endsWith("?"))
    .map((sentence) => sentence.slice(0, longestSentence));
}
