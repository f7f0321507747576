import { block } from "../render/shown.ts";
import type { Output } from "../surface.ts";

/** What a model says, on the terminal line by line while it comes. */
export interface SpokenLines {
  add(text: string): void;
  /** The line that has begun and is not complete. */
  readonly begun: string;
  /** Nothing more comes of it. */
  end(): void;
}

export function spokenLines(output: Output, beforeLine: () => void): SpokenLines {
  let begun = "";
  /** Empty lines are held back: at the beginning and at the end they are nothing. */
  let empty = 0;
  let isFirst = true;
  const print = (line: string) => {
    if (line.trim() === "") {
      empty++;
      return;
    }
    beforeLine();
    // Nobody who could read it is left; whoever runs the task learns that elsewhere.
    output.write(`${"\n".repeat(isFirst ? 0 : empty)}${block(line).text}\n`).catch(() => {});
    empty = 0;
    isFirst = false;
  };
  return {
    get begun() {
      return begun;
    },
    add(text) {
      const [first = "", ...rest] = text.split("\n");
      begun += first;
      for (const line of rest) {
        print(begun);
        begun = line;
      }
    },
    end() {
      print(begun);
      begun = "";
      empty = 0;
      isFirst = true;
    },
  };
}
