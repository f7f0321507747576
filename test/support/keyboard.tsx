import { EventEmitter } from "node:events";
import { render } from "ink";
import type { ReactNode } from "react";
import { onTestFinished } from "vitest";
import { type KeyByKey, keyByKey } from "../../src/tui/input/keyboard.ts";

/** A keyboard whose every read is decided by the test. */
class Keyboard extends EventEmitter {
  readonly isTTY = true;
  #read: string | null = null;

  read(): string | null {
    const read = this.#read;
    this.#read = null;
    return read;
  }

  type(read: string): void {
    this.#read = read;
    this.emit("readable");
  }

  setEncoding(): void {}
  setRawMode(): void {}
  ref(): void {}
  unref(): void {}
}

class Window extends EventEmitter {
  columns = 100;
  readonly frames: string[] = [];

  write(frame: string): void {
    this.frames.push(frame);
  }
}

interface TypedAt {
  /** What is written comes in one read. */
  readonly stdin: { write(read: string): void };
  readonly frames: readonly string[];
  lastFrame(): string;
  narrow(columns: number): void;
}

/** What is drawn, behind the same keyboard as at a terminal. */
export function typedAt(drawn: (keyboard: Pick<KeyByKey, "keyPlace">) => ReactNode): TypedAt {
  const keyboard = new Keyboard();
  const window = new Window();
  const { frames } = window;
  const { stdin, keyPlace } = keyByKey(keyboard as unknown as NodeJS.ReadStream);
  const screen = render(drawn({ keyPlace }), {
    stdin,
    stdout: window as unknown as NodeJS.WriteStream,
    debug: true,
    interactive: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  onTestFinished(() => screen.unmount());
  return {
    stdin: { write: (read) => keyboard.type(read) },
    frames,
    lastFrame: () => frames.at(-1) ?? "",
    narrow(columns) {
      window.columns = columns;
      window.emit("resize");
    },
  };
}
