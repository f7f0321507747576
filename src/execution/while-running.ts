import { type Failure, fail } from "../contract/codes.ts";
import type { Journal } from "./journal.ts";

/** A port of asynchronous operations that answers only while its call runs: what a tool keeps for later is worth nothing. */
export function whileRunning<Port extends object>(port: Port, journal: Journal): Port {
  return new Proxy(port, {
    get(target, name) {
      const operation: unknown = Reflect.get(target, name);
      if (typeof operation !== "function") return operation;
      return async (...args: readonly unknown[]) =>
        journal.over ? callEnded() : Reflect.apply(operation, target, args);
    },
  });
}

export function callEnded(): { readonly ok: false; readonly failure: Failure } {
  return fail("effect_not_permitted", "The call that held this permit has ended.", { happened: "nothing" });
}
