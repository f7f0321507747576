import { messageOf } from "../base/text.ts";
import { oneLine } from "../cli/render/table.ts";
import type { Agent, AgentOptions } from "../contract/app/agent.ts";
import type { App } from "../contract/app/app.ts";
import {
  type BorrowedCommand,
  type BorrowedShelf,
  createBorrowedShelf,
  type Letter,
} from "../contract/app/borrowed-commands.ts";
import { type Failure, fail, type Outcome, ok } from "../contract/codes.ts";
import type { RunStop } from "../contract/events/run.ts";
import type { Observation } from "../contract/observation.ts";
import type { ElicitationAnswer, Elicitor } from "../contract/server/server.ts";
import type { Asker, Mode, PermissionAnswer, PermissionRequest } from "../contract/verdict.ts";
import { wholeOutput } from "./call-output.ts";
import { readPast } from "./past-items.ts";
import type { NoteTone, ScreenStore } from "./screen.ts";
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
  const { requests, elicitations, ask, elicit } = createQuestions(store);
  const leftOver = new Set<string>();
  let chosen: Pick<AgentOptions, "mode" | "model"> = {};
  let agent: Agent | undefined;
  let listed: SessionList | undefined;
  let isUnsaved = false;
  let isSending = false;
  let running: Promise<void> = Promise.resolve();
  let inputs: Promise<void> = Promise.resolve();
  let shelf: BorrowedShelf | undefined;

  const note = (tone: NoteTone, text: string) => store.apply({ kind: "note", tone, text });
  const noteFailure = ({ message, recovery = "" }: Failure) => note("bad", `${message} ${recovery}`.trim());

  function saveHistory(message: string): void {
    const kept = app.promptHistory.add(message);
    if (kept.ok || isUnsaved) return;
    isUnsaved = true;
    note("warning", `Your prompt history is not saved: ${kept.failure.message}`);
  }

  function isBusy(): boolean {
    if (isSending) note("bad", "A task is running. Press Esc to interrupt it first.");
    return isSending;
  }

  function showPast(session: string): void {
    const past = readPast(app, session);
    if (past.ok) store.apply({ kind: "past", ...past.value });
  }

  function askAgain({ door }: Agent, request: PermissionRequest): void {
    leftOver.add(request.id);
    store.apply({ kind: "asked", request });
    void requests.wait(request.id, "unavailable").then((answer) => {
      if (answer === "unavailable") return;
      const answered = door.answer(answer);
      if (!answered.ok) note("bad", answered.failure.message);
      else running = carefully(Promise.resolve(answered.value.resumed).then(() => {}));
    });
  }

  function withdrawLeftOver(): void {
    for (const id of leftOver) requests.settle(id, "unavailable");
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
        if (notice.kind === "server" && notice.status.state === "ready") refreshCommands();
      },
    });
    if (!opened.ok) return opened;
    withdrawLeftOver();
    const ended = [...(agent?.door.state.openJobs.values() ?? [])].map(({ command }) => oneLine(command));
    await agent?.close();
    agent = opened.value;
    shelf = createBorrowedShelf(app, agent.door, { isTaken: (name) => readCommand(`/${name}`)?.command !== undefined });
    // After the first frame is drawn.
    setImmediate(refreshCommands);
    if (session !== undefined) showPast(session);
    for (const notice of agent.notices) note("warning", notice);
    for (const request of agent.door.state.pending.values()) askAgain(agent, request);
    store.apply({
      kind: "opened",
      model: agent.chain.models[0].ref,
      mode: agent.door.state.mode,
      context: { ...agent.context(), ...(session === undefined ? { tokens: 0 } : {}) },
    });
    if (ended.length > 0) note("warning", `Stopped in the background: ${ended.join("; ")}`);
    return ok(undefined);
  }

  function list(): SessionList {
    listed = listSessions(app, agent?.sessionId);
    return listed;
  }

  async function startNew(): Promise<void> {
    if (isBusy()) return;
    const before = agent?.sessionId;
    const opened = await open(undefined);
    if (!opened.ok) return noteFailure(opened.failure);
    note("good", "Started a new session with an empty conversation. Files are unchanged.");
    if (before !== undefined) note("quiet", `To return to the previous session: /resume ${before}`);
  }

  async function resume(reference: string): Promise<void> {
    if (isBusy()) return;
    const found = findMeant(app, reference, { current: agent?.sessionId, list: () => listed ?? list() });
    if (!found.ok) return noteFailure(found.failure);
    const session = found.value;
    // Only one process may write a session, and this one already has it open.
    if (agent?.sessionId === session) return note("plain", "This session is already open.");
    const opened = await open(session);
    if (opened.ok) note("good", `Resumed session ${session}.`);
    else noteFailure(opened.failure);
  }

  function refreshCommands(): void {
    void shelf?.refresh().catch(() => {});
  }

  async function readMessage(text: string): Promise<Outcome<Letter>> {
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
    const letter = await readMessage(text);
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
      if (read.command.name === "new") return startNew();
      if (read.command.name === "resume") return resume(read.argument === "" ? "latest" : read.argument);
      return note("bad", noSession);
    }
    const context = {
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
      open: resume,
      startNew,
      quit: parts.quit,
    };
    await read.command.run(context, read.argument);
  }

  async function handle(message: string): Promise<void> {
    if (message === "exit" || message === "quit") return parts.quit();
    const unsupported = unsupportedPrefix(message);
    if (unsupported !== undefined) return store.apply({ kind: "refused", text: message, why: unsupported });
    const read = readCommand(message);
    if (read?.command !== undefined) return command(message, { ...read, command: read.command });
    const letter = await readMessage(message);
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
      saveHistory(message);
      // One after another: input after a command must not reach the session that the command leaves.
      inputs = inputs.then(() => carefully(handle(message)));
    },
    whole: (observation) => (agent === undefined ? observation : wholeOutput(observation, { app, agent })),
    choices: (name) => slashCommands.find((command) => command.name === name)?.choices?.(app) ?? [],
    borrowed: () => shelf?.known ?? [],
    answer: (answer) => requests.settle(answer.request, answer),
    answerServer: elicitations.settle,
    interrupt() {
      void agent?.interrupt("Esc");
      // The server may not notice that its call was cancelled.
      elicitations.settleAll({ action: "cancel" });
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
      requests.settleAll("unavailable");
      elicitations.settleAll({ action: "cancel" });
      if (store.screen().working) await agent?.interrupt("quit");
      await running;
      await agent?.close();
    },
  };
}

