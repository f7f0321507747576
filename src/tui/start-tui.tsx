import { stripVTControlCharacters } from "node:util";
import { render } from "ink";
import { widthOf } from "../cli/render/wrap.ts";
import type { AgentOptions } from "../contract/app/agent.ts";
import type { App } from "../contract/app/app.ts";
import type { Outcome } from "../contract/codes.ts";
import { keyByKey } from "./input/keyboard.ts";
import { createScreenStore } from "./screen.ts";
import { createSessionDriver } from "./session-driver.ts";
import { SessionScreen } from "./session-screen.tsx";

export interface TuiOptions {
  readonly app: App;
  readonly agent: Omit<AgentOptions, "ask" | "onNotice">;
  readonly welcome: readonly string[];
  readonly task?: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly colour: boolean;
  readonly reflows: boolean;
  files(): readonly string[];
}

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
  // Ink sets raw mode after the first frame; an Enter before that would be echoed as a line end.
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

const eraseBelow = "\u001b[0J";

/**
 * Ink erases a frame by counting its lines. A terminal that rewraps lines when its window narrows makes more of them,
 * and the rest would stay visible. So the last frame is erased here by its real height; below it, as many empty lines
 * are left as Ink will count.
 */
export function erasingReflowed(stdout: NodeJS.WriteStream): NodeJS.WriteStream {
  let frame: readonly string[] = [];
  let columns = stdout.columns;
  const write = new Proxy(stdout.write, {
    apply(original, _self, args) {
      const text = typeof args[0] === "string" ? stripVTControlCharacters(args[0]) : "";
      // Other output goes above the frame, which is then redrawn.
      if (text.endsWith("\n")) frame = text.split("\n").slice(0, -1);
      return Reflect.apply(original, stdout, args);
    },
  });
  stdout.on("resize", () => {
    const before = columns;
    columns = stdout.columns;
    if (columns >= before) return;
    const rows = rowsAt(frame, columns);
    if (rows > frame.length) stdout.write(`\u001b[${rows}A${eraseBelow}${"\n".repeat(frame.length)}`);
  });
  return new Proxy(stdout, {
    get(target, key) {
      if (key === "write") return write;
      const value = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

export function rowsAt(lines: readonly string[], columns: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
}
