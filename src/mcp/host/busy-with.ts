import type { Clock } from "../../contract/ids.ts";
import type { BusyServer, CallUnderWay } from "../../contract/server.ts";

/** The calls that one server is busy with. */
export interface BusyWith extends BusyServer {
  during<Value>(
    call: { readonly underWay?: CallUnderWay; readonly signal: AbortSignal },
    work: () => Promise<Value>,
  ): Promise<Value>;
}

interface Call extends CallUnderWay {
  readonly over: AbortSignal;
  readonly since: number;
  until: number;
}

/** So many calls are remembered, for connections that outlive them. */
const mostCalls = 32;

export function createBusyWith(clock: Clock): BusyWith {
  const calls: Call[] = [];
  return {
    now: () => calls.findLast(({ over }) => !over.aborted),
    at: (time) => calls.findLast(({ since, until }) => since <= time && time <= until),
    async during({ underWay, signal }, work) {
      if (underWay === undefined) return work();
      const ended = new AbortController();
      const end = () => ended.abort("cancelled");
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
      const call: Call = { ...underWay, over: ended.signal, since: clock.now(), until: Number.POSITIVE_INFINITY };
      calls.push(call);
      if (calls.length > mostCalls) calls.shift();
      try {
        return await work();
      } finally {
        call.until = clock.now();
        signal.removeEventListener("abort", end);
        end();
      }
    },
  };
}