function createQuestions(store: ScreenStore) {
  const requests = createPending<PermissionAnswer | "unavailable">((request) =>
    store.apply({ kind: "answered", request }),
  );
  const elicitations = createPending<ElicitationAnswer>((id) => store.apply({ kind: "elicitation_over", id }));
  const ask: Asker = (request, signal) => {
    store.apply({ kind: "asked", request });
    return requests.wait(request.id, "unavailable", signal);
  };
  const elicit: Elicitor = (question, signal) => {
    store.apply({ kind: "elicited", question });
    return elicitations.wait(question.id, { action: "cancel" }, signal);
  };
  return { requests, elicitations, ask, elicit };
}

/** Questions that wait for an answer, by id. */
function createPending<Answer>(over: (id: string) => void) {
  const waiting = new Map<string, (answer: Answer) => void>();
  const settle = (id: string, answer: Answer): void => {
    const resolve = waiting.get(id);
    if (resolve === undefined) return;
    waiting.delete(id);
    over(id);
    resolve(answer);
  };
  return {
    settle,
    wait(id: string, withdrawn: Answer, signal?: AbortSignal): Promise<Answer> {
      const { promise, resolve } = Promise.withResolvers<Answer>();
      waiting.set(id, resolve);
      if (signal?.aborted) settle(id, withdrawn);
      else signal?.addEventListener("abort", () => settle(id, withdrawn), { once: true });
      return promise;
    },
    settleAll(answer: Answer): void {
      for (const id of [...waiting.keys()]) settle(id, answer);
    },
  };
}

function unsupportedPrefix(message: string): string | undefined {
  if (message.includes("\n")) return undefined;
  if (/^![^\s!]/.test(message)) return "Not sent: ! does not run commands here. Ask the model to run it.";
  if (/^# /.test(message)) return "Not sent: # does not save notes here. Add the note to AGENTS.md.";
  return undefined;
}

const noSession = "No session is open. Use /new, /resume or /quit.";

function bugText(error: unknown): string {
  return `Internal error: ${messageOf(error)}`;
}
