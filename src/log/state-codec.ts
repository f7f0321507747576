import type { SessionState } from "../contract/state.ts";
import { reducerVersion } from "./reduce.ts";

/** Maps become lists of pairs; everything else is JSON as it stands. */
export function encodeState(state: SessionState): string {
  return JSON.stringify({ reducer: reducerVersion, state }, (_key, value: unknown) =>
    value instanceof Map ? [...value] : value,
  );
}

/** `undefined` when another version of the reducer made it, or when it cannot be read. */
export function decodeState(text: string): SessionState | undefined {
  const { reducer, state } = parse(text);
  if (reducer !== reducerVersion || state === undefined) return undefined;
  return {
    ...state,
    baselines: new Map(state.baselines),
    definitions: new Map(state.definitions),
    openIntents: new Map(state.openIntents),
    openInvocations: new Map(state.openInvocations),
    openJobs: new Map(state.openJobs),
    pending: new Map(state.pending),
    changedFiles: new Map(state.changedFiles),
  };
}

function parse(text: string): { readonly reducer?: number; readonly state?: SessionState } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
