import { type Action, reduceScreen } from "./screen.ts";
import { emptyScreen, type Item, type Screen } from "./screen-state.ts";

/** The screen outside of what draws it: actions come from the run as well as from the keyboard. */
export interface ScreenStore {
  readonly screen: () => Screen;
  apply(action: Action): void;
  subscribe(listener: () => void): () => void;
  /** Items that came before wait for it. */
  attach(place: Place): void;
}

/** Whoever can write above what moves, and has the line that messages are written in. */
interface Place {
  write(items: readonly Item[]): void;
  /** Messages that were not sent. */
  giveBack(texts: readonly string[]): void;
}

export function createScreenStore(): ScreenStore {
  let screen = emptyScreen;
  let place: Place | undefined;
  let early: readonly Item[] = [];
  const listeners = new Set<() => void>();
  return {
    screen: () => screen,
    apply(action) {
      screen = reduceScreen(screen, action);
      if (screen.items.length > 0) {
        if (place === undefined) early = [...early, ...screen.items];
        else place.write(screen.items);
      }
      if (screen.returned.length > 0) place?.giveBack(screen.returned);
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    attach(attached) {
      place = attached;
      if (early.length > 0) attached.write(early);
      early = [];
    },
  };
}
