export type OneAtATime = <Value>(work: () => Promise<Value>) => Promise<Value>;

export function createOneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}

export interface OneAtATimeByName {
  take<Value>(name: string, work: () => Promise<Value>): Promise<Value>;
  /** Settles when no work of this name, or of any name, is left. Never rejects. */
  over(name?: string): Promise<void>;
}

export function createOneAtATimeByName(): OneAtATimeByName {
  const last = new Map<string, Promise<void>>();
  return {
    take(name, work) {
      const done = (last.get(name) ?? Promise.resolve()).then(work);
      const forget = () => {
        if (last.get(name) === settled) last.delete(name);
      };
      const settled = done.then(forget, forget);
      last.set(name, settled);
      return done;
    },
    async over(name) {
      const open = () => (name === undefined ? last.values().next().value : last.get(name));
      for (let one = open(); one !== undefined; one = open()) await one;
    },
  };
}

export async function untilOver<Value>(work: Promise<Value>, over: AbortSignal): Promise<Value | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = () => resolve(undefined);
  over.addEventListener("abort", end, { once: true });
  if (over.aborted) end();
  try {
    return await Promise.race([promise, work]);
  } finally {
    over.removeEventListener("abort", end);
  }
}

/** In milliseconds. Node fires a longer timer immediately. */
export const longestTimer = 2 ** 31 - 1;

export function timerMs(milliseconds: number): number {
  return Math.min(milliseconds, longestTimer);
}

/** Created once, on first use: most processes never need most schemas, and each one slows the start. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export function firstOf<Item, Found>(
  items: readonly Item[],
  look: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Runs `tell` at once; calls within `ms` after that run it once more at the end. */
export function atMostEvery(ms: number, tell: () => void): () => void {
  let isResting = false;
  let isDue = false;
  return function told() {
    isDue = isResting;
    if (isResting) return;
    isResting = true;
    tell();
    setTimeout(() => {
      isResting = false;
      if (isDue) told();
    }, ms).unref();
  };
}

/** An exception of a listener never reaches the caller. */
export function safeListener<Notice>(notify: (notice: Notice) => void): (notice: Notice) => void {
  return (notice) => {
    try {
      notify(notice);
    } catch {}
  };
}

/** Forwards a stream. `onEnd` is called once: when it ends or fails, or when its reader stops. */
export function watchStream(
  stream: ReadableStream<Uint8Array>,
  onEnd: (how: "over" | "left") => void,
  onChunk: (chunk: Uint8Array) => void = () => {},
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let isOver = false;
  const end = (how: "over" | "left") => {
    if (!isOver) onEnd(how);
    isOver = true;
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (isOver) return;
          if (done) {
            controller.close();
            return end("over");
          }
          onChunk(value);
          controller.enqueue(value);
        } catch (error) {
          await reader.cancel().catch(() => {});
          controller.error(error);
          end("over");
        }
      },
      cancel(reason) {
        end("left");
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
