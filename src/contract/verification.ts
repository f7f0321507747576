import { z } from "zod";
import { lazy } from "../base/async.ts";

/** What a check is about. A closed list. */
export const checkKinds = ["tests", "build", "lint", "types"] as const;
export type CheckKind = (typeof checkKinds)[number];

/**
 * An observation that says whether the goal was checked. It holds for the workspace as it was then: any change
 * that comes later makes it old.
 */
export const verification = lazy(() =>
  z.object({
    id: z.string(),
    /** One command may check several things. */
    kinds: z.array(z.enum(checkKinds)),
    command: z.string(),
    cwd: z.string(),
    passed: z.boolean(),
    exitCode: z.number().nullable(),
    /** What the runner itself counted, where it could be read. */
    counts: z.exactOptional(z.object({ passed: z.number(), failed: z.number() })),
    intentId: z.string(),
    /** Id of the event that records the observation. */
    auditId: z.string(),
    /** Sequence number of the last change of a file before it; 0 when nothing was changed. */
    afterChange: z.number(),
    /** The last change when the check wrote nothing but output of its own: up to here nothing counts as changed. */
    ownChange: z.exactOptional(z.number()),
    at: z.string(),
  }),
);
export type Verification = z.infer<ReturnType<typeof verification>>;

/** What an answer says about the work. Anything else in it is not recognised, and so never supported. */
export const claimKinds = ["tests", "build", "lint", "fixed"] as const;
export type ClaimKind = (typeof claimKinds)[number];

const claimVerdicts = ["supported", "contradicted", "unsupported"] as const;

export const checkedClaim = lazy(() =>
  z.object({
    kind: z.enum(claimKinds),
    /** The words of the answer. */
    phrase: z.string(),
    /**
     * `supported`: a check of this kind passed after the last change. `contradicted`: the last one failed.
     * `unsupported`: none ran, or files changed since.
     */
    verdict: z.enum(claimVerdicts),
    reason: z.string(),
    /** Ids of verifications. */
    evidence: z.array(z.string()),
  }),
);
export type CheckedClaim = z.infer<ReturnType<typeof checkedClaim>>;
