import { createOneAtATime } from "../base/async.ts";
import type { DoorOptions } from "../contract/app/door.ts";
import { askPerson } from "./ask-person.ts";
import { elicitPerson } from "./elicit/elicit-person.ts";
import type { Output, Question } from "./surface.ts";

/** Who answers what calls and servers ask; nobody without a terminal. */
export function personAt(
  output: Output,
  question: Question | undefined,
  beforeAsking: () => void,
): Pick<DoorOptions, "ask" | "elicit"> {
  if (question === undefined) return {};
  // A terminal has one person, and an answer must not meet the wrong question.
  const oneAtATime = createOneAtATime();
  return {
    ask: askPerson(output, question, beforeAsking, oneAtATime),
    elicit: elicitPerson(output, question, beforeAsking, oneAtATime),
  };
}
