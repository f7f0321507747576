import { z } from "zod";
import { lazy } from "../../base/async.ts";

const count = lazy(() => z.int().min(1).max(1_000_000_000));

export const readArtifactInput = lazy(() =>
  z
    .strictObject({
      id: z.string().min(1).max(200),
      offset: z.exactOptional(count()).describe("First line, from 1"),
      limit: z.exactOptional(count()).describe("Lines, 500 if absent"),
      tail: z.exactOptional(count()).describe("Last lines instead"),
      around: z.exactOptional(z.string().min(1).max(500)).describe("First line with this text and its neighbours"),
      context: z.exactOptional(z.int().min(0).max(500)).describe("Neighbours on each side, 20 if absent"),
      offset_bytes: z.exactOptional(z.int().min(0)).describe("First byte instead of a line"),
    })
    .refine((call) => [call.offset, call.tail, call.around, call.offset_bytes].filter(isGiven).length <= 1, {
      message: "give only one of offset, tail, around and offset_bytes",
    }),
);
export type ReadArtifactInput = z.infer<ReturnType<typeof readArtifactInput>>;

function isGiven(value: unknown): boolean {
  return value !== undefined;
}
