import type { z } from "zod";
import type { EventId, SessionId } from "../ids.ts";
import { contextEvents } from "./context.ts";
import { factEvents } from "./fact.ts";
import { hookRunEvents } from "./hook.ts";
import { intentEvents } from "./intent.ts";
import { invocationEvents } from "./invocation.ts";
import { modelEvents } from "./model.ts";
import { permissionEvents } from "./permission.ts";
import { runEvents } from "./run.ts";
import { serverEvents } from "./server.ts";
import { sessionEvents } from "./session.ts";
import { undoEvents } from "./undo.ts";
import { verificationEvents } from "./verification.ts";

export const eventFamilies = {
  session: sessionEvents,
  run: runEvents,
  context: contextEvents,
  model: modelEvents,
  intent: intentEvents,
  permission: permissionEvents,
  invocation: invocationEvents,
  fact: factEvents,
  verification: verificationEvents,
  undo: undoEvents,
  hook: hookRunEvents,
  server: serverEvents,
} as const;

export const eventSchemas = {
  ...sessionEvents,
  ...runEvents,
  ...contextEvents,
  ...modelEvents,
  ...intentEvents,
  ...permissionEvents,
  ...invocationEvents,
  ...factEvents,
  ...verificationEvents,
  ...undoEvents,
  ...hookRunEvents,
  ...serverEvents,
} as const;

export type EventType = keyof typeof eventSchemas;
export type EventData<Type extends EventType> = z.infer<(typeof eventSchemas)[Type]>;

/** What is handed to the log. */
export type EventDraft = {
  [Type in EventType]: {
    readonly type: Type;
    readonly data: EventData<Type>;
    /** Given by whoever has to name the event before it is stored. */
    readonly id?: EventId;
  };
}[EventType];

/** One fact. `hash` covers the stored bytes and `prev`. */
export type Event = EventDraft & {
  readonly seq: number;
  readonly id: EventId;
  readonly session: SessionId;
  readonly at: string;
  /** Version of the payload's shape; old ones are upcast on read. */
  readonly v: number;
  readonly prev: string;
  readonly hash: string;
};
