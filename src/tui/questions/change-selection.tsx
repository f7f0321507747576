import { type Key, Text } from "ink";
import { type ReactNode, useRef, useState } from "react";
import { isInside } from "../../contract/effect.ts";
import type { ListedChange } from "../../contract/verdict.ts";
import { QuestionFrame } from "./question-frame.tsx";
import { type QuestionProps, turnHint, useQuestionKeys } from "./use-question.ts";

interface SelectionProps extends Omit<QuestionProps<never>, "onAnswer" | "more" | "follows" | "unreadMs"> {
  readonly changes: readonly ListedChange[];
  onSelected(paths: readonly string[] | undefined): void;
  onBack(): void;
}

const aroundRows = 5;

export function ChangeSelection(props: SelectionProps): ReactNode {
  const { changes, colour, columns, rows, isActive, keyPlace, onSelected, onBack } = props;
  // Keys may come faster than it is drawn.
  const state = useRef({ at: 0, chosen: new Set<string>() as ReadonlySet<string> });
  const [{ at, chosen }, draw] = useState(state.current);
  const become = (next: Partial<typeof state.current>) => {
    state.current = { ...state.current, ...next };
    draw(state.current);
  };
  const room = Math.max(1, Math.min(changes.length, rows - aroundRows));
  const move = (by: number) => become({ at: Math.max(0, Math.min(changes.length - 1, state.current.at + by)) });
  const confirm = () => {
    const { chosen } = state.current;
    if (chosen.size === 0 || !keyPlace().isFirst) return;
    const paths = changes.map(({ path }) => path).filter((path) => chosen.has(path));
    onSelected(paths.length === changes.length ? undefined : paths);
  };
  const onKey = (input: string, key: Key): boolean => {
    const { at, chosen } = state.current;
    if (key.upArrow || (key.tab && key.shift)) move(-1);
    else if (key.downArrow || key.tab) move(1);
    else if (key.pageUp) move(-room);
    else if (key.pageDown) move(room);
    else if (key.home) move(-changes.length);
    else if (key.end) move(changes.length);
    else if (key.return) confirm();
    else if (key.escape) onBack();
    else if (input === " ") become({ chosen: toggled(chosen, changes, changes[at]?.path ?? "") });
    else if (input === "a")
      become({ chosen: chosen.size === changes.length ? new Set() : new Set(changes.map(({ path }) => path)) });
    return true;
  };
  useQuestionKeys({ ...props, isActive, unreadMs: 0, follows: false, hasField: false, onKey });
  const above = Math.max(0, Math.min(changes.length - room, at - Math.floor(room / 2)));
  const hint = chosen.size === 0 ? "Space: choose · a: all · Esc: back" : "Enter: keep · Space · a: all · Esc: back";
  return (
    <QuestionFrame columns={columns} colour={colour} border="yellow">
      <Text bold wrap="truncate-end">{`Keep which changes? ${chosen.size} of ${changes.length}`}</Text>
      {changes.slice(above, above + room).map(({ path, line }, index) => {
        const isHere = isActive && above + index === at;
        return (
          <Text key={path} inverse={isHere} wrap="truncate-middle">
            {`${isHere ? "❯" : " "} [${chosen.has(path) ? "x" : " "}] ${line}`}
          </Text>
        );
      })}
      <Text dimColor wrap="truncate-end">
        {isActive ? `${changes.length > room ? `${at + 1}/${changes.length} · ` : ""}${hint}` : turnHint}
      </Text>
    </QuestionFrame>
  );
}

function toggled(chosen: ReadonlySet<string>, changes: readonly ListedChange[], path: string): ReadonlySet<string> {
  const next = new Set(chosen);
  const paths = changes.map((change) => change.path);
  if (chosen.has(path)) for (const one of paths.filter((other) => isInside(path, other))) next.delete(one);
  else for (const one of paths.filter((other) => isInside(other, path))) next.add(one);
  return next;
}
