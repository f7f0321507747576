import { groupedNumber } from "../../base/text.ts";
import type { AgentNotice } from "../../contract/app/agent.ts";
import { modelName } from "../../contract/model.ts";
import type { Observation } from "../../contract/observation.ts";
import { failureRows, titleWithInput } from "../render/call-words.ts";
import { painter, type Shown, say } from "../render/shown.ts";
import { durationText, oneLine } from "../render/table.ts";
import { wrapper } from "../render/wrap.ts";
import { statusLine } from "../status-line.ts";
import type { Output, Surface } from "../surface.ts";
import { spokenLines } from "./spoken-lines.ts";

export interface Progress {
  notice(notice: AgentNotice): void;
  clear(): void;
  /** The run is over: what the model had begun to say is told to whoever watches. */
  end(): void;
  /** Stands on the terminal already. */
  hasShown(answer: string): boolean;
}

type ServerNotice = Extract<AgentNotice, { readonly kind: "server" }>;

/**
 * A line for everything that came to an end, on standard error; what is under way only on a terminal. Where the answer
 * goes to a terminal as well, everything that the model says is shown there as it comes.
 */
export function showProgress(surface: Pick<Surface, "stderr">, answers?: Output): Progress {
  const paint = painter(surface.stderr);
  const wrap = wrapper(surface.stderr);
  const status = statusLine(surface);
  const told = new Set<string>();
  /** Of the calls under way, by intent. */
  const inputs = new Map<string, unknown>();
  const spoken = answers?.terminal === true && surface.stderr.terminal ? spokenLines(answers, status.clear) : undefined;
  let said = "";
  let saidBefore = "";
  let failed = "";
  const print = (line: Shown) => {
    spoken?.end();
    status.clear();
    void surface.stderr.write(`${wrap(line).text}\n`);
  };
  /** What the model says between its calls. Its last words are the answer, and go elsewhere. */
  const tellSaid = () => {
    const text = spoken === undefined ? said.trim() : "";
    said = "";
    for (const row of text === "" ? [] : text.split("\n")) print(paint("quiet", oneLine(row, 400)));
  };
  /** Whoever waits for its tools should know why they are not there; each reason once. */
  const tellServer = ({ status: server, message = server.detail }: ServerNotice) => {
    const { name, state, tools } = server;
    const isNew = state === "connecting" && tools === 0;
    if (!isNew && state !== "failed" && state !== "needs_login") return;
    const why = isNew ? "it starts for the first time; its tools are offered once it is ready" : message;
    const words = `${name}: ${oneLine(why ?? "", 400)}`;
    if (why === undefined || told.has(words)) return;
    told.add(words);
    print(say`${paint("warning", "server")} ${words}`);
  };
  /** How a call ended, in one line, and below it what a failure has more to say. */
  const tellObserved = (observation: Observation) => {
    const { ok, status: ended, code, metrics, intentId } = observation;
    const title = oneLine(titleWithInput(observation, inputs.get(intentId)), 200);
    inputs.delete(intentId);
    const mark = ok ? paint("good", "✓") : paint("bad", ended === "denied" ? "⊘" : "✗");
    const [first = "", ...below] = ok ? [] : failureRows(observation);
    const why = ok ? "" : `: ${code}${first === "" ? "" : `: ${oneLine(first, 400)}`}`;
    print(say`${mark} ${title}${why} ${paint("quiet", `(${durationText(metrics.durationMs)})`)}`);
    for (const row of below) print(say`  ${paint("quiet", oneLine(row, 400))}`);
  };
  /** What goes wrong in the same way attempt after attempt is told once. */
  const tellError = (words: string) => {
    if (words !== failed) print(say`${paint("bad", "model:")} ${words}`);
    failed = words;
  };
  return {
    clear: status.clear,
    end() {
      spoken?.end();
      status.clear();
      if (surface.stderr.terminal) tellSaid();
    },
    hasShown: (answer) => spoken !== undefined && answer === saidBefore,
    notice(notice) {
      switch (notice.kind) {
        case "text":
          said += notice.text;
          spoken?.add(notice.text);
          return status.show(spoken?.begun.trim() || "answering");
        case "turn_started":
          said = "";
          return status.show("thinking");
        case "turn_ended":
          failed = "";
          saidBefore = said;
          spoken?.end();
          status.clear();
          if (notice.reason === "tool_calls") tellSaid();
          said = "";
          return;
        case "queued":
        case "started":
        case "progressed":
        case "hook":
          return status.notice(notice);
        case "observed":
          tellObserved(notice.observation);
          return status.notice(notice);
        case "proposed":
        case "revised":
          inputs.set(notice.intentId, notice.input);
          return;
        case "piped":
          return print(say`${paint("warning", "notice:")} ${pipedWords(notice)}`);
        case "server":
          return tellServer(notice);
        case "provider_error":
          return tellError(`${notice.error.kind}: ${oneLine(notice.error.message, 300)}`);
        case "retrying":
          said = "";
          print(
            say`${paint("warning", "model:")} attempt ${notice.attempt} in ${(notice.delayMs / 1000).toFixed(1)} s`,
          );
          return status.show("thinking");
        case "fallback":
          said = "";
          print(say`${paint("warning", "model:")} ${modelName(notice.from)} → ${modelName(notice.to)}`);
          return status.show("thinking");
        case "compacted":
          return print(
            paint(
              "quiet",
              `older history is now shown by its facts: ${notice.tokensBefore} → ${notice.tokensAfter} tokens`,
            ),
          );
        case "reasoning":
          return status.show("thinking");
        case "proposing":
          return status.show(`proposing ${notice.tool}`);
        case "menu_changed":
        case "resource_updated":
        case "verified":
          return;
      }
    },
  };
}

function pipedWords({ bytes, omittedBytes }: Extract<AgentNotice, { readonly kind: "piped" }>): string {
  const all = `${groupedNumber(bytes)} bytes of standard input`;
  if (omittedBytes === 0) return `${all} go with the task.`;
  return `${all} are too many to show: excerpts of ${groupedNumber(bytes - omittedBytes)} bytes go with the task, and the model can read the rest.`;
}
