import { type Key, useInput, usePaste } from "ink";
import { useEffect, useRef, useState } from "react";
import type { KeyPlace } from "../input/keyboard.ts";

interface Questioned {
  readonly isActive: boolean;
  /** Keys are ignored for this long: they were pressed before the question could be read. */
  readonly unreadMs: number;
  readonly follows: boolean;
  readonly hasField: boolean;
  keyPlace(): KeyPlace;
  onTyped(text: string): void;
  onKey(input: string, key: Key): boolean;
}

/**
 * The keys of a question. A letter that is not an answer starts a message, and so does all that follows it before the
 * focus has moved. Outside a form, letters that come together with Enter are a message too. Returns whether the question
 * has been visible long enough to be read.
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
  // Without a listener, Ink passes pasted text on as keys.
  usePaste((text) => (hasField && readable) || typed(text), { isActive });
  return readable;
}

function isText(input: string, key: Key): boolean {
  return input !== "" && !(key.ctrl || key.meta || key.return || key.tab || key.escape || key.backspace || key.delete);
}

type Focus = "draft" | "question";

export const turnHint = "Tab: answer this; other keys go to the prompt below";

const recentlyMs = 2_000;

/** A question never takes the focus while the user types; Tab moves to it. Questions that follow keep the focus. */
export function useFocus(
  isAsked: boolean,
  { isWriting, now }: { readonly isWriting: boolean; readonly now: () => number },
): {
  readonly focus: Focus;
  turnTo(focus: Focus): void;
  typed(): void;
  readonly follows: boolean;
  answered(): void;
} {
  const [focus, setFocus] = useState<Focus>("draft");
  const [wasAsked, setWasAsked] = useState(false);
  const lastKey = useRef(Number.NEGATIVE_INFINITY);
  const [follows, setFollows] = useState(false);
  let at = focus;
  if (isAsked !== wasAsked) {
    at = isAsked && !isWriting && now() - lastKey.current > recentlyMs ? "question" : "draft";
    setWasAsked(isAsked);
    setFocus(at);
    setFollows(false);
  }
  return {
    focus: at,
    turnTo: setFocus,
    typed() {
      lastKey.current = now();
    },
    follows,
    answered: () => setFollows(true),
  };
}

export interface QuestionProps<Answer> {
  readonly more: number;
  readonly colour: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly isActive: boolean;
  readonly follows: boolean;
  readonly unreadMs?: number;
  keyPlace(): KeyPlace;
  onAnswer(answer: Answer): void;
  onTyped(text: string): void;
}

export const narrowest = 32;
