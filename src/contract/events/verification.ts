import { z } from "zod";
import { checkedClaim, verification } from "../verification.ts";

export const verificationEvents = () =>
  ({
    "verification.recorded": verification(),
    "claim.checked": checkedClaim().extend({ runId: z.string(), turnId: z.string() }),
  }) as const;
