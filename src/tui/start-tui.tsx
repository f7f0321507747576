import { render } from "ink";
import type { AgentOptions } from "../contract/app/agent.ts";
import type { App } from "../contract/app/app.ts";
import type { Outcome } from "../contract/codes.ts";
import { keyByKey } from "./key-by-key.ts";
import { erasingReflowed } from "./reflow.ts";
import { createScreenStore } from "./screen-store.ts";
import { createSessionDriver } from "./session-driver.ts";
import { SessionScreen } from "./session-screen.tsx";

export interface TuiOptions {
  readonly app: App;
  readonly agent: Omit<AgentOptions, "ask" | "onNotice">;
  /** What is said first: where this is, and what a person should know about it. */
  readonly welcome: readonly string[];
  /** Sent at once. */
  readonly task?: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly colour: boolean;
  /** The terminal breaks lines anew when its window changes. */
  readonly reflows: boolean;
  files(): readonly string[];
}

/** A session at the terminal, until the person leaves it. */
export async function startTui(options: TuiOptions): Promise<Outcome<{ readonly sessionId: string }>> {
  const store = createScreenStore();
  let unmount = () => {};
  const driver = createSessionDriver({
    app: options.app,
    options: options.agent,
    store,
    columns: () => options.stdout.columns,
    quit: () => unmount(),
  });
  for (const text of options.welcome) store.apply({ kind: "note", tone: "quiet", text });
  const started = await driver.start();
  if (!started.ok) return started;
  // Ink does it only after it has drawn: an Enter that comes in between would be a line end, and be written on the screen.
  if (options.stdin.isTTY) options.stdin.setRawMode(true);
  const { stdin, keyPlace } = keyByKey(options.stdin);
  const screen = render(
    <SessionScreen
      store={store}
      driver={driver}
      colour={options.colour}
      files={options.files}
      keyPlace={keyPlace}
      quit={() => unmount()}
    />,
    {
      stdin,
      stdout: options.reflows ? erasingReflowed(options.stdout) : options.stdout,
      exitOnCtrlC: false,
    },
  );
  unmount = screen.unmount;
  if (options.task !== undefined) driver.submit(options.task);
  await screen.waitUntilExit();
  const sessionId = driver.agent()?.sessionId ?? "";
  await driver.close();
  return { ok: true, value: { sessionId } };
}
