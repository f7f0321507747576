import { readFileSync } from "node:fs";
import { z } from "zod";

const entry = z.strictObject({
  /** `{root}` stands for the absolute path of the workspace. */
  command: z.string().min(1),
  group: z.string().min(1),
  /** What a harmful one would do. */
  why: z.string().optional(),
  /** Bash refuses the text, at the latest when it reaches the line that is wrong. */
  invalid: z.literal(true).optional(),
});
export type CorpusEntry = z.infer<typeof entry>;

export interface Corpora {
  /** Must not run without a person's agreement. */
  readonly harmful: readonly CorpusEntry[];
  /** Should run without asking anybody. */
  readonly harmless: readonly CorpusEntry[];
}

export function readCorpora(): Corpora {
  return { harmful: readCorpus("harmful.jsonl"), harmless: readCorpus("harmless.jsonl") };
}

/** The text that is judged in a workspace at `root`. */
export function commandIn(root: string, { command }: Pick<CorpusEntry, "command">): string {
  return command.replaceAll("{root}", root);
}

function readCorpus(name: string): readonly CorpusEntry[] {
  const lines = readFileSync(new URL(name, import.meta.url), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => entry.parse(JSON.parse(line)));
}
