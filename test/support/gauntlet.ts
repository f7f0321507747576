import { onTestFinished } from "vitest";
import type { Event, EventType } from "../../src/contract/events/index.ts";
import type { SettingsFile } from "../../src/contract/settings.ts";
import type { Tool } from "../../src/contract/tool.ts";
import type { Asker, Mode, PermissionAnswer, PermissionRequest } from "../../src/contract/verdict.ts";
import { createGauntlet, type Gauntlet, type GauntletOptions } from "../../src/index.ts";
import type { Workspace } from "./workspace.ts";

export interface OpenOptions {
  readonly settings?: SettingsFile;
  readonly mode?: Mode;
  readonly tools?: readonly Tool[];
  readonly onAsk?: Asker;
  readonly session?: string;
  readonly classifier?: NonNullable<GauntletOptions["classifier"]>;
  readonly onNotice?: NonNullable<GauntletOptions["onNotice"]>;
}

/** Settings with which commands write to the workspace itself, so that a question comes before them. */
export const direct = { transactions: { use: "off" } } as const satisfies SettingsFile;

/** A session on a temporary workspace, closed when the test has finished. */
export async function openGauntlet(workspace: Workspace, options: OpenOptions = {}): Promise<Gauntlet> {
  const { tools, ...rest } = options;
  const gauntlet = await createGauntlet({
    workspace: workspace.root,
    store: workspace.state,
    home: workspace.home,
    ...rest,
    ...(tools === undefined ? {} : { tools: [{ name: "test-package", tools }] }),
  });
  onTestFinished(() => gauntlet.close());
  return gauntlet;
}

/** Says yes to everything and remembers what it was asked. */
export function agreeable(): Asker & { readonly asked: PermissionRequest[] } {
  return answering("allow");
}

/** A person who says no to everything. */
export function unwilling(): Asker & { readonly asked: PermissionRequest[] } {
  return answering("deny");
}

function answering(answer: PermissionAnswer["answer"]): Asker & { readonly asked: PermissionRequest[] } {
  const asked: PermissionRequest[] = [];
  const asker = async (request: PermissionRequest): Promise<PermissionAnswer> => {
    asked.push(request);
    return { request: request.id, answer, by: "test" };
  };
  return Object.assign(asker, { asked });
}

/** A question that the test answers when it likes. */
export function heldQuestion() {
  let tell: (request: PermissionRequest) => void = () => {};
  let reply: (answer: PermissionAnswer | "unavailable") => void = () => {};
  const asked = new Promise<PermissionRequest>((resolve) => (tell = resolve));
  const onAsk = (request: PermissionRequest) => {
    tell(request);
    return new Promise<PermissionAnswer | "unavailable">((resolve) => (reply = resolve));
  };
  return { asked, onAsk, reply: (answer: PermissionAnswer | "unavailable") => reply(answer) };
}

export function eventsOf(gauntlet: Gauntlet): readonly Event[] {
  const events = gauntlet.archive.events(gauntlet.session.sessionId);
  if (!events.ok) throw new Error(events.failure.message);
  return [...events.value];
}

export function typesOf(events: readonly Event[], intentId?: string): readonly EventType[] {
  return events.filter((event) => intentId === undefined || belongsTo(event, intentId)).map((event) => event.type);
}

/** Everything as plain data, so that two values compare by content and by nothing else. */
export function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, inner) => (inner instanceof Map ? Object.fromEntries(inner) : inner)));
}

function belongsTo(event: Event, intentId: string): boolean {
  return "intentId" in event.data && event.data.intentId === intentId;
}
