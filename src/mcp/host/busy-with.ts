import type { Clock } from "../../contract/ids.ts";
import type { BusyServer, CallUnderWay } from "../../contract/server/server.ts";

/** The calls that one server is busy with. */
export interface BusyWith extends BusyServer {
  during<Value>(
    call: { readonly underWay?: CallUnderWay; readonly signal: AbortSignal },
    work: () => Promise<Value>,
  ): Promise<Value>;
}

interface Call extends CallUnderWay {
  readonly signal: AbortSignal;
  readonly since: number;
  until: number;
  /** Made for the first who wants to know of its end: hardly any call has one. */
  ended?: AbortController;
}

/** So many calls are remembered, for connections that outlive them. */
const mostCalls = 32;

export function createBusyWith(clock: Clock): BusyWith {
  const calls: Call[] = [];
  return {
    now() {
      const call = calls.findLast(({ signal, until }) => !signal.aborted && until === Number.POSITIVE_INFINITY);
      if (call === undefined) return undefined;
      const { signal, invocationId, intentId, tool } = call;
      call.ended ??= new AbortController();
      return { invocationId, intentId, tool, over: AbortSignal.any([signal, call.ended.signal]) };
    },
    at: (time) => calls.findLast(({ since, until }) => since <= time && time <= until),
    async during({ underWay, signal }, work) {
      if (underWay === undefined) return work();
      const call: Call = { ...underWay, signal, since: clock.now(), until: Number.POSITIVE_INFINITY };
      calls.push(call);
      if (calls.length > mostCalls) calls.shift();
      try {
        return await work();
      } finally {
        call.until = clock.now();
        call.ended?.abort("cancelled");
      }
    },
  };
}
