import type { StreamLine } from "../../src/contract/app/stream-line.ts";

export const lineMeanings: Readonly<Record<StreamLine["type"], string>> = {
  started: "The first line: which session, where, in which mode, with which model.",
  piped:
    "What came on standard input lies before the model, but for `omittedBytes` of it, which it can read with `read_artifact`.",
  turn: "The model is asked. `turn` counts from 1 in this run.",
  text: "A piece of what the model says, as it comes.",
  reasoning: "A piece of what the model shows of its thinking. Nothing is decided by it.",
  proposed:
    "A call that the model, or a person with `@`, proposed: its input as it stands in the log, with secrets replaced by marks. Texts in it are cut to 2,000 characters each, the whole to 20,000, and `omittedChars` says by how much. Whether it may run is decided after it.",
  revised: "A hook put another input in the place of the proposed one.",
  call: "A proposed call was accepted and waits (`queued`), or runs (`started`). Calls that were refused before have only their observation.",
  progress: "What a running call says about itself.",
  observation: "The one end of every call, also of a refused one: the complete observation.",
  turn_ended: "The model has said what it had to say in this turn, and what that used up.",
  provider_error: "The provider failed. What follows (`retrying`, `fallback`, the end) is the runtime's decision.",
  retrying: "The same model will be asked again after a pause.",
  fallback: "Another model of the chain takes over.",
  compacted: "Older history is shown to the model by its facts from here on.",
  verified: "A command that checks the work has ended: a verification was recorded.",
  hook: "A program that the person set up has something to say.",
  failed:
    "The only line, and all that `--output json` prints, when the run could not start: what is wrong and what to do.",
  result:
    "The last line, and all that `--output json` prints: what happened, built from the log. `answer` and `claims[].phrase` are the model's words, nothing else is.",
};
