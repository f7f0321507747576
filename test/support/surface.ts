import { runProgram } from "../../src/cli/program.ts";
import { OutputClosed, type OutputFailed, type Question, type Surface } from "../../src/cli/surface.ts";
import type { App } from "../../src/contract/app/app.ts";
import type { Door, DoorOptions } from "../../src/contract/app/door.ts";
import { fail, ok } from "../../src/contract/codes.ts";
import type { IntentInput } from "../../src/contract/intent.ts";
import { noUsage } from "../../src/contract/model.ts";
import type { Observation } from "../../src/contract/observation.ts";
import type { Settings } from "../../src/contract/settings.ts";
import type { SessionState } from "../../src/contract/state.ts";
import type { Explanation, PermissionRequest } from "../../src/contract/verdict.ts";
import { loadSettings } from "../../src/settings/load-settings.ts";

/** A command line in a box: what goes in as text, what comes out as text. */
export interface Box {
  readonly app?: Partial<App>;
  /** Chunks of standard input; a promise holds them back. */
  readonly stdin?: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
  /** Makes the box a terminal with a person who types these. */
  readonly answers?: readonly string[];
  readonly colour?: boolean;
  readonly columns?: number;
  /** There is a terminal to ask on beside standard input. */
  readonly terminalBeside?: boolean;
  /** Nobody reads our output after this many writes. */
  readonly closesAfter?: number;
  /** What the writes after that end with instead. */
  readonly loses?: OutputFailed;
  /** Called with every complete line of output. */
  readonly onLine?: (line: string) => void;
  /** Receives the function that sends a signal. */
  readonly onStart?: (interrupt: () => void) => void;
  readonly files?: Readonly<Record<string, string>>;
  /** What serving comes to. */
  readonly serves?: Surface["serve"];
  /** What editing comes to. */
  readonly edits?: Surface["edit"];
  /** There is a terminal to draw on: told about every conversation, which ends at once. */
  readonly converses?: (...conversation: Parameters<NonNullable<Surface["converse"]>>) => void;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly questions: readonly string[];
  /** Directories that an App was made for. */
  readonly apps: readonly string[];
}

