import { digestOf } from "../base/digest.ts";
import { isRecord } from "../base/json.ts";
import type { Event } from "../contract/events/index.ts";

export type UpcastStep = (data: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/** By event type, then by the version that a step starts from. */
export type UpcastTable = Readonly<Record<string, Readonly<Record<number, UpcastStep>>>>;

/** Payload shapes that changed after sessions were written with them. A step is never removed. */
export const knownUpcasts: UpcastTable = {
  "context.projected": {
    1: (data) => ({ ...data, ...wholeInput(data.modelInput) }),
    2: (data) => ({ ...data, ...menuWithNames(data.menu) }),
  },
  "permission.decided": { 1: rulesAsList },
  "permission.requested": { 1: (data) => within(data, "prompt", rulesAsList) },
  "tool.observed": {
    1: (data) =>
      within(data, "observation", (observation) =>
        within(observation, "permission", (facts) => within(rulesAsList(facts), "prompt", rulesAsList)),
      ),
  },
};

/** In version 1, inputs were always whole. */
function wholeInput(input: unknown): Record<string, unknown> {
  if (typeof input !== "object" || input === null || !("artifact" in input) || !("bytes" in input)) return {};
  const { artifact, bytes } = input;
  return { modelInput: { hash: digestOf(["", artifact]), artifact, bytes, total: bytes } };
}

/** In version 2, a tool shown by name alone had an entry of its own. */
function menuWithNames(menu: unknown): Record<string, unknown> {
  if (!Array.isArray(menu)) return {};
  const [whole, named] = [menu.filter(({ loaded }) => loaded !== false), menu.filter(({ loaded }) => loaded === false)];
  return named.length === 0 ? {} : { menu: whole, named: named.map(({ name }) => name) };
}

/** In version 1, there was one suggested rule. */
function rulesAsList({ suggestedRule, ...data }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return suggestedRule === undefined ? data : { suggestedRules: [suggestedRule], ...data };
}

function within(data: Readonly<Record<string, unknown>>, field: string, step: UpcastStep): Record<string, unknown> {
  const inner = data[field];
  return isRecord(inner) ? { ...data, [field]: step(inner) } : { ...data };
}

export interface Upcaster {
  current(event: Event): Event;
  /** The version that new events of this type are written with. */
  version(type: string): number;
  /** Changes with every added step, which invalidates checkpoints. */
  readonly signature: string;
}

export function createUpcaster(table: UpcastTable): Upcaster {
  const versions = new Map(
    Object.entries(table).map(([type, steps]) => [type, Math.max(0, ...Object.keys(steps).map(Number)) + 1]),
  );
  return {
    current: (event) => bringUp(event, table[event.type]),
    version: (type) => versions.get(type) ?? 1,
    signature: [...versions].map(([type, version]) => `${type}@${version}`).join(" "),
  };
}

function bringUp(event: Event, steps: UpcastTable[string] | undefined): Event {
  if (steps?.[event.v] === undefined) return event;
  let data: Record<string, unknown> = { ...event.data };
  let v = event.v;
  for (let step = steps[v]; step !== undefined; step = steps[v]) {
    data = step(data);
    v += 1;
  }
  return { ...event, data, v } as Event;
}
