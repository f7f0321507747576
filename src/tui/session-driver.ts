import { messageOf } from "../base/text.ts";
import type { Agent, AgentOptions } from "../contract/app/agent.ts";
import type { App } from "../contract/app/app.ts";
import {
  type BorrowedCommand,
  type BorrowedShelf,
  createBorrowedShelf,
  type Letter,
} from "../contract/app/borrowed-commands.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { RunStop } from "../contract/events/run.ts";
import type { Observation } from "../contract/observation.ts";
import type { ElicitationAnswer, Elicitor } from "../contract/server/server.ts";
import type { Asker, Mode, PermissionAnswer, PermissionRequest } from "../contract/verdict.ts";
import { wholeOutput } from "./call-output.ts";
import { readPast } from "./past-items.ts";
import type { ScreenStore } from "./screen.ts";
import { findMeant, listSessions, type SessionList } from "./session-list.ts";
import { noCommand, readCommand, type SlashCommand, slashCommands } from "./slash-commands.ts";

export interface SessionDriver {
  readonly agent: () => Agent | undefined;
  start(): Promise<Outcome<void>>;
  history(): readonly string[];
  submit(text: string): void;
  whole(observation: Observation): Observation;
  choices(command: string): readonly string[];
  borrowed(): readonly BorrowedCommand[];
  answer(answer: PermissionAnswer): void;
  answerServer(id: string, answer: ElicitationAnswer): void;
  interrupt(): void;
  nextMode(): void;
  close(): Promise<void>;
}

const noteIndent = 2;
const usualModes: readonly Mode[] = ["default", "acceptEdits", "auto", "plan"];

