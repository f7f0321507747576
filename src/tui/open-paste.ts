export const esc = "\u001b";
export const pasteStart = `${esc}[200~`;
const pasteEnd = `${esc}[201~`;

/** A slow line stops for less. */
const quietMs = 1_000;

/** What a terminal marks as pasted, while its end is still to come. */
export interface Paste {
  take(read: string, atMs: number): TakenIn;
  /** Of a paste that has stopped, what there is of it. */
  overdue(atMs: number): readonly string[];
  /** Until then; nothing of one that has stopped is held back. */
  waitsMs(): number | undefined;
}

interface TakenIn {
  /** Pastes with their marks. */
  readonly pieces: readonly string[];
  readonly isOver: boolean;
  /** What stands behind it. */
  readonly rest: string;
}

/**
 * It is given whole. What came is kept aside and not looked at again, so a long one costs what it holds. The mark of its
 * end may never come: when it has stopped, whatever follows is still pasted text and is given as it comes, until
 * somebody presses what nobody pastes.
 */
export function openPaste(atMs: number, keysIn: (text: string) => readonly string[]): Paste {
  const parts: string[] = [];
  /** Of the mark of its end, as far as it came. */
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
      // Keys of somebody who waits for it do not make it go on.
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

/** Line ends and tabs are pasted. */
const control = /^(?![\t\n\r])\p{Cc}/u;

export function asPaste(text: string): string {
  return pasteStart + text + pasteEnd;
}

function beginningOfEnd(text: string): string {
  const at = text.lastIndexOf(esc);
  return at !== -1 && pasteEnd.startsWith(text.slice(at)) ? text.slice(at) : "";
}
