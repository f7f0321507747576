import type { Agent, AgentOptions } from "../contract/agent.ts";
import type { App } from "../contract/app.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { ElicitationAnswer, Elicitor } from "../contract/server.ts";
import type { Asker, Mode, PermissionAnswer, PermissionRequest } from "../contract/verdict.ts";
import { readPast } from "./past-items.ts";
import type { ScreenStore } from "./screen-store.ts";
import { findMeant, listSessions, type SessionList } from "./session-list.ts";
import { readCommand, slashCommands } from "./slash-commands.ts";

/** What the keyboard does to a session. Everything that a person sees of it goes through the store. */
export interface SessionDriver {
  readonly agent: () => Agent | undefined;
  start(): Promise<Outcome<void>>;
  /** A message, or a command that starts with a slash. While it works, messages wait. */
  submit(text: string): void;
  /** What may follow a command. */
  choices(command: string): readonly string[];
  answer(answer: PermissionAnswer): void;
  answerServer(id: string, answer: ElicitationAnswer): void;
  interrupt(): void;
  /** The next of the usual modes. */
  nextMode(): void;
  close(): Promise<void>;
}

/** What stands in front of every row of a note. */
const noteIndent = 2;
const usualModes: readonly Mode[] = ["default", "acceptEdits", "auto", "plan"];

export function createSessionDriver(parts: {
  readonly app: App;
  readonly options: Omit<AgentOptions, "ask" | "onNotice">;
  readonly store: ScreenStore;
  /** Of the window, now. */
  columns(): number;
  quit(): void;
}): SessionDriver {
  const { app, store } = parts;
  const { model: _, ...doorOptions } = parts.options;
  const waiting = new Map<string, (answer: PermissionAnswer | "unavailable") => void>();
  const elicited = new Map<string, (answer: ElicitationAnswer) => void>();
  /** What the person chose here; it stays when the session is opened again or another one is. */
  let chosen: Pick<AgentOptions, "mode" | "model"> = {};
  let agent: Agent | undefined;
  /** What the numbers mean is what the person saw, whatever began since. */
  let listed: SessionList | undefined;
  let running: Promise<void> = Promise.resolve();
  let orders: Promise<void> = Promise.resolve();

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

  function isBusy(): boolean {
    const { working } = store.screen();
    if (working) note("bad", "Interrupt what is going on first (Esc).");
    return working;
  }

  function showPast(session: string): void {
    const past = readPast(app, session);
    if (past.ok) store.apply({ kind: "past", ...past.value });
  }

  /** Nobody answered before an earlier process ended. What a yes brings is there for the next message. */
  function askAgain({ door }: Agent, request: PermissionRequest): void {
    waiting.set(request.id, (answer) => {
      if (!waiting.delete(request.id)) return;
      store.apply({ kind: "answered", request: request.id });
      if (answer === "unavailable") return;
      const answered = door.answer(answer);
      if (!answered.ok) note("bad", answered.failure.message);
      else running = carefully(Promise.resolve(answered.value.resumed).then(() => {}));
    });
    store.apply({ kind: "asked", request });
  }

  async function open(session: string | undefined): Promise<Outcome<void>> {
    const opened = await app.openAgent({
      ...parts.options,
      ...chosen,
      ...(session === undefined ? {} : { session }),
      ask,
      elicit,
      onNotice: (notice) => store.apply({ kind: "notice", notice }),
    });
    if (!opened.ok) return opened;
    await agent?.close();
    agent = opened.value;
    if (session !== undefined) showPast(session);
    for (const notice of agent.notices) note("warning", notice);
    for (const request of agent.door.state.pending.values()) askAgain(agent, request);
    store.apply({ kind: "model", model: agent.chain.models[0].ref });
    store.apply({ kind: "mode", mode: agent.door.state.mode });
    return ok(undefined);
  }

  function list(): SessionList {
    listed = listSessions(app, agent?.sessionId);
    return listed;
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

  function unsend(): void {
    for (const text of store.screen().queue) note("warning", `not sent: ${text}`);
    store.apply({ kind: "queue_dropped" });
  }

  async function send(text: string): Promise<void> {
    if (agent === undefined) return;
    store.apply({ kind: "sent", text });
    try {
      const report = await agent.send(text, { readMentions: true });
      store.apply({ kind: "ended", report });
      // Who interrupts has changed their mind: what was meant to follow is theirs to send again.
      if (report.stop === "interrupted") return unsend();
    } catch (error) {
      store.apply({ kind: "broke", text: bugText(error) });
    }
    const [next] = store.screen().queue;
    if (next !== undefined) await send(next);
  }

  function setMode(mode: Mode): Outcome<void> {
    const set = agent?.door.setMode(mode) ?? fail("bad_request", "No session is open.");
    if (!set.ok) return set;
    chosen = { ...chosen, mode };
    store.apply({ kind: "mode", mode });
    return set;
  }

  function setModel(wanted: string): Outcome<unknown> {
    const set = agent?.setModel({ wanted }) ?? fail("bad_request", "No session is open.");
    if (!set.ok || agent === undefined) return set;
    chosen = { ...chosen, model: { wanted } };
    store.apply({ kind: "model", model: agent.chain.models[0].ref });
    return set;
  }

  async function command(text: string): Promise<void> {
    const read = readCommand(text);
    if (read?.command?.name !== "quit") store.apply({ kind: "commanded", text });
    if (read?.command === undefined) return note("bad", `There is no command /${read?.name ?? ""}. /help lists them.`);
    if (read.command.name === "quit") return parts.quit();
    if (agent === undefined) {
      // Nothing else can be done without one.
      if (read.command.name === "resume") return goOn(read.argument === "" ? "latest" : read.argument);
      return note("bad", "No session is open: /resume one, or /quit.");
    }
    const desk = {
      app,
      agent,
      screen: store.screen(),
      options: doorOptions,
      columns: parts.columns() - noteIndent,
      note,
      isBusy,
      setMode,
      setModel,
      list,
      open: goOn,
      quit: parts.quit,
    };
    await read.command.run(desk, read.argument);
  }

  async function obey(message: string): Promise<void> {
    if (readCommand(message) !== undefined) return command(message);
    if (agent === undefined) return note("bad", "No session is open: /resume one, or /quit.");
    if (store.screen().working) return store.apply({ kind: "queued_up", text: message });
    running = carefully(send(message));
  }

  /** A bug must not take the terminal with it. */
  const carefully = (work: Promise<void>) => work.catch((error: unknown) => note("bad", bugText(error)));

  return {
    agent: () => agent,
    start: () => open(parts.options.session),
    submit(text) {
      const message = text.trim();
      // One after another: what follows a command must not meet a session that it is leaving.
      if (message !== "") orders = orders.then(() => carefully(obey(message)));
    },
    choices: (name) => slashCommands.find((command) => command.name === name)?.choices?.(app) ?? [],
    answer: (answer) => waiting.get(answer.request)?.(answer),
    answerServer: (id, answer) => elicited.get(id)?.(answer),
    interrupt: () => void agent?.interrupt("Esc"),
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

function bugText(error: unknown): string {
  return `A bug: ${error instanceof Error ? error.message : String(error)}`;
}
