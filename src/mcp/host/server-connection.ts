import { untilOver } from "../../base/async.ts";
import { messageOf } from "../../base/text.ts";
import { type Failure, fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Clock } from "../../contract/ids.ts";
import { type ServerEntry, type ServerStatus, transportOf } from "../../contract/server/server.ts";
import {
  type ConnectionParts,
  loginFor,
  type McpConnection,
  needsLogin,
  type ServerNotification,
  type ServerRequestHandlers,
} from "../client/connection.ts";
import { type Admission, admitTools } from "../tools/admit-tools.ts";
import { boundedLine, boundedWords } from "../tools/bounded-text.ts";
import type { Definition, ServerState } from "./server-state.ts";

export interface ServerConnectionOptions {
  readonly entry: ServerEntry;
  readonly state: Pick<ServerState, "keep" | "known">;
  /** Gives up at the signal, and after `startMs` at the latest. */
  readonly open: (
    attempt: Pick<ConnectionParts, "handlers" | "notify" | "startMs" | "signal">,
  ) => Promise<Outcome<McpConnection>>;
  readonly handlers: ServerRequestHandlers;
  readonly startMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly changed: (status: ServerStatus) => void;
  readonly offered: () => void;
  /** A message for the user, or changed resources and prompts. */
  readonly notice: (message?: string) => void;
  readonly redact: (text: string) => string;
}

const listMs = 30_000;
const closeMs = 5_000;
const patienceMs = 5_000;
const wellMs = 30_000;
const reloadMs = 1_000;
const mostNotices = 50;
const longestWhy = 1_500;
const shownLevels: ReadonlySet<string> = new Set(["warning", "error", "critical", "alert", "emergency"]);

/** One server of a session: started when needed, and again after it was lost. */
export class ServerConnection {
  readonly #parts: ServerConnectionOptions;
  readonly #shown: ReturnType<typeof boundedWords>;
  readonly #closing = new AbortController();
  #state: ServerStatus["state"] = "configured";
  #detail: string | undefined;
  /** From the server itself, or from an earlier session. */
  #known: readonly Definition[] | undefined;
  #open: { readonly connection: McpConnection; readonly gone: AbortController } | undefined;
  #opening: Promise<Outcome<McpConnection>> | undefined;
  #reloading: Promise<void> | undefined;
  #stale = false;
  #failures = 0;
  #notBefore = 0;
  #notices = 0;
  #busy = 0;

  constructor(parts: ServerConnectionOptions) {
    this.#parts = parts;
    this.#shown = boundedWords(parts.redact);
    this.#known = parts.state.known();
  }

  get name(): string {
    return this.#parts.entry.name;
  }

  get definitions(): readonly Definition[] {
    return this.#known ?? [];
  }

  get busy(): boolean {
    return this.#busy > 0;
  }

  get known(): boolean {
    return this.#known !== undefined;
  }

