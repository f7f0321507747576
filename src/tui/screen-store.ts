import { type Action, emptyScreen, type Item, reduceScreen, type Screen } from "./screen.ts";

/** The screen outside of what draws it: actions come from the run as well as from the keyboard. */
export interface ScreenStore {
  readonly screen: () => Screen;
  apply(action: Action): void;
  subscribe(listener: () => void): () => void;
  /** Whoever can write above what moves. Items that came before wait for it. */
  attach(write: (items: readonly Item[]) => void): void;
}

export function createScreenStore(): ScreenStore {
  let screen = emptyScreen;
  let write: ((items: readonly Item[]) => void) | undefined;
  let early: readonly Item[] = [];
  const listeners = new Set<() => void>();
  return {
    screen: () => screen,
    apply(action) {
      screen = reduceScreen(screen, action);
      if (screen.items.length > 0) {
        if (write === undefined) early = [...early, ...screen.items];
        else write(screen.items);
      }
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    attach(writer) {
      write = writer;
      if (early.length > 0) writer(early);
      early = [];
    },
  };
}
