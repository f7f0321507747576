import type { DoorOptions } from "../contract/door.ts";
import { askPerson } from "./ask-person.ts";
import { elicitPerson } from "./elicit/elicit-person.ts";
import type { Output, Question } from "./surface.ts";
import { createTurns } from "./turns.ts";

/** Who answers what calls and servers ask; nobody without a terminal. */
export function personAt(
  output: Output,
  question: Question | undefined,
  beforeAsking: () => void,
): Pick<DoorOptions, "ask" | "elicit"> {
  if (question === undefined) return {};
  const turns = createTurns();
  return {
    ask: askPerson(output, question, beforeAsking, turns),
    elicit: elicitPerson(output, question, beforeAsking, turns),
  };
}
