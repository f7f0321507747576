import { z } from "zod";
import { lazy } from "../base/async.ts";

export const checkKinds = ["tests", "build", "lint", "types"] as const;
export type CheckKind = (typeof checkKinds)[number];

export const verification = lazy(() =>
  z.object({
    id: z.string(),
    kinds: z.array(z.enum(checkKinds)),
    command: z.string(),
    cwd: z.string(),
    passed: z.boolean(),
    exitCode: z.number().nullable(),
    counts: z.exactOptional(z.object({ passed: z.number(), failed: z.number() })),
    intentId: z.string(),
    auditId: z.string(),
    afterChange: z.number(),
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
    phrase: z.string(),
    verdict: z.enum(claimVerdicts),
    reason: z.string(),
    evidence: z.array(z.string()),
  }),
);
export type CheckedClaim = z.infer<ReturnType<typeof checkedClaim>>;
