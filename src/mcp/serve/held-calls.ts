import type { InputRequest } from "@modelcontextprotocol/server";
import type { Observation } from "../../contract/observation.ts";
import type { Progress } from "../../contract/ports.ts";

interface Question {
  readonly form: InputRequest;
  /** Takes the client's answer as it came; nothing stands for a question that was withdrawn. */
  settle(answer: unknown): void;
}

/** A call between its proposal and its observation. Where it has questions, it outlives the request that began it. */
export interface HeldCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What the client says that it is. */
  readonly client?: string;
  /** Who answers at the client. Absent: it cannot put a question to anybody. */
  readonly person?: string;
  /** The client has somebody open a page where a server wants that. */
  readonly opensPages?: true;
  readonly questions: ReadonlyMap<string, Question>;
  /** Names the question that nobody could be asked. */
  unanswered?: string;
  /** How often the client was told that it goes on. */
  told: number;
  /** Of the round that is under way. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** The observation, or nothing when there is a question that no round has been given. */
  next(): Promise<Observation | undefined>;
  /** The client's answer as it came; nothing when the question was withdrawn. */
  ask(id: string, form: InputRequest, signal: AbortSignal): Promise<unknown>;
  cancel(): void;
}

type Given = Pick<HeldCall, "tool" | "input" | "client" | "person" | "opensPages">;

export interface HeldCalls {
  begin(id: string, call: Given & { run(signal: AbortSignal): Promise<Observation> }): HeldCall;
  find(id: string): HeldCall | undefined;
  /** It was agreed to, and runs from now on. */
  start(id: string): void;
  /** All that were started and have not ended. */
  running(): readonly HeldCall[];
  /** Its observation was handed out. */
  forget(id: string): void;
}

/** Ended calls whose client never came back for the answer. */
const mostEnded = 64;

export function holdCalls(): HeldCalls {
  const calls = new Map<string, HeldCall>();
  const started = new Set<string>();
  const ended = new Set<string>();
  return {
    begin(id, { run, ...given }) {
      const call = holdCall(given, run, () => {
        started.delete(id);
        ended.add(id);
        for (const oldest of ended) {
          if (ended.size <= mostEnded) break;
          ended.delete(oldest);
          calls.delete(oldest);
        }
      });
      calls.set(id, call);
      return call;
    },
    find: (id) => calls.get(id),
    start(id) {
      if (calls.has(id) && !ended.has(id)) started.add(id);
    },
    running: () => [...calls].filter(([id]) => started.has(id)).map(([, call]) => call),
    forget(id) {
      calls.delete(id);
      ended.delete(id);
    },
  };
}

function holdCall(given: Given, run: (signal: AbortSignal) => Promise<Observation>, onEnd: () => void): HeldCall {
  const stop = new AbortController();
  const questions = new Map<string, Question>();
  const observed = run(stop.signal);
  let wake = () => {};
  const end = () => {
    // Whoever still waits for an answer would wait for ever, and with them whoever comes next.
    for (const { settle } of questions.values()) settle(undefined);
    onEnd();
  };
  observed.then(end, end);
  return {
    ...given,
    told: 0,
    questions,
    async next() {
      const asked = new Promise<undefined>((resolve) => {
        wake = () => resolve(undefined);
      });
      return questions.size > 0 ? undefined : Promise.race([observed, asked]);
    },
    ask(id, form, signal) {
      return new Promise((resolve) => {
        const settle = (answer: unknown) => {
          signal.removeEventListener("abort", withdraw);
          questions.delete(id);
          resolve(answer);
        };
        const withdraw = () => settle(undefined);
        signal.addEventListener("abort", withdraw, { once: true });
        questions.set(id, { form, settle });
        wake();
      });
    },
    cancel: () => stop.abort("cancelled"),
  };
}
