import { Text } from "ink";
import { render } from "ink-testing-library";
import { expect, onTestFinished, test } from "vitest";
import { useFocus } from "./use-question.ts";

function watch() {
  let time = 0;
  let focus: ReturnType<typeof useFocus> | undefined;
  function Watched({ isAsked, isWriting }: { readonly isAsked: boolean; readonly isWriting: boolean }) {
    focus = useFocus(isAsked, { isWriting, now: () => time });
    return <Text>{focus.focus}</Text>;
  }
  const screen = render(<Watched isAsked={false} isWriting={false} />);
  onTestFinished(() => screen.unmount());
  const see = (isAsked: boolean, isWriting = false) => {
    screen.rerender(<Watched isAsked={isAsked} isWriting={isWriting} />);
    return screen.lastFrame();
  };
  return { see, keys: () => focus, wait: (ms: number) => (time += ms) };
}

test("a question has the keys, unless somebody writes or has just typed", () => {
  const { see, keys, wait } = watch();
  expect([see(true), see(false), see(true, true)]).toEqual(["question", "draft", "draft"]);
  see(false);
  keys()?.typed();
  wait(1_999);
  expect([see(true), see(false)]).toEqual(["draft", "draft"]);
  wait(2);
  expect(see(true)).toBe("question");
});

test("what was turned to stays so until nothing is asked any more", () => {
  const { see, keys } = watch();
  see(true, true);
  keys()?.turnTo("question");
  keys()?.answered();
  expect([see(true, true), keys()?.follows]).toEqual(["question", true]);
  see(false, true);
  expect([see(true, true), keys()?.follows]).toEqual(["draft", false]);
});
