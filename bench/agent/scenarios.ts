import { fileName, needle } from "./sample-project.ts";

/** What a scripted model asks for, in no agent's words. */
export type Operation =
  | { readonly does: "read"; readonly file: string }
  | { readonly does: "shell"; readonly command: string }
  | { readonly does: "search"; readonly pattern: string }
  /** Only where an agent keeps what it did not show: the text is in what was left out. */
  | { readonly does: "reread"; readonly around: string };

export interface Scenario {
  readonly name: string;
  /** One list of operations a turn; after the last the model says that it is done. */
  readonly turns: readonly (readonly Operation[])[];
}

const bigLines = 100_000;
export const bigBytes = bigLines * 51;
export const bigLine = (line: number) => `line ${String(line).padStart(8, "0")} abcdefghijklmnopqrstuvwxyz0123456789`;
export const rereadLines = [40_000, 54_321, 80_000] as const;

const repeat = <Item>(count: number, make: (index: number) => Item) => Array.from({ length: count }, (_, i) => make(i));
const reads = (count: number) => repeat(count, (turn) => [read(turn * 9 + 1)]);

function read(index: number): Operation {
  return { does: "read", file: fileName(index) };
}

/** No two calls of a scenario are alike: nobody's memory of an earlier answer is what is measured. */
export const scenarios = {
  text: { name: "text only", turns: [] },
  read: { name: "30 turns with a read", turns: reads(30) },
  tenReads: { name: "a turn with ten reads", turns: [repeat(10, (index) => read(300 + index * 11))] },
  shell: {
    name: "20 turns with `true`",
    turns: repeat(20, (turn) => [{ does: "shell", command: `true ${turn}` }]),
  },
  search: {
    name: "10 turns with a search in 2,000 files",
    turns: repeat(10, (turn) => [{ does: "search", pattern: needle(turn) }]),
  },
  big: {
    name: "a command that prints 5.1 MB",
    turns: [
      [{ does: "shell", command: `seq -f 'line %08.0f abcdefghijklmnopqrstuvwxyz0123456789' 1 ${bigLines}` }],
      ...rereadLines.map((line): Operation[] => [{ does: "reread", around: bigLine(line) }]),
    ],
  },
  long: { name: "200 turns with a read", turns: reads(200) },
} satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;

export function soakScenario(turns: number): Scenario {
  return { name: `${turns} turns with a read`, turns: reads(turns) };
}