export async function run(argv: readonly string[], box: Box = {}): Promise<Ran> {
  let stdout = "";
  let stderr = "";
  let writes = 0;
  const apps: string[] = [];
  const questions: string[] = [];
  const answers = [...(box.answers ?? [])];
  const listeners = new Set<(signal: string) => void>();
  box.onStart?.(() => {
    for (const listener of listeners) listener("SIGINT");
  });
  const terminal = box.answers !== undefined;
  const question: Question = async (text) => {
    questions.push(text);
    return answers.shift();
  };
  const surface: Surface = {
    version: "1.2.3",
    cwd: "/here",
    stdout: {
      terminal,
      ...(box.columns === undefined ? {} : { columns: box.columns }),
      colour: box.colour ?? false,
      write: async (text) => {
        if (writes++ >= (box.closesAfter ?? Number.POSITIVE_INFINITY)) throw box.loses ?? new OutputClosed();
        stdout += text;
        box.onLine?.(text.trimEnd());
      },
    },
    stderr: {
      terminal,
      ...(box.columns === undefined ? {} : { columns: box.columns }),
      colour: box.colour ?? false,
      write: async (text) => {
        stderr += text;
      },
    },
    stdin: bytesOf(box.stdin ?? []),
    ...(terminal ? { question } : {}),
    ...(box.terminalBeside === true ? { terminalQuestion: question } : {}),
    isDirectory: (file) => !file.includes("absent"),
    exists: (file) => !file.includes("absent"),
    inputKind: () => (box.stdin === undefined ? "none" : "pipe"),
    lines: (file = "-") => {
      const content = box.files?.[file];
      return content === undefined ? fail("bad_request", `${file} cannot be read.`) : ok(content.split("\n"));
    },
    ...(box.converses === undefined
      ? {}
      : {
          converse: async (...conversation) => {
            box.converses?.(...conversation);
            return ok({ sessionId: "ses_1" });
          },
        }),
    makeSample: () => fail("bad_request", "No sample project here."),
    createApp: async ({ cwd }) => {
      apps.push(cwd);
      return ok(appOf(box.app ?? {}));
    },
    edit: box.edits ?? (async () => ok(undefined)),
    serve: box.serves ?? (async () => fail("bad_request", "Nothing is served here.")),
    onInterrupt: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const code = await runProgram(argv, surface);
  return { code, stdout, stderr, questions, apps };
}

async function* bytesOf(text: NonNullable<Box["stdin"]>): AsyncGenerator<Uint8Array> {
  for await (const chunk of text) yield Buffer.from(chunk);
}

function appOf(given: Partial<App>): App {
  const absent = (name: string) => () => {
    throw new Error(`This test did not expect ${name} to be used.`);
  };
  return {
    version: "1.2.3",
    workspace: "/here",
    rulesFile: "/home/ada/.gauntlet/projects/here/settings.json",
    openDoor: absent("openDoor"),
    openAgent: absent("openAgent"),
    kept: absent("kept"),
    files: absent("files"),
    findModels: async () => [],
    saveModel: absent("saveModel"),
    settings: () => ok(plainSettings),
    menu: absent("menu"),
    archive: absent("archive"),
    undo: absent("undo"),
    replay: absent("replay"),
    doctor: absent("doctor"),
    policy: { check: absent("policy.check"), try: absent("policy.try"), trust: absent("policy.trust") },
    promptHistory: { read: () => [], add: () => ok(undefined) },
    unanswered: {
      list: absent("unanswered.list"),
      take: absent("unanswered.take"),
      answer: absent("unanswered.answer"),
    },
    servers: {
      list: absent("servers.list"),
      get: absent("servers.get"),
      shown: absent("servers.shown"),
      unshown: absent("servers.unshown"),
      add: absent("servers.add"),
      addJson: absent("servers.addJson"),
      remove: absent("servers.remove"),
      test: absent("servers.test"),
      accept: absent("servers.accept"),
      login: absent("servers.login"),
      logout: absent("servers.logout"),
      switch: absent("servers.switch"),
    },
    skills: { survey: absent("skills.survey"), search: absent("skills.search"), read: absent("skills.read") },
    notices: () => [],
    close: async () => {},
    ...given,
  };
}

const loaded = loadSettings({
  workspace: "/here",
  home: "/home/ann",
  managedPath: "/etc/gauntlet/policy.json",
  commandLine: {},
  readText: () => undefined,
  findFile: () => undefined,
});
if (!loaded.ok) throw new Error("The default settings must load.");
export const plainSettings: Settings = loaded.value;

export const explanation: Explanation = {
  decision: "ask",
  risk: "R3",
  reason: "it runs project code",
  source: "mode",
  effects: [{ op: "exec", program: "npm", argv: ["npm", "test"] }],
  suggestedRules: ["Bash(npm test)"],
  notes: ["Hooks were not run."],
};

export function observationOf(intent: IntentInput, change: Partial<Observation> = {}): Observation {
  return {
    intentId: intent.id ?? "int_1",
    invocationId: "inv_1",
    tool: intent.tool,
    ok: true,
    status: "ok",
    phase: "execute",
    code: "ok",
    title: `${intent.tool} done`,
    summary: "It was done.",
    model: { content: [], truncated: false, omittedBytes: 0 },
    user: { text: `${intent.tool} ${JSON.stringify(intent.input)}` },
    effects: { happened: "done", declared: [], seen: [] },
    artifacts: [],
    metrics: {
      startedAt: "2026-01-01T00:00:00.000Z",
      endedAt: "2026-01-01T00:00:00.007Z",
      durationMs: 7,
      outputBytes: 0,
    },
    retryable: false,
    sandbox: { backend: "bubblewrap", enforces: true },
    auditId: "evt_1",
    ...change,
  };
}

export const idleState: SessionState = {
  id: "ses_1",
  status: "idle",
  workspace: "/here",
  roots: ["/here"],
  cwd: "/here",
  mode: "default",
  phase: "",
  grants: [],
  baselines: new Map(),
  definitions: new Map(),
  menuHash: "m",
  loadedTools: [],
  plan: [],
  skill: null,
  openIntents: new Map(),
  openInvocations: new Map(),
  openJobs: new Map(),
  pending: new Map(),
  changedFiles: new Map(),
  task: "",
  run: null,
  usage: { ...noUsage, costUsd: 0, unpriced: 0 },
  lastChange: 0,
  verifications: new Map(),
  counts: { intents: 0, observations: 0, refused: 0, failed: 0 },
  seq: 1,
  head: "abc",
};

export interface DoorScript {
  call?(intent: IntentInput, options: DoorOptions): Promise<Observation>;
  explain?(intent: IntentInput): Promise<Explanation>;
  answer?: Door["answer"];
  interrupt?(): void;
  readonly state?: Partial<SessionState>;
  /** Every use of the door, in order. */
  readonly uses?: string[];
}

/** An App whose door does what the script says. */
export function appWithDoor(script: DoorScript): Partial<App> {
  const uses = script.uses ?? [];
  return {
    openDoor: async (options) => {
      uses.push(`open ${JSON.stringify({ ...options, ask: undefined, onNotice: undefined })}`);
      const call = (intent: IntentInput) =>
        script.call === undefined ? Promise.resolve(observationOf(intent)) : script.call(intent, options);
      return ok({
        sessionId: "ses_1",
        state: { ...idleState, ...script.state },
        call: (intent) => {
          uses.push(`call ${intent.tool}`);
          return call(intent);
        },
        batch: (intents) => {
          uses.push(`batch ${intents.length}`);
          return Promise.all(intents.map(call));
        },
        menu: () => [],
        outputSchema: () => undefined,
        servers: () => [],
        resources: async () => ok([]),
        prompts: async () => ok([]),
        endWatch: async () => {},
        redact: (value) => value,
        explain: (intent) => {
          uses.push(`explain ${JSON.stringify(intent)}`);
          return script.explain === undefined ? Promise.resolve(explanation) : script.explain(intent);
        },
        answer: (answer) =>
          script.answer === undefined ? fail("bad_request", "No such request.") : script.answer(answer),
        interrupt: async () => {
          uses.push("interrupt");
          script.interrupt?.();
        },
        projectContext: () => ok({ menuHash: "" }),
        setMode: () => ok(undefined),
        close: async () => {
          uses.push("close");
        },
      });
    },
  };
}

export function requestOf(id: string): PermissionRequest {
  return {
    id,
    intentId: "int_1",
    tool: "bash",
    digest: "d",
    prompt: {
      title: "Run a command",
      action: "npm test",
      effects: ["run npm test"],
      risk: "R3",
      reason: "it runs project code",
      sandbox: "bubblewrap, no network",
      outputLimit: "100000 characters",
      intentReason: "to see whether it works",
      suggestedRules: ["Bash(npm test)"],
      savesTo: "/state/settings.json",
    },
    requestedAt: "2026-01-01T00:00:00.000Z",
    expiresAt: "2026-01-01T00:15:00.000Z",
  };
}

/** A question about `npm test`, with nothing that could be remembered. */
export const npmTestRequest: PermissionRequest = {
  id: "req_1",
  intentId: "int_1",
  tool: "bash",
  digest: "d",
  requestedAt: "2026-01-01T00:00:00.000Z",
  expiresAt: "2026-01-01T01:00:00.000Z",
  prompt: {
    title: "Run npm test?",
    action: "npm test",
    effects: ["runs npm test"],
    risk: "R3",
    reason: "it runs project code",
    sandbox: "bubblewrap",
    outputLimit: "100,000 characters",
  },
};
