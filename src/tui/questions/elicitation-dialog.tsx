import { Box, type Key, Text } from "ink";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { kindWords, renderQuestion } from "../../cli/elicit-person.ts";
import { say } from "../../cli/render/shown.ts";
import { counted } from "../../cli/render/table.ts";
import { viewOn } from "../../cli/render/wrap.ts";
import type { Elicitation, ElicitationAnswer, ElicitedField } from "../../contract/server/server.ts";
import { TextField } from "../input/text-field.tsx";
import {
  choose,
  type FieldInput,
  type Form,
  focused,
  isPicked,
  moveBy,
  moveWithin,
  optionsOf,
  pick,
  pickByLetter,
  placeOf,
  shownValue,
  startForm,
  submit,
  write,
} from "./elicitation-form.ts";
import { narrowest, type QuestionProps, turnHint, useQuestionKeys } from "./use-question.ts";

interface Props extends QuestionProps<ElicitationAnswer> {
  readonly question: Elicitation;
}

export function ElicitationDialog(props: Props): ReactNode {
  const { question, more, colour, columns, rows, isActive, follows, unreadMs = 250, onAnswer, keyPlace } = props;
  const { ask } = question;
  const fields = ask.mode === "form" ? ask.fields : [];
  // Keys may come faster than it is drawn.
  const current = useRef<Form>(startForm(fields));
  const [form, setForm] = useState(current.current);
  const become = (next: Form) => {
    current.current = next;
    setForm(next);
  };
  const [down, setDown] = useState(0);
  const inside = Math.max(narrowest, columns - 4);
  const text = useMemo(
    () =>
      renderQuestion(question, viewOn({ colour, columns: inside }))
        .text.trim()
        .split("\n"),
    [question, colour, inside],
  );
  const isPage = ask.mode === "url";
  const leave = (place: "send" | "decline") => {
    if (place === "decline") return onAnswer({ action: "decline" });
    const done = submit(current.current);
    if ("content" in done) onAnswer({ action: "accept", content: done.content });
    else become(done);
  };
  /** Lines that a terminal does not mark as pasted, and keys that wait in line, may go through the fields and no further. */
  const isSeen = () => keyPlace().isFirst && !keyPlace().isPartOfText;
  const enter = () => {
    const place = placeOf(current.current);
    if (place !== "field" && !isSeen()) return;
    if (place !== "field") return leave(isPage ? (place === "send" ? "decline" : "send") : place);
    become(choose(current.current));
  };

  // What stands around: the frame, the status line below, and rows to spare.
  const formRows = Math.max(3, Math.min(rows - 9, fieldRows(form, inside)));
  const room = Math.max(2, rows - formRows - 7);
  const most = Math.max(0, text.length - room);
  const above = Math.min(most, down);

  const isWritten = focused(form) !== undefined && !isPicked(fields[form.at] ?? noField);
  const onKey = (input: string, key: Key): boolean => {
    if (key.tab) {
      // A field that is being written in sees Tab itself, but not Shift+Tab.
      if (key.shift) become(moveBy(current.current, -1));
      else if (!isWritten) become(moveBy(current.current, 1));
    } else if (key.pageDown) setDown(Math.min(most, above + room));
    else if (key.pageUp) setDown(Math.max(0, above - room));
    else if (isWritten) return true;
    else if (key.escape) onAnswer({ action: "cancel" });
    else if (key.upArrow || key.leftArrow) become(moveWithin(current.current, -1));
    else if (key.downArrow || key.rightArrow) become(moveWithin(current.current, 1));
    else if (key.return) enter();
    else if (input === " ") become(pick(current.current));
    // What is typed at a form goes to the server. Letters that mean nothing there are nobody's message.
    else if (isPage) return false;
    else if (!key.ctrl && !key.meta) become(pickByLetter(current.current, input));
    return true;
  };
  const readable = useQuestionKeys({
    isActive,
    unreadMs,
    follows,
    hasField: !isPage,
    keyPlace,
    onTyped: props.onTyped,
    onKey,
  });
  const hasField = isWritten && readable && isActive;

  const typing = (index: number, input: FieldInput) => (
    <TextField
      prompt="  "
      edited={input.edited}
      columns={inside}
      mostRows={mostWritten}
      placeholder={kindWords[fields[index]?.kind ?? "text"]}
      onChange={(edited) => {
        if (current.current.at === index) become(write(current.current, edited));
      }}
      onSubmit={() => {}}
      onCancel={() => onAnswer({ action: "cancel" })}
      onKey={(key, edited) => {
        if (key === "escape") return false;
        if (current.current.at === index) {
          const written = write(current.current, edited);
          become(key === "up" ? moveBy(written, -1) : moveBy(written, 1));
        }
        return true;
      }}
    />
  );

  return (
    <Box
      flexDirection="column"
      borderStyle="round"
      {...(colour ? { borderColor: "cyan" } : {})}
      paddingX={1}
      width={columns}
      flexShrink={1}
    >
      {above > 0 && <Text dimColor>{`↑ ${counted(above, "line")} above: PgUp`}</Text>}
      <Box flexShrink={0}>
        <Text wrap="truncate-end">{text.slice(above, above + room).join("\n")}</Text>
      </Box>
      {above < most && (
        <Text {...(colour ? { color: "yellow" } : {})}>{`↓ ${counted(most - above, "line")} below: PgDn`}</Text>
      )}
      {inView(form, { room: formRows, columns: inside }).map((index) => (
        <FieldRows
          key={fields[index]?.name}
          field={fields[index] ?? noField}
          input={form.inputs[index] ?? noInput}
          isFocused={form.at === index}
          problem={form.at === index ? form.problem : ""}
          columns={inside}
          colour={colour}
        >
          {hasField && form.at === index ? typing(index, form.inputs[index] ?? noInput) : undefined}
        </FieldRows>
      ))}
      <Box flexDirection="column" flexShrink={0}>
        {(isPage ? ["No, decline", "Yes, I open it in my browser"] : [`Send to ${question.server}`, "Decline"]).map(
          (label, index) => (
            <Text key={label} inverse={form.at === fields.length + index} wrap="truncate-end">
              {`${form.at === fields.length + index ? "❯" : " "} ${label}`}
            </Text>
          ),
        )}
        {!isActive && (
          <Text {...(colour ? { color: "yellow" } : {})} wrap="truncate-end">
            {turnHint}
          </Text>
        )}
        <Text dimColor wrap="truncate-end">
          {`${readable ? `${isPage ? "↑↓" : "Tab ↑↓ Space"} Enter · Esc: cancel` : "…"}${more > 0 ? ` · ${more} more after this` : ""}`}
        </Text>
      </Box>
    </Box>
  );
}

