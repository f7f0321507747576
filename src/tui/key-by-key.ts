import { createTakingApart, type TakenApart } from "./take-apart.ts";

export interface KeyByKey {
  readonly stdin: NodeJS.ReadStream;
  keyPlace(): KeyPlace;
}

/** Where the key that is being given stands among those that came with it. */
export interface KeyPlace {
  /** The same for keys that came in one read: what one of them did has not been seen when the next is given. */
  readonly read: number;
  readonly isFirst: boolean;
  /** It came with letters and others. */
  readonly isPartOfText: boolean;
}

const alone: KeyPlace = { read: -1, isFirst: true, isPartOfText: false };

interface Given {
  readonly piece: string;
  readonly place: KeyPlace;
}

/**
 * A keyboard that gives its keys one by one, whatever came in one read. Each is acted upon and drawn before the next:
 * it may have changed who the keys are for. All of a read is given before any timer or anything else that comes from
 * outside: a question that comes up on the way has none of them as an answer.
 */
export function keyByKey(stdin: NodeJS.ReadStream): KeyByKey {
  const listeners = new Set<() => void>();
  const queue: Given[] = [];
  const apart = createTakingApart();
  let given: Given | undefined;
  let isRead = true;
  let isGiving = false;
  let reads = 0;
  let waking: NodeJS.Timeout | undefined;

  const take = () => {
    const now = performance.now();
    const taken: TakenApart[] = [{ pieces: apart.overdue(now), isText: false }];
    for (let read: unknown = stdin.read(); read !== null; read = stdin.read())
      taken.push(apart.take(String(read), now));
    reads += 1;
    const keys = taken.flatMap(({ pieces, isText }) => pieces.map((piece) => ({ piece, isPartOfText: isText })));
    for (const [at, { piece, isPartOfText }] of keys.entries())
      queue.push({ piece, place: { read: reads, isFirst: at === 0, isPartOfText } });
    clearTimeout(waking);
    const waitsMs = apart.waitsMs();
    if (waitsMs !== undefined) waking = setTimeout(take, waitsMs + 1);
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
    else if (listeners.delete(listener) && listeners.size === 0) {
      stdin.removeListener("readable", take);
      clearTimeout(waking);
    }
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
  return { stdin: proxy, keyPlace: () => given?.place ?? alone };
}
