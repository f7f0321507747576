import { type Key, useInput, usePaste } from "ink";
import { useEffect, useRef, useState } from "react";
import type { KeyPlace } from "../input/keyboard.ts";

interface Questioned {
  readonly isActive: boolean;
  /** No key is an answer before it has been there this long: one that was on its way when it came is none. */
  readonly unreadMs: number;
  readonly follows: boolean;
  readonly hasField: boolean;
  keyPlace(): KeyPlace;
  onTyped(text: string): void;
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

type Focus = "draft" | "question";

export const turnHint = "Tab answers this; your keys go to the line below";

const recentlyMs = 2_000;

/**
 * A question that comes while somebody writes does not take their keys: they go on into the draft until the person turns
 * to the question themselves. Questions that follow one another are turned to once.
 */
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
  /** No key is an answer before it has been there this long. */
  readonly unreadMs?: number;
  keyPlace(): KeyPlace;
  onAnswer(answer: Answer): void;
  onTyped(text: string): void;
}

export const narrowest = 32;