const noField: ElicitedField = { name: "", required: false, kind: "text" };
const noInput: FieldInput = { edited: { text: "", at: 0 }, cursor: 0, picked: [] };

function fieldRows({ fields, at, problem }: Form, columns: number): number {
  const hasProblem = problem !== "";
  return fields.reduce((sum, field, index) => sum + rowsOf(field, { isFocused: index === at, hasProblem, columns }), 0);
}

function inView(form: Form, { room, columns }: { readonly room: number; readonly columns: number }): readonly number[] {
  const { fields, at, problem } = form;
  const centre = Math.min(at, fields.length - 1);
  if (centre < 0) return [];
  const shown = new Set([centre]);
  let taken = rowsOf(fields[centre] ?? noField, { isFocused: centre === at, hasProblem: problem !== "", columns });
  for (let distance = 1; distance < fields.length && taken < room; distance++) {
    for (const index of [centre - distance, centre + distance]) {
      if (fields[index] === undefined || taken >= room) continue;
      shown.add(index);
      taken += 1;
    }
  }
  return [...shown].sort((one, other) => one - other);
}

const mostOptions = 6;
const mostDescribed = 3;
const mostWritten = 3;

interface FieldProps {
  readonly field: ElicitedField;
  readonly input: FieldInput;
  readonly isFocused: boolean;
  readonly problem: string;
  readonly columns: number;
  readonly colour: boolean;
  readonly children: ReactNode;
}

function FieldRows({ field, input, isFocused, problem, columns, colour, children }: FieldProps): ReactNode {
  const options = isPicked(field) ? optionsOf(field) : [];
  const line = (words: string) => viewOn({ colour: false, columns }).fold(say`${words}`).text.split("\n")[0] ?? "";
  const value = shownValue(field, input);
  const first = Math.max(0, Math.min(input.cursor - mostOptions + 1, options.length - mostOptions));
  const mark = field.required ? "*" : "";
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Text bold={isFocused} wrap="truncate-end">
        {line(
          `${isFocused ? "❯" : " "} ${field.title ?? field.name}${mark}${isFocused ? "" : `: ${value === "" ? "–" : value}`}`,
        )}
      </Text>
      {isFocused && field.description !== undefined && (
        <Text dimColor wrap="truncate-end">
          {described(field, columns).join("\n")}
        </Text>
      )}
      {isFocused &&
        options.slice(first, first + mostOptions).map((option, index) => (
          <Text key={String(option.value)} inverse={first + index === input.cursor} wrap="truncate-end">
            {line(`    ${markOf(field, input.picked.includes(first + index))} ${option.title}`)}
          </Text>
        ))}
      {isFocused && options.length > mostOptions && (
        <Text dimColor>{`    ${Math.max(1, input.cursor + 1)} of ${options.length}`}</Text>
      )}
      {children}
      {problem !== "" && (
        <Text {...(colour ? { color: "red" } : {})} wrap="truncate-end">
          {`    ${problem}`}
        </Text>
      )}
    </Box>
  );
}

function described({ description }: ElicitedField, columns: number): readonly string[] {
  if (description === undefined) return [];
  return viewOn({ colour: false, columns }).wrap(say`    ${description}`).text.split("\n").slice(0, mostDescribed);
}

function markOf({ kind }: ElicitedField, isPickedNow: boolean): string {
  return kind === "choices" ? (isPickedNow ? "[x]" : "[ ]") : isPickedNow ? "(•)" : "( )";
}

interface Room {
  readonly isFocused: boolean;
  readonly hasProblem: boolean;
  readonly columns: number;
}

function rowsOf(field: ElicitedField, { isFocused, hasProblem, columns }: Room): number {
  if (!isFocused) return 1;
  const options = isPicked(field) ? optionsOf(field).length : 0;
  const shown = options > mostOptions ? mostOptions + 1 : options;
  return 1 + described(field, columns).length + (isPicked(field) ? shown : mostWritten) + (hasProblem ? 1 : 0);
}