export function createSessionDriver(parts: {
  readonly app: App;
  readonly options: Omit<AgentOptions, "ask" | "onNotice">;
  readonly store: ScreenStore;
  columns(): number;
  quit(): void;
}): SessionDriver {
  const { app, store } = parts;
  const { session: first, ...agentOptions } = parts.options;
  const { model: _, ...doorOptions } = parts.options;
  const waiting = new Map<string, (answer: PermissionAnswer | "unavailable") => void>();
  const elicited = new Map<string, (answer: ElicitationAnswer) => void>();
  const leftOver = new Set<string>();
  let chosen: Pick<AgentOptions, "mode" | "model"> = {};
  let agent: Agent | undefined;
  let listed: SessionList | undefined;
  let isUnkept = false;
  let isSending = false;
  let running: Promise<void> = Promise.resolve();
  let orders: Promise<void> = Promise.resolve();
  let shelf: BorrowedShelf | undefined;

  const note = (tone: "good" | "bad" | "plain" | "warning" | "quiet", text: string) =>
    store.apply({ kind: "note", tone, text });

  const ask: Asker = (request, signal) =>
    new Promise((resolve) => {
      const settle = (answer: PermissionAnswer | "unavailable") => {
        if (!waiting.delete(request.id)) return;
        store.apply({ kind: "answered", request: request.id });
        resolve(answer);
      };
      waiting.set(request.id, settle);
      store.apply({ kind: "asked", request });
      if (signal.aborted) settle("unavailable");
      else signal.addEventListener("abort", () => settle("unavailable"), { once: true });
    });

  const elicit: Elicitor = (question, signal) =>
    new Promise((resolve) => {
      const settle = (answer: ElicitationAnswer) => {
        if (!elicited.delete(question.id)) return;
        store.apply({ kind: "elicitation_over", id: question.id });
        resolve(answer);
      };
      elicited.set(question.id, settle);
      store.apply({ kind: "elicited", question });
      if (signal.aborted) settle({ action: "cancel" });
      else signal.addEventListener("abort", () => settle({ action: "cancel" }), { once: true });
    });

  function keep(message: string): void {
    const kept = app.promptHistory.add(message);
    if (kept.ok || isUnkept) return;
    isUnkept = true;
    note("warning", `What you write is not kept for the next time: ${kept.failure.message}`);
  }

  function isBusy(): boolean {
    if (isSending) note("bad", "Interrupt what is going on first (Esc).");
    return isSending;
  }

  function showPast(session: string): void {
    const past = readPast(app, session);
    if (past.ok) store.apply({ kind: "past", ...past.value });
  }

  function askAgain({ door }: Agent, request: PermissionRequest): void {
    waiting.set(request.id, (answer) => {
      if (!waiting.delete(request.id)) return;
      store.apply({ kind: "answered", request: request.id });
      if (answer === "unavailable") return;
      const answered = door.answer(answer);
      if (!answered.ok) note("bad", answered.failure.message);
      else running = carefully(Promise.resolve(answered.value.resumed).then(() => {}));
    });
    leftOver.add(request.id);
    store.apply({ kind: "asked", request });
  }

  function withdrawLeftOver(): void {
    for (const id of leftOver) waiting.get(id)?.("unavailable");
    leftOver.clear();
  }

  async function open(session: string | undefined): Promise<Outcome<void>> {
    const opened = await app.openAgent({
      ...agentOptions,
      ...chosen,
      session,
      ask,
      elicit,
      onNotice(notice) {
        store.apply({ kind: "notice", notice });
        if (notice.kind === "compacted" && agent !== undefined) {
          store.apply({ kind: "measured", context: agent.context() });
        }
        if (notice.kind === "server" && notice.status.state === "ready") lookAround();
      },
    });
    if (!opened.ok) return opened;
    withdrawLeftOver();
    await agent?.close();
    agent = opened.value;
    shelf = createBorrowedShelf(app, agent.door, { isTaken: (name) => readCommand(`/${name}`)?.command !== undefined });
    // Not before the first frame is drawn.
    setImmediate(lookAround);
    if (session !== undefined) showPast(session);
    for (const notice of agent.notices) note("warning", notice);
    for (const request of agent.door.state.pending.values()) askAgain(agent, request);
    store.apply({
      kind: "opened",
      model: agent.chain.models[0].ref,
      mode: agent.door.state.mode,
      context: { ...agent.context(), ...(session === undefined ? { tokens: 0 } : {}) },
    });
    return ok(undefined);
  }

  function list(): SessionList {
    listed = listSessions(app, agent?.sessionId);
    return listed;
  }

  async function startAnew(): Promise<void> {
    if (isBusy()) return;
    const before = agent?.sessionId;
    const opened = await open(undefined);
    if (!opened.ok) return note("bad", `${opened.failure.message} ${opened.failure.recovery ?? ""}`.trim());
    note("good", "A new session: the model knows nothing of the one before. Files stay as they are.");
    if (before !== undefined) note("quiet", `The one before stays on record: /resume ${before}`);
  }

  async function goOn(reference: string): Promise<void> {
    if (isBusy()) return;
    const found = findMeant(app, reference, { current: agent?.sessionId, list: () => listed ?? list() });
    if (!found.ok) return note("bad", `${found.failure.message} ${found.failure.recovery ?? ""}`.trim());
    const session = found.value;
    // One process writes a session at a time, and that may be the very one that is asked for.
    if (agent?.sessionId === session) return note("plain", "This is that session.");
    const opened = await open(session);
    if (opened.ok) note("good", `session ${session}`);
    else note("bad", `${opened.failure.message} ${opened.failure.recovery ?? ""}`.trim());
  }

  function lookAround(): void {
    void shelf?.refresh().catch(() => {});
  }

  async function letterOf(text: string): Promise<Outcome<Letter>> {
    const read = readCommand(text);
    if (read === undefined) return ok({ message: text, calls: [] });
    const borrowed = await shelf?.find(read.name);
    if (borrowed !== undefined) return borrowed.letter(read.argument);
    const why = await shelf?.whyNot(read.name);
    return fail("bad_request", noCommand(read.name, shelf?.known ?? [], why));
  }

  async function sendAll(first: string): Promise<void> {
    isSending = true;
    try {
      for (let text: string | undefined = first; text !== undefined; text = store.screen().queue[0]) {
        if ((await send(text)) === "interrupted") store.apply({ kind: "queue_returned" });
      }
    } finally {
      isSending = false;
    }
  }

  async function send(text: string): Promise<RunStop | undefined> {
    const letter = await letterOf(text);
    if (agent === undefined || !letter.ok) return refuse(text, letter);
    const { message, calls } = letter.value;
    withdrawLeftOver();
    store.apply({ kind: "sent", text });
    try {
      const report = await agent.send(message, { readMentions: true, calls });
      store.apply({ kind: "ended", report });
      return report.stop;
    } catch (error) {
      store.apply({ kind: "broke", text: bugText(error) });
      return undefined;
    }
  }

  function refuse(text: string, why: Outcome<unknown>): undefined {
    store.apply({ kind: "refused", text, why: why.ok ? noSession : why.failure.message });
  }

  function setMode(mode: Mode): Outcome<void> {
    const set = agent?.door.setMode(mode) ?? fail("bad_request", "No session is open.");
    if (!set.ok) return set;
    chosen = { ...chosen, mode };
    store.apply({ kind: "mode", mode });
    return set;
  }

  function setModel(wanted: string): Outcome<unknown> {
    const need = { wanted, because: "from /model" };
    const set = agent?.setModel(need) ?? fail("bad_request", "No session is open.");
    if (!set.ok || agent === undefined) return set;
    const { ref, baseUrl } = agent.chain.models[0];
    chosen = { ...chosen, model: { ...need, baseUrl } };
    store.apply({ kind: "model", model: ref, context: agent.context() });
    return set;
  }

  async function command(text: string, read: { readonly command: SlashCommand; readonly argument: string }) {
    if (read.command.name === "quit") return parts.quit();
    store.apply({ kind: "commanded", text });
    if (agent === undefined) {
      // Nothing else can be done without one.
      if (read.command.name === "new") return startAnew();
      if (read.command.name === "resume") return goOn(read.argument === "" ? "latest" : read.argument);
      return note("bad", noSession);
    }
    const desk = {
      app,
      agent,
      screen: store.screen(),
      options: doorOptions,
      columns: parts.columns() - noteIndent,
      note,
      async borrowed() {
        await shelf?.refresh();
        return shelf?.known ?? [];
      },
      isBusy,
      setMode,
      setModel,
      list,
      open: goOn,
      startAnew,
      quit: parts.quit,
    };
    await read.command.run(desk, read.argument);
  }

  async function obey(message: string): Promise<void> {
    if (message === "exit" || message === "quit") return parts.quit();
    const unsupported = unsupportedPrefix(message);
    if (unsupported !== undefined) return store.apply({ kind: "refused", text: message, why: unsupported });
    const read = readCommand(message);
    if (read?.command !== undefined) return command(message, { ...read, command: read.command });
    const letter = await letterOf(message);
    if (agent === undefined || !letter.ok) return refuse(message, letter);
    if (isSending) return store.apply({ kind: "queued_up", text: message });
    running = carefully(sendAll(message));
  }

  const carefully = (work: Promise<void>) => work.catch((error: unknown) => note("bad", bugText(error)));

  return {
    agent: () => agent,
    start: () => open(first),
    history: () => app.promptHistory.read(),
    submit(text) {
      const message = text.trim();
      if (message === "") return;
      keep(message);
      // One after another: what follows a command must not meet a session that it is leaving.
      orders = orders.then(() => carefully(obey(message)));
    },
    whole: (observation) => (agent === undefined ? observation : wholeOutput(observation, { app, agent })),
    choices: (name) => slashCommands.find((command) => command.name === name)?.choices?.(app) ?? [],
    borrowed: () => shelf?.known ?? [],
    answer: (answer) => waiting.get(answer.request)?.(answer),
    answerServer: (id, answer) => elicited.get(id)?.(answer),
    interrupt() {
      void agent?.interrupt("Esc");
      // A server asks for a call that is over now, and may not know it.
      for (const settle of [...elicited.values()]) settle({ action: "cancel" });
    },
    nextMode() {
      const door = agent?.door;
      if (door === undefined) return;
      const at = usualModes.indexOf(door.state.mode);
      const wanted = usualModes[(at + 1) % usualModes.length] ?? "default";
      const set = setMode(wanted);
      if (!set.ok) note("bad", set.failure.message);
    },
    async close() {
      for (const settle of [...waiting.values()]) settle("unavailable");
      for (const settle of [...elicited.values()]) settle({ action: "cancel" });
      if (store.screen().working) await agent?.interrupt("quit");
      await running;
      await agent?.close();
    },
  };
}

function unsupportedPrefix(message: string): string | undefined {
  if (message.includes("\n")) return undefined;
  if (/^![^\s!]/.test(message)) return "Not sent: ! does not run commands here. Ask the model to run it.";
  if (/^# /.test(message)) return "Not sent: # does not save notes here. Add the note to AGENTS.md.";
  return undefined;
}

const noSession = "No session is open: /new, /resume or /quit.";

function bugText(error: unknown): string {
  return `A bug: ${messageOf(error)}`;
}
