const esc = "\u001b";
export interface KeyByKey {
  readonly stdin: NodeJS.ReadStream;
  keyPlace(): KeyPlace;
}

export interface KeyPlace {
  readonly read: number;
  readonly isFirst: boolean;
  readonly isPartOfText: boolean;
}

const alone: KeyPlace = { read: -1, isFirst: true, isPartOfText: false };

interface Given {
  readonly piece: string;
  readonly place: KeyPlace;
}

/**
 * Passes keys on one by one, however many came in one read. Each is handled and drawn before the next, because it may
 * move the focus. All keys of a read are passed on before any timer or other event: none of them can answer a question
 * that appears in between.
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
    // The microtask that draws the change is already queued.
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

export interface TakenApart {
  readonly pieces: readonly string[];
  readonly isText: boolean;
}

interface TakingApart {
  take(read: string, atMs: number): TakenApart;
  overdue(atMs: number): readonly string[];
  waitsMs(): number | undefined;
}

const sequenceMs = 20;

/**
 * A read may hold several keys, or part of one. Text that the terminal marks as pasted stays one piece. Text with more
 * text after a line end can only be pasted: it is marked here, or it would be sent line by line.
 */
export function createTakingApart(): TakingApart {
  let begun = "";
  let begunAt = 0;
  let paste: Paste | undefined;

  return {
    take(read, atMs) {
      const pieces: string[] = [];
      let plain = "";
      let rest = begun + read;
      begun = "";
      while (rest !== "") {
        if (paste !== undefined) {
          const taken = paste.take(rest, atMs);
          pieces.push(...taken.pieces);
          if (taken.isOver) paste = undefined;
          rest = taken.rest;
          continue;
        }
        const start = rest.indexOf(pasteStart);
        const tokens = tokensOf(start === -1 ? rest : rest.slice(0, start));
        if (start === -1 && unfinished.test(tokens.at(-1) ?? "")) {
          begun = tokens.pop() ?? "";
          begunAt = atMs;
        }
        pieces.push(...tokens.flatMap(piecesOf));
        plain += tokens.filter((one) => !one.startsWith(esc)).join("");
        if (start === -1) break;
        paste = openPaste(atMs, tokensOf);
        rest = rest.slice(start + pasteStart.length);
      }
      return { pieces, isText: plain.length > 1 && /[^\p{Cc}]/u.test(plain) };
    },
    overdue(atMs) {
      if (paste !== undefined) return paste.overdue(atMs);
      if (begun === "" || beginsPaste(begun) || atMs - begunAt < sequenceMs) return [];
      const late = begun;
      begun = "";
      return isEscapes(late) ? [...late].map(() => escapeKey) : [late];
    },
    waitsMs: () => paste?.waitsMs() ?? (begun === "" || beginsPaste(begun) ? undefined : sequenceMs),
  };
}

const escapeKey = `${esc}[27u`;

const sequence = `${esc}{1,2}(?:\\[\\[?[0-?]{0,32}[ -/]{0,4}(?:[@-~]|$)|O[0-9;]{0,32}(?:[@-~]|$))|${esc}[^]?`;
const text = "[\\t\\n\\r -~\\u0080-\\u{10ffff}]+";
const token = new RegExp(`${sequence}|${text}|[^]`, "gu");
const unfinished = new RegExp(`^${esc}{1,2}(?:\\[\\[?[0-?]*[ -/]*|O[0-9;]*)?$`);

function tokensOf(read: string): string[] {
  return read.match(token) ?? [];
}

function isEscapes(begun: string): boolean {
  return begun.replaceAll(esc, "") === "";
}

function beginsPaste(begun: string): boolean {
  return begun.length > 2 && pasteStart.startsWith(begun);
}

function piecesOf(one: string): readonly string[] {
  if (one.startsWith(esc)) return [one];
  const line = one.search(/[\r\n]/);
  if (line !== -1 && /\S/.test(one.slice(line))) return [asPaste(one)];
  return (one.match(/\r\n?|[\n\t]|[^\r\n\t]+/g) ?? []).map((piece) => (piece === "\r\n" ? "\r" : piece));
}

const pasteStart = `${esc}[200~`;
const pasteEnd = `${esc}[201~`;

const quietMs = 1_000;

interface Paste {
  take(read: string, atMs: number): TakenIn;
  overdue(atMs: number): readonly string[];
  waitsMs(): number | undefined;
}

interface TakenIn {
  readonly pieces: readonly string[];
  readonly isOver: boolean;
  readonly rest: string;
}

/**
 * A paste is passed on as a whole. The mark of its end may never come: after a pause, the rest is still passed on as
 * pasted text, until a key comes that cannot be part of a paste.
 */
function openPaste(atMs: number, keysIn: (text: string) => readonly string[]): Paste {
  const parts: string[] = [];
  let begunEnd = "";
  let heardAt = atMs;
  let hasStopped = false;
  let before = "";

  const isAlone = (text: string) => control.test(text) && keysIn(text).every((key) => control.test(key));
  const give = (): readonly string[] => {
    const pasted = parts.splice(0).join("");
    return pasted === "" ? [] : [asPaste(pasted)];
  };
  return {
    take(read, now) {
      const text = begunEnd + read;
      const isEnter = text === "\r" && before === "\r";
      begunEnd = "";
      before = text;
      const end = text.indexOf(pasteEnd);
      if (text.startsWith(pasteStart)) return { pieces: give(), isOver: true, rest: text };
      if (end !== -1) {
        parts.push(text.slice(0, end));
        return { pieces: give(), isOver: true, rest: text.slice(end + pasteEnd.length) };
      }
      begunEnd = beginningOfEnd(text);
      const areKeys = isEnter || (begunEnd !== text && isAlone(text));
      if (hasStopped && areKeys) return { pieces: give(), isOver: true, rest: text };
      // Keys of an impatient user must not prolong it.
      if (!areKeys) heardAt = now;
      parts.push(text.slice(0, text.length - begunEnd.length));
      return { pieces: hasStopped ? give() : [], isOver: false, rest: "" };
    },
    overdue(now) {
      hasStopped ||= now - heardAt >= quietMs;
      return hasStopped ? give() : [];
    },
    waitsMs: () => (hasStopped ? undefined : quietMs),
  };
}

const control = /^(?![\t\n\r])\p{Cc}/u;

function asPaste(text: string): string {
  return pasteStart + text + pasteEnd;
}

function beginningOfEnd(text: string): string {
  const at = text.lastIndexOf(esc);
  return at !== -1 && pasteEnd.startsWith(text.slice(at)) ? text.slice(at) : "";
}
