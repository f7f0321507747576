import { takeApart } from "./take-apart.ts";

export interface KeyByKey {
  readonly stdin: NodeJS.ReadStream;
  /** The key that is being given came in one read with letters and others. */
  isPartOfText(): boolean;
}

/** As long as Ink waits for the rest of a sequence. */
const sequenceMs = 20;

interface Given {
  readonly piece: string;
  readonly isText: boolean;
}

/**
 * A keyboard that gives its keys one by one, whatever came in one read. Each is acted upon and drawn before the next:
 * it may have changed who the keys are for. All of a read is given before any timer or anything else that comes from
 * outside: a question that comes up on the way has none of them as an answer.
 */
export function keyByKey(stdin: NodeJS.ReadStream, clock = () => performance.now()): KeyByKey {
  const listeners = new Set<() => void>();
  const queue: Given[] = [];
  let given: Given | undefined;
  let isRead = true;
  let isGiving = false;
  let unfinished = "";
  let readAt = 0;

  const take = () => {
    const now = clock();
    // Escape by itself is a key, unless what follows comes with it.
    if (unfinished.replaceAll("\u001b", "") === "" && now - readAt > sequenceMs) unfinished = "";
    readAt = now;
    for (let read: unknown = stdin.read(); read !== null; read = stdin.read()) {
      const apart = takeApart(String(read), unfinished);
      unfinished = apart.unfinished;
      queue.push(...apart.pieces.map((piece) => ({ piece, isText: apart.isText })));
    }
    if (!isGiving) giveNext();
  };
  const giveNext = () => {
    given = listeners.size === 0 ? undefined : queue.shift();
    isRead = given === undefined;
    isGiving = given !== undefined;
    if (!isGiving) return;
    for (const listener of listeners) listener();
    // What the key changed is drawn in a microtask that is there already.
    queueMicrotask(giveNext);
  };
  const read = () => {
    if (isRead) return null;
    isRead = true;
    return given?.piece ?? null;
  };
  const addListener = (event: string, listener: () => void) => {
    if (event !== "readable") stdin.addListener(event, listener);
    else if (listeners.add(listener).size === 1) stdin.addListener("readable", take);
    if (queue.length > 0 && !isGiving) queueMicrotask(take);
    return proxy;
  };
  const removeListener = (event: string, listener: () => void) => {
    if (event !== "readable") stdin.removeListener(event, listener);
    else if (listeners.delete(listener) && listeners.size === 0) stdin.removeListener("readable", take);
    return proxy;
  };
  const own: Readonly<Record<PropertyKey, unknown>> = { read, addListener, removeListener };
  const proxy = new Proxy(stdin, {
    get(target, key) {
      if (Object.hasOwn(own, key)) return own[key];
      const value = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { stdin: proxy, isPartOfText: () => given?.isText ?? false };
}
