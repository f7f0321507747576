import { type Paint, type Shown, say } from "./shown.ts";

/** One line of a diff in the colour of what it does. */
export function diffLine(line: string, paint: Paint): Shown {
  if (line.startsWith("+")) return paint("good", line);
  if (line.startsWith("-")) return paint("bad", line);
  return line.startsWith("@") ? paint("accent", line) : say`${line}`;
}