  get status(): ServerStatus {
    const { name, origin, named, setting, inProcess } = this.#parts.entry;
    const { protocol, offers, transport, info } = this.#open?.connection ?? {};
    return {
      name,
      origin,
      named,
      state: this.#state,
      transport: transport ?? (inProcess === undefined ? transportOf(setting) : "in-process"),
      tools: this.definitions.length,
      protocol,
      resources: offers?.resources,
      prompts: offers?.prompts,
      info: info && { name: this.#shown.line(info.name, 100), version: this.#shown.line(info.version, 60) },
      detail: this.#detail,
    };
  }

  begin(): void {
    void this.#start();
  }

  async settled(): Promise<void> {
    await this.#opening;
    await this.#reloading;
  }

  async use<Value>(
    signal: AbortSignal,
    work: (connection: McpConnection) => Promise<Outcome<Value>>,
  ): Promise<Outcome<Value>> {
    const connected = await untilAborted(this.#start(), signal);
    if (!connected.ok) return connected;
    const open = this.#open;
    if (open === undefined || open.connection !== connected.value) return this.#goneBefore();
    this.#busy += 1;
    try {
      const over = AbortSignal.any([signal, open.gone.signal]);
      const done = await untilOver(work(open.connection), over);
      if (done === undefined) return signal.aborted ? gaveUp(signal) : this.#lost(String(over.reason));
      return done.ok ? done : { ok: false, failure: loginFor(this.#parts.entry, done.failure) };
    } catch (error) {
      return fail("tool_failed", `The request to the server ${this.name} failed: ${shortMessage(error)}`);
    } finally {
      this.#busy -= 1;
    }
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort("cancelled");
    const opening = this.#opening;
    if (this.#open !== undefined) await leave(this.#open.connection);
    await opening;
    await this.#reloading;
    if (this.#state !== "configured" && this.#state !== "failed") this.#become("stopped");
  }

  #start(): Promise<Outcome<McpConnection>> {
    if (this.#closing.signal.aborted) return Promise.resolve(closed());
    if (this.#open !== undefined) return Promise.resolve(ok(this.#open.connection));
    this.#opening ??= this.#connect()
      // An exception in our own code must not end the session.
      .catch((error: unknown) => this.#failed(fail("server_unavailable", shortMessage(error)).failure))
      .finally(() => {
        this.#opening = undefined;
      });
    return this.#opening;
  }

  async #connect(): Promise<Outcome<McpConnection>> {
    const { clock, open, startMs, handlers, wait } = this.#parts;
    const { signal } = this.#closing;
    const left = this.#notBefore - clock.now();
    if (left > patienceMs) {
      return fail("server_unavailable", `The server ${this.name} failed ${this.#failures} times in a row.`, {
        recovery: `The next attempt is in ${Math.ceil(left / 1_000)} s. Continue without this server until then.`,
        happened: "nothing",
      });
    }
    if (left > 0) await wait(left, signal);
    if (signal.aborted) return closed();
    this.#become("connecting");
    const notify = (notification: ServerNotification) => this.#hear(notification);
    const opening = open({ handlers, notify, startMs, signal });
    const opened = await untilAborted(opening, signal);
    if (!opened.ok) {
      if (signal.aborted) opening.then((late) => (late.ok ? leave(late.value) : undefined)).catch(() => {});
      return this.#failed(opened.failure);
    }
    const loaded = await this.#load(opened.value);
    if (loaded.ok && !signal.aborted) {
      this.#arrived(opened.value, loaded.value);
      return opened;
    }
    await leave(opened.value);
    return loaded.ok ? closed() : this.#failed(loaded.failure);
  }

  async #load(connection: McpConnection): Promise<Outcome<Admission>> {
    if (!connection.offers.tools) return ok({ definitions: [], refused: [] });
    const signal = AbortSignal.any([AbortSignal.timeout(listMs), this.#closing.signal]);
    const listed = await untilAborted(connection.listTools(signal), signal);
    if (!listed.ok) return listed;
    const admission = admitTools(this.name, listed.value);
    this.#parts.state.keep(admission.definitions);
    return ok(admission);
  }

  #arrived(connection: McpConnection, admission: Admission): void {
    const since = this.#parts.clock.now();
    const gone = new AbortController();
    this.#open = { connection, gone };
    this.#detail = undefined;
    this.#take(admission);
    this.#become("ready");
    void connection.gone.then((why) => {
      if (this.#open?.connection !== connection) return;
      this.#open = undefined;
      gone.abort(why);
      if (this.#closing.signal.aborted) return;
      if (this.#parts.clock.now() - since >= wellMs) this.#failures = 0;
      this.#count();
      this.#detail = this.#shown.line(why, longestWhy);
      this.#become("failed");
    });
  }

  #take({ definitions, refused }: Admission): void {
    const isSame = this.#known !== undefined && hashes(definitions) === hashes(this.#known);
    this.#known = definitions;
    if (isSame) return;
    for (const line of refused.slice(0, 10)) this.#say(() => line);
    this.#parts.offered();
  }

  #failed(failure: Failure): Outcome<never> {
    if (this.#closing.signal.aborted) return closed();
    const { code, message, recovery } = failure;
    const login = needsLogin(failure);
    if (!login) this.#count();
    // The last output of a program may have several lines and no full stop.
    const between = /[.!?]$/.test(message) ? " " : "\n";
    this.#detail = this.#shown.words(recovery === undefined ? message : `${message}${between}${recovery}`, 2_000);
    this.#become(login ? "needs_login" : "failed");
    return fail(code === "cancelled" ? "server_unavailable" : code, message, { happened: "nothing", recovery });
  }

  #count(): void {
    this.#failures += 1;
    this.#notBefore = this.#parts.clock.now() + backoffMs(this.#failures, this.#parts.random());
  }

  #lost(why: string): Outcome<never> {
    const shown = this.#shown.line(why, longestWhy);
    return fail("server_unavailable", `The server ${this.name} was lost during the call: ${shown}`, {
      recovery: "The next call starts it again. The effect of this call is unknown: check before you repeat it.",
    });
  }

  #goneBefore(): Outcome<never> {
    const why = this.#detail ?? "it stopped";
    return fail("server_unavailable", `The server ${this.name} was lost before the call: ${why}`, {
      recovery: "The next call starts it again.",
      happened: "nothing",
    });
  }

  #hear(notification: ServerNotification): void {
    if (notification.kind === "log") {
      const { level, text } = notification;
      if (shownLevels.has(level)) this.#say(() => `${level}: ${this.#shown.line(text, 500)}`);
    } else if (notification.kind === "tools_changed") this.#reload();
    else if (this.#open !== undefined) this.#parts.notice();
  }

  #reload(): void {
    this.#stale = true;
    this.#reloading ??= this.#reloadAll()
      .catch((error: unknown) => this.#notListed(shortMessage(error)))
      .finally(() => {
        this.#reloading = undefined;
      });
  }

  async #reloadAll(): Promise<void> {
    await this.#opening;
    while (this.#stale && this.#open !== undefined && !this.#closing.signal.aborted) {
      this.#stale = false;
      const loaded = await this.#load(this.#open.connection);
      if (loaded.ok) this.#take(loaded.value);
      else this.#notListed(this.#shown.line(loaded.failure.message, 300));
      if (this.#stale) await this.#parts.wait(reloadMs, this.#closing.signal);
    }
  }

  #notListed(why: string): void {
    if (!this.#closing.signal.aborted) this.#say(() => `Its tools could not be listed again: ${why}`);
  }

  /** Takes a function: past the limit, no message is built, because a server may send any number. */
  #say(message: () => string): void {
    this.#notices += 1;
    if (this.#notices < mostNotices) this.#parts.notice(this.#parts.redact(message()));
    else if (this.#notices === mostNotices) this.#parts.notice("Further messages of this server are not shown.");
  }

  #become(state: ServerStatus["state"]): void {
    this.#state = state;
    this.#parts.changed(this.status);
  }
}

async function leave(connection: McpConnection): Promise<void> {
  await untilOver(connection.close(), AbortSignal.timeout(closeMs)).catch(() => {});
}

function shortMessage(error: unknown): string {
  return boundedLine(messageOf(error), 300);
}

function closed(): Outcome<never> {
  return fail("server_unavailable", "The session is closed.", { happened: "nothing" });
}

function hashes(definitions: readonly Definition[]): string {
  return definitions.map(({ hash }) => hash).join(" ");
}

async function untilAborted<Value>(work: Promise<Outcome<Value>>, signal: AbortSignal): Promise<Outcome<Value>> {
  return (await untilOver(work, signal)) ?? gaveUp(signal);
}

function gaveUp({ reason }: AbortSignal): Outcome<never> {
  const isLate = reason === "timeout" || (reason instanceof DOMException && reason.name === "TimeoutError");
  return isLate
    ? fail("timeout", "The deadline passed before the server answered.")
    : fail("cancelled", "The call was cancelled before the server answered.");
}

const firstMs = 500;
const longestMs = 30_000;

export function backoffMs(failures: number, random: number): number {
  if (failures === 0) return 0;
  const whole = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 10));
  return Math.round(whole * (0.5 + random / 2));
}
