import { Box, Text, useInput, usePaste } from "ink";
import { type ReactNode, useRef } from "react";
import { visibleText } from "../../base/text.ts";
import { counted } from "../../cli/render/table.ts";
import { type EditedText, edits, emptyText, moveLine, rowsInView, type VisualRow } from "./line-editor.ts";

interface TextFieldProps {
  readonly prompt: string;
  readonly edited: EditedText;
  readonly columns: number;
  readonly mostRows: number;
  readonly placeholder?: string;
  readonly onKey?: (key: FieldKey, edited: EditedText) => EditedText | boolean;
  onSubmit(text: string): void;
  onCancel?(): void;
  onChange(edited: EditedText): void;
}

export type FieldKey = "up" | "down" | "tab" | "escape" | "return";

export function TextField(props: TextFieldProps): ReactNode {
  const { prompt, columns, mostRows, placeholder = "" } = props;
  // Several keys may come before it is drawn again.
  const current = useRef(props.edited);
  current.current = props.edited;
  const { edited } = props;
  const become = (next: EditedText) => {
    current.current = next;
    props.onChange(next);
  };
  const offered = (key: FieldKey, now = current.current): boolean => {
    const taken = props.onKey?.(key, now) ?? false;
    if (typeof taken !== "boolean") become(taken);
    return taken !== false;
  };
  const enter = (now: EditedText) => {
    if (now.text[now.at - 1] === "\\") return become(edits.insert(edits.deleteLeft(now), "\n"));
    if (offered("return", now)) return;
    props.onSubmit(now.text);
    become(emptyText);
  };
  useInput((input, key) => {
    const now = current.current;
    if (key.return) {
      if (key.meta || key.shift) return become(edits.insert(now, "\n"));
      return enter(now);
    }
    if (key.escape) return offered("escape") ? undefined : props.onCancel?.();
    if (key.upArrow) return offered("up") ? undefined : become(moveLine(now, -1) ?? now);
    if (key.downArrow) return offered("down") ? undefined : become(moveLine(now, 1) ?? now);
    if (key.tab) return void (key.shift || offered("tab"));
    const edit = editOf(input, key);
    if (edit !== undefined) become(edit(now));
    else if (input !== "" && !key.ctrl && !key.meta) become(edits.insert(now, asTyped(input)));
  });
  usePaste((text) => become(edits.insert(current.current, asTyped(text))));
  // The cursor needs a cell after the last character.
  const room = Math.max(1, columns - prompt.length - 1);
  const { rows, above, below } = rowsInView(edited, { columns: room, most: mostRows });
  return (
    <Box width={columns} flexShrink={0}>
      <Text>{prompt}</Text>
      <Box flexDirection="column">
        {edited.text === "" ? (
          <Text wrap="truncate-end">
            <Text inverse> </Text>
            <Text dimColor>{placeholder}</Text>
          </Text>
        ) : (
          rows.map((row) => (
            <Text key={row.from} wrap="truncate-end">
              {withCursor(edited, row, rows.at(-1) === row)}
            </Text>
          ))
        )}
        {above + below > 0 && <Text dimColor>{`${counted(above, "line")} above, ${below} below`}</Text>}
      </Box>
    </Box>
  );
}

interface Keys {
  readonly ctrl: boolean;
  readonly meta: boolean;
  readonly leftArrow: boolean;
  readonly rightArrow: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
  readonly home?: boolean;
  readonly end?: boolean;
}

function editOf(input: string, key: Keys): ((edited: EditedText) => EditedText) | undefined {
  if (key.leftArrow) return key.meta || key.ctrl ? edits.wordLeft : edits.left;
  if (key.rightArrow) return key.meta || key.ctrl ? edits.wordRight : edits.right;
  if (key.home) return edits.lineStart;
  if (key.end) return edits.lineEnd;
  // Terminals send the same code for both keys; users expect Backspace.
  if (key.backspace || key.delete) return key.meta ? edits.deleteWordLeft : edits.deleteLeft;
  if (key.ctrl) return byControl[input];
  if (key.meta) return byMeta[input];
  return undefined;
}

const byControl: Readonly<Record<string, (edited: EditedText) => EditedText>> = {
  a: edits.lineStart,
  e: edits.lineEnd,
  b: edits.left,
  f: edits.right,
  d: edits.deleteRight,
  w: edits.deleteWordLeft,
  u: edits.deleteToLineStart,
  k: edits.deleteToLineEnd,
  j: (edited) => edits.insert(edited, "\n"),
};
const byMeta: Readonly<Record<string, (edited: EditedText) => EditedText>> = { b: edits.wordLeft, f: edits.wordRight };

export function asTyped(text: string): string {
  return visibleText(text.replace(/\r\n?/g, "\n"));
}

function withCursor({ text, at }: EditedText, { from, to }: VisualRow, last: boolean): ReactNode {
  const here = at >= from && (at < to || (at === to && (last || text[to] === "\n")));
  if (!here) return text.slice(from, to) || " ";
  const [under = " "] = [...text.slice(at, Math.min(to, at + 2))];
  return (
    <>
      {text.slice(from, at)}
      <Text inverse>{under}</Text>
      {text.slice(at + under.length, to)}
    </>
  );
}
