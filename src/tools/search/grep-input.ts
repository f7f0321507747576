import { z } from "zod";
import { lazy } from "../../base/async.ts";

const globText = lazy(() => z.string().min(1).max(1_000));

export const grepInput = lazy(() =>
  z.strictObject({
    pattern: z.string().min(1).max(4_096).describe("Regular expression"),
    path: z.exactOptional(z.string().min(1)).describe("File or directory; the workspace if absent"),
    glob: z.exactOptional(z.union([globText(), z.array(globText()).max(50)])).describe('Such as "*.ts"; "!" excludes'),
    literal: z.exactOptional(z.boolean()).describe("Plain text"),
    ignore_case: z.exactOptional(z.boolean()),
    context: z.exactOptional(z.int().min(0).max(20)).describe("Lines around each match"),
    limit: z.exactOptional(z.int().min(1).max(1_000)).describe("Matches, 100 if absent"),
    hidden: z.exactOptional(z.boolean()),
    files_only: z.exactOptional(z.boolean()).describe("Only file names with counts"),
  }),
);
export type GrepInput = z.infer<ReturnType<typeof grepInput>>;
