import type { SessionState } from "../contract/state.ts";
import { initialState, reducerVersion } from "./reduce.ts";
import type { Upcaster } from "./upcast.ts";

/** Maps become lists of pairs; everything else is JSON as it stands. */
export function encodeState(state: SessionState, upcaster: Upcaster): string {
  return JSON.stringify({ foldedBy: foldedBy(upcaster), state }, (_key, value: unknown) =>
    value instanceof Map ? [...value] : value,
  );
}

/** `undefined` when other code folded it, or when it cannot be read. */
export function decodeState(text: string, upcaster: Upcaster): SessionState | undefined {
  const { foldedBy: by, state } = parse(text);
  if (by !== foldedBy(upcaster) || state === undefined || !isState(state)) return undefined;
  const maps = Object.entries(initialState("")).filter(([, fresh]) => fresh instanceof Map);
  const read = maps.map(([key]) => [key, new Map(Reflect.get(state, key))] as const);
  return { ...state, ...Object.fromEntries(read) };
}

function foldedBy(upcaster: Upcaster): string {
  return `reducer@${reducerVersion} ${upcaster.signature}`;
}

function parse(text: string): { readonly foldedBy?: string; readonly state?: SessionState } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** Made of the same kinds of values as a fresh one, Maps as lists of pairs. */
function isState(state: object): boolean {
  return Object.entries(initialState("")).every(([key, fresh]) => {
    const value: unknown = Reflect.get(Object(state), key);
    if (fresh instanceof Map) return Array.isArray(value) && value.every(Array.isArray);
    if (Array.isArray(fresh)) return Array.isArray(value);
    if (fresh === null) return value !== undefined;
    return value !== null && typeof value === typeof fresh;
  });
}
