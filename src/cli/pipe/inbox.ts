import type { RequestId } from "../../contract/ids.ts";
import type { PermissionAnswer } from "../../contract/verdict.ts";
import { parseRequest, type Request } from "./parse-request.ts";
import type { Line } from "./read-lines.ts";

export interface Inbox {
  /** The next request in the order it was sent; undefined at the end. */
  next(): Promise<Request | undefined>;
  /**
   * The answer to a question that is being asked. Reads ahead while it waits; what is not an answer waits
   * its turn. "unavailable" when the input ends, when the question is withdrawn, and when the bound on reading
   * ahead is reached, because the answer could then never be reached.
   */
  answer(request: RequestId, signal: AbortSignal): Promise<PermissionAnswer | "unavailable">;
  /**
   * Told of a line that was meant as an answer while a question is open, and that answers none: whoever sent it
   * waits for us as we wait for them. It waits its turn after all when the listener says false.
   */
  onStray(listener: (request: Request) => Promise<boolean>): void;
  /** Nothing more is handed out, also to whoever waits now. */
  close(): void;
}

export interface ReadAhead {
  readonly lines: number;
  readonly bytes: number;
}

export function createInbox(lines: AsyncIterator<Line>, bound: ReadAhead): Inbox {
  const backlog: { readonly request: Request; readonly bytes: number }[] = [];
  const waiting = new Map<RequestId, (answer: PermissionAnswer | "unavailable") => void>();
  let backlogBytes = 0;
  let ended = false;
  let closed = false;
  let reading: Promise<void> | undefined;
  let pumping = false;
  let wake = (): void => {};
  let stray = async (_request: Request): Promise<boolean> => false;

  /** Shared by everyone who waits for input, so that no line can be taken by two or lost by one. */
  const readOne = (): Promise<void> => {
    reading ??= lines
      .next()
      .then(async (result) => {
        if (result.done === true) ended = true;
        else await place(result.value);
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };

  const place = async (line: Line): Promise<void> => {
    const request = parseRequest(line);
    const asked = request.kind === "answer" ? waiting.get(request.answer.request) : undefined;
    if (request.kind === "answer" && asked !== undefined) {
      asked(request.answer);
      return;
    }
    const meant = request.kind === "answer" || (request.kind === "bad" && request.answers === true);
    if (meant && waiting.size > 0 && (await stray(request))) return;
    const bytes = "text" in line ? line.text.length : 0;
    backlog.push({ request, bytes });
    backlogBytes += bytes;
  };

  /** A promise of its own for each wait: one that lives as long as the pipe would gather what hangs on it. */
  const nextLine = (): Promise<void> =>
    new Promise((resolve, reject) => {
      wake = resolve;
      readOne().then(resolve, reject);
    });

  const refuseWaiting = (): void => {
    for (const settle of [...waiting.values()]) settle("unavailable");
  };

  const pump = async (): Promise<void> => {
    if (pumping) return;
    pumping = true;
    try {
      while (waiting.size > 0 && !ended && backlog.length < bound.lines && backlogBytes < bound.bytes) await readOne();
    } finally {
      pumping = false;
      refuseWaiting();
    }
  };

  return {
    next: async () => {
      while (backlog.length === 0 && !ended) await nextLine();
      if (closed) return undefined;
      const first = backlog.shift();
      backlogBytes -= first?.bytes ?? 0;
      return first?.request;
    },
    answer: (request, signal) =>
      new Promise((resolve) => {
        const settle = (answer: PermissionAnswer | "unavailable") => {
          waiting.delete(request);
          signal.removeEventListener("abort", withdraw);
          resolve(answer);
        };
        const withdraw = () => settle("unavailable");
        signal.addEventListener("abort", withdraw, { once: true });
        waiting.set(request, settle);
        if (signal.aborted) withdraw();
        else pump().catch(() => undefined);
      }),
    onStray: (listener) => {
      stray = listener;
    },
    close: () => {
      closed = true;
      ended = true;
      refuseWaiting();
      wake();
    },
  };
}
