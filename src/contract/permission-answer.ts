import { z } from "zod";
import { lazy } from "./lazy.ts";
import { remembers } from "./verdict.ts";

/** What may come back from whoever was asked. Somebody else wrote it. */
export const permissionAnswer = lazy(() =>
  z.object({
    request: z.string(),
    answer: z.enum(["allow", "deny"]),
    remember: z.exactOptional(z.enum(remembers)),
    only: z.exactOptional(z.array(z.string()).readonly()),
    message: z.exactOptional(z.string()),
    by: z.exactOptional(z.string()),
  }),
);
