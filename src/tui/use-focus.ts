import { useRef, useState } from "react";

/** Who the keys are for while a question stands there. */
export type Focus = "draft" | "question";

/** Stands in a question while somebody writes something else. */
export const turnHint = "Tab answers this; your keys go to the line below";

/** Who typed this recently before a question came has their eyes elsewhere. */
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
  /** A key came while it was working and nothing was asked. */
  typed(): void;
  /** Another question was answered right before this one. */
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
