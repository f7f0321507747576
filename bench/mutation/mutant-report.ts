import { isSampled } from "./sample.ts";
import type { FileOutcome } from "./score.ts";

/** The part of Stryker's JSON report that is read here. */
export interface MutantReport {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
}

interface Mutant {
  readonly status: string;
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly location: { readonly start: Place; readonly end: Place };
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** One outcome for each file of the step, also for those in which there was nothing to change. */
export function outcomesOf(
  { files }: MutantReport,
  step: readonly string[],
  { every, hashOf }: { readonly every: number; readonly hashOf: (file: string) => string },
): Record<string, FileOutcome> {
  return Object.fromEntries(
    step.map((file) => {
      const mutants = (files[file]?.mutants ?? []).filter((mutant) => isSampled(mutant, every));
      const count = (status: string) => mutants.filter((mutant) => mutant.status === status).length;
      const outcome: FileOutcome = {
        hash: hashOf(file),
        every,
        killed: count("Killed"),
        timedOut: count("Timeout"),
        survived: count("Survived"),
        uncovered: count("NoCoverage"),
        atLoad: count("Ignored"),
        unjudged: count("RuntimeError") + count("CompileError"),
      };
      return [file, outcome];
    }),
  );
}

/** For people: what no test noticed, a line each. */
export function survivorsOf({ files }: MutantReport): string {
  const lines = Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => status === "Survived" || status === "NoCoverage")
      .map((mutant) => {
        const { start } = mutant.location;
        const before = source.split("\n")[start.line - 1]?.trim() ?? "";
        const becomes = (mutant.replacement ?? "").replace(/\s+/g, " ").slice(0, 120);
        return `${file}:${start.line}:${start.column} ${mutant.status} ${mutant.mutatorName}\n  ${before}\n  → ${becomes}\n`;
      }),
  );
  return `${lines.join("")}`;
}
