import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const target = fileURLToPath(new URL("figures.json", import.meta.url));

/** Of one contestant: medians over the rounds of one measurement. */
const agentFigures = z.strictObject({
  label: z.string(),
  startMs: z.number(),
  startProcessorMs: z.number(),
  readMs: z.number(),
  readProcessorMs: z.number(),
  shellMs: z.number(),
  searchMs: z.number(),
  tenReadsMs: z.number(),
  firstBytes: z.number(),
  firstTokens: z.number().optional(),
  growth: z.number(),
  longResidentMb: z.number(),
  longWrittenMb: z.number(),
  bigBytesShown: z.number(),
  bigSizeTold: z.boolean(),
  bigReadable: z.boolean(),
});
export type AgentFigures = z.infer<typeof agentFigures>;

const soakFigures = z.strictObject({
  turns: z.int(),
  residentMbEarly: z.number(),
  residentMbLate: z.number(),
  processorMsEarly: z.number(),
  processorMsLate: z.number(),
  overheadMsEarly: z.number(),
  overheadMsLate: z.number(),
});
export type SoakFigures = z.infer<typeof soakFigures>;

const figures = z.strictObject({
  machine: z.string(),
  rounds: z.int(),
  agents: z.array(agentFigures),
  soak: soakFigures.optional(),
});
export type Figures = z.infer<typeof figures>;

export function readFigures(): Figures | undefined {
  try {
    return figures.parse(JSON.parse(readFileSync(target, "utf8")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export function writeFigures(given: Figures): void {
  writeFileSync(target, `${JSON.stringify(given, null, 2)}\n`);
}
