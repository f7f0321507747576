import { type Key, useInput, usePaste } from "ink";
import { useEffect, useRef, useState } from "react";
import type { KeyPlace } from "./key-by-key.ts";

interface Questioned {
  /** Keys are for the question. */
  readonly isActive: boolean;
  /** No key is an answer before it has been there this long: one that was on its way when it came is none. */
  readonly unreadMs: number;
  /** The person has just answered another one: keys that come too early were meant for that. */
  readonly follows: boolean;
  /** Texts are written in the question itself: what is pasted is for those. */
  readonly hasField: boolean;
  keyPlace(): KeyPlace;
  /** What was typed and is no answer. */
  onTyped(text: string): void;
  /** False where it is no answer. */
  onKey(input: string, key: Key): boolean;
}

/**
 * The keys of a question. Letters that are no answers are the beginning of a message, and so is whatever follows them
 * before the question knows that it has lost the keys. Outside of a form, letters and Enter that come together are a
 * message as well. Gives whether it can have been read.
 */
export function useQuestionKeys(questioned: Questioned): boolean {
  const { isActive, unreadMs, follows, hasField, keyPlace, onTyped, onKey } = questioned;
  const [readable, setReadable] = useState(unreadMs === 0);
  useEffect(() => {
    const waking = setTimeout(() => setReadable(true), unreadMs);
    return () => clearTimeout(waking);
  }, [unreadMs]);
  const attends = useRef(isActive);
  attends.current = isActive;
  const typed = (text: string) => {
    attends.current = false;
    onTyped(text);
  };
  useInput(
    (input, key) => {
      if (!readable && follows) return;
      const isWritten = !hasField && keyPlace().isPartOfText && (key.return || isText(input, key));
      const isAnswer = readable && attends.current && !isWritten && onKey(input, key);
      if (!isAnswer && isText(input, key)) typed(input);
    },
    { isActive },
  );
  // Where nobody listens for it, what is pasted comes as keys.
  usePaste((text) => (hasField && readable) || typed(text), { isActive });
  return readable;
}

function isText(input: string, key: Key): boolean {
  return input !== "" && !(key.ctrl || key.meta || key.return || key.tab || key.escape || key.backspace || key.delete);
}
