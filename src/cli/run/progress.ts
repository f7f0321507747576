import { groupedNumber } from "../../base/text.ts";
import type { AgentNotice } from "../../contract/app/agent.ts";
import type { DoorNotice } from "../../contract/app/door.ts";
import { modelName } from "../../contract/model.ts";
import type { Observation } from "../../contract/observation.ts";
import { failureRows, titleWithInput } from "../render/observation.ts";
import { block, painter, type Shown, say } from "../render/shown.ts";
import { durationText, oneLine } from "../render/table.ts";
import { wrapper } from "../render/wrap.ts";
import type { Output, Surface } from "../surface.ts";

type ServerNotice = Extract<AgentNotice, { readonly kind: "server" }>;

export function showProgress(surface: Pick<Surface, "stderr">, answers?: Output) {
  const paint = painter(surface.stderr);
  const wrap = wrapper(surface.stderr);
  const status = statusLine(surface);
  const told = new Set<string>();
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
  const tellSaid = () => {
    const text = spoken === undefined ? said.trim() : "";
    said = "";
    for (const row of text === "" ? [] : text.split("\n")) print(paint("quiet", oneLine(row, 400)));
  };
  const tellServer = ({ status: server, message = server.detail }: ServerNotice) => {
    const { name, state, tools } = server;
    const isNew = state === "connecting" && tools === 0;
    if (!isNew && state !== "failed" && state !== "needs_login") return;
    const why = isNew ? "first start; its tools are available once it is ready" : message;
    const words = `${name}: ${oneLine(why ?? "", 400)}`;
    if (why === undefined || told.has(words)) return;
    told.add(words);
    print(say`${paint("warning", "server")} ${words}`);
  };
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
    hasShown: (answer: string) => spoken !== undefined && answer === saidBefore,
    notice(notice: AgentNotice) {
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
            paint("quiet", `compacted the older conversation: ${notice.tokensBefore} → ${notice.tokensAfter} tokens`),
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
  if (omittedBytes === 0) return `${all} added to the task.`;
  return `${all} are too many to send: ${groupedNumber(bytes - omittedBytes)} bytes of excerpts added to the task. The model can read the rest.`;
}

function spokenLines(output: Output, beforeLine: () => void) {
  let begun = "";
  let empty = 0;
  let isFirst = true;
  const print = (line: string) => {
    if (line.trim() === "") {
      empty++;
      return;
    }
    beforeLine();
    // The closed output is reported elsewhere.
    output.write(`${"\n".repeat(isFirst ? 0 : empty)}${block(line).text}\n`).catch(() => {});
    empty = 0;
    isFirst = false;
  };
  return {
    get begun() {
      return begun;
    },
    add(text: string) {
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

export const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 120;
const eraseLine = "\r\u001b[2K";

export function statusLine(surface: Pick<Surface, "stderr">) {
  const paint = painter(surface.stderr);
  const tell = ({ event, hook, message }: Extract<DoorNotice, { kind: "hook" }>) =>
    void surface.stderr.write(
      `${say`${paint("warning", `${event} hook`)} ${oneLine(hook)}: ${oneLine(message)}`.text}\n`,
    );
  if (!surface.stderr.terminal) {
    return {
      notice: (notice: DoorNotice) => void (notice.kind === "hook" && tell(notice)),
      show: (_text: string) => {},
      clear: () => {},
    };
  }
  const room = Math.min(72, (surface.stderr.columns ?? 80) - 12);
  const running = new Map<string, string>();
  let text = "";
  let drawn = 0;
  let begun = 0;
  let timer: NodeJS.Timeout | undefined;
  const draw = () => {
    const spinner = frames[drawn % frames.length] ?? "";
    const seconds = Math.floor(((++drawn - begun) * frameMs) / 1000);
    const since = seconds === 0 ? say`` : paint("quiet", ` (${seconds} s)`);
    void surface.stderr.write(eraseLine + say`${paint("accent", spinner)} ${oneLine(text, room)}${since}`.text);
  };
  const clear = () => {
    if (timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
    void surface.stderr.write(eraseLine);
  };
  const show = (next: string) => {
    if (timer === undefined || next !== text) begun = drawn;
    text = next;
    timer ??= setInterval(draw, frameMs).unref();
  };
  return {
    clear,
    show,
    notice: (notice: DoorNotice) => {
      switch (notice.kind) {
        case "queued":
        case "started":
          running.set(notice.intentId, notice.title);
          return show(notice.title);
        case "progressed":
          return show(notice.progress.message);
        case "observed": {
          running.delete(notice.observation.intentId);
          const other = [...running.values()].at(-1);
          return other === undefined ? clear() : show(other);
        }
        case "hook":
          clear();
          return tell(notice);
        case "server":
        case "menu_changed":
        case "resource_updated":
          return;
      }
    },
  };
}
