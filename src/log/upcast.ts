import type { Event } from "../contract/events/index.ts";

/** Turns the payload of one version into that of the next. */
export type UpcastStep = (data: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/** By event type, then by the version that a step starts from. */
export type UpcastTable = Readonly<Record<string, Readonly<Record<number, UpcastStep>>>>;

export type Upcast = (event: Event) => Event;

/** Payload shapes that changed after sessions were written with them. A step is never removed. */
export const knownUpcasts: UpcastTable = {};

export function createUpcast(table: UpcastTable): Upcast {
  return (event) => {
    const steps = table[event.type];
    if (steps === undefined) return event;
    let data: Record<string, unknown> = { ...event.data };
    let v = event.v;
    for (let step = steps[v]; step !== undefined; step = steps[v]) {
      data = step(data);
      v += 1;
    }
    return v === event.v ? event : ({ ...event, data, v } as Event);
  };
}

/** The version that new events of this type are written with. */
export function currentVersion(table: UpcastTable, type: string): number {
  const versions = Object.keys(table[type] ?? {}).map(Number);
  return versions.length === 0 ? 1 : Math.max(...versions) + 1;
}
