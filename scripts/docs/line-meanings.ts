import type { StreamLine } from "../../src/contract/app/stream-line.ts";

export const lineMeanings: Readonly<Record<StreamLine["type"], string>> = {
  started: "The first line: session, workspace, mode and model.",
  piped:
    "Standard input was added to the message, except `omittedBytes` of it, which the model can read with `read_artifact`.",
  turn: "A request to the model. `turn` counts from 1 in this run.",
  text: "A piece of the model's text, as it arrives.",
  reasoning: "A piece of the model's visible reasoning. No decision depends on it.",
  proposed:
    "A call that the model, or a user with `@`, proposed: its input as in the log, with secrets replaced by marks. Each text in it is cut to 2,000 characters, the whole to 20,000, and `omittedChars` says by how much. The decision comes later.",
  revised: "A hook changed the proposed input.",
  call: "A proposed call was accepted and waits (`queued`), or runs (`started`). Calls that were refused earlier have only their observation.",
  progress: "Progress of a running call.",
  observation: "The single end of every call, even of a refused one: the complete observation.",
  turn_ended: "The model's turn ended, with its token usage.",
  provider_error: "The provider failed. The runtime decides the next step (`retrying`, `fallback`, the end).",
  retrying: "The request is retried with the same model after a delay.",
  fallback: "Fallback to another configured model.",
  compacted: "Compaction: from here on the model sees a summary of the older history.",
  verified: "A command that checks the work ended: a verification was recorded.",
  hook: "A message of a hook.",
  failed:
    "The only line (and the only output of `--output json`) if the run could not start: what is wrong and what to do.",
  result:
    "The last line (and the only output of `--output json`): the report, built from the log. Only `answer` and `claims[].phrase` are the model's words.",
};
