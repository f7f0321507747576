import { Box, type Key, Text } from "ink";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { kindWords, renderQuestion } from "../../cli/elicit-person.ts";
import { say } from "../../cli/render/shown.ts";
import { viewOn } from "../../cli/render/wrap.ts";
import type { Elicitation, ElicitationAnswer, ElicitedField } from "../../contract/server/server.ts";
import { TextField } from "../input/text-field.tsx";
import {
  choose,
  type Form,
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
import { QuestionFrame, ScrolledText, useScroll, Warning } from "./question-frame.tsx";
import { narrowest, type QuestionProps, turnHint, useQuestionKeys } from "./use-question.ts";

interface ElicitationProps extends QuestionProps<ElicitationAnswer> {
  readonly question: Elicitation;
}

export function ElicitationDialog(props: ElicitationProps): ReactNode {
  const { question, more, colour, columns, rows, isActive, follows, unreadMs = 250, keyPlace, onTyped } = props;
  const { server, ask } = question;
  const isPage = ask.mode === "url";
  const fields = isPage ? noFields : ask.fields;
  // Keys may come faster than it is drawn.
  const current = useRef<Form>(startForm(fields));
  const [form, setForm] = useState(current.current);
  const become = (next: Form) => {
    current.current = next;
    setForm(next);
  };
  const inside = Math.max(narrowest, columns - 4);
  const text = useMemo(
    () =>
      renderQuestion(question, viewOn({ colour, columns: inside }))
        .text.trim()
        .split("\n"),
    [question, colour, inside],
  );
  const field = fields[form.at];
  const input = form.inputs[form.at];
  const isWritten = field !== undefined && optionsOf(field) === undefined;
  const focused = focusedRows(form, inside);
  const taken =
    focused.flatMap(({ text }) => text.split("\n")).length +
    (isWritten ? mostWritten : 0) +
    (form.problem === "" ? 0 : 1);
  const others = fields.length - (field === undefined ? 0 : 1);
  // Leaves room for the frame, the status line below and a spare row.
  const formRows = Math.max(3, Math.min(rows - 9, others + taken));
  const { shown, scroll } = useScroll(text, Math.max(2, rows - formRows - 7));
  const fit = Math.max(1, formRows - taken + fields.length - others);
  const first = Math.max(0, Math.min(form.at - Math.floor(fit / 2), fields.length - fit));

  const enter = () => {
    const place = placeOf(current.current);
    if (place === "field") return become(choose(current.current));
    // Pasted lines and queued keys may fill in fields, but must not send what has not been seen.
    if (!keyPlace().isFirst || keyPlace().isPartOfText) return;
    // For a page the first answer is No.
    if ((place === "send") === isPage) return props.onAnswer({ action: "decline" });
    const done = submit(current.current);
    if ("content" in done) props.onAnswer({ action: "accept", content: done.content });
    else become(done);
  };
  const onKey = (key: string, { tab, shift, ...pressed }: Key): boolean => {
    if (tab && shift) become(moveBy(current.current, -1));
    else if (pressed.pageUp || pressed.pageDown) scroll({ tab, shift, ...pressed });
    // The text field takes all other keys itself.
    else if (isWritten) return true;
    else if (tab) become(moveBy(current.current, 1));
    else if (pressed.escape) props.onAnswer({ action: "cancel" });
    else if (pressed.upArrow || pressed.leftArrow) become(moveWithin(current.current, -1));
    else if (pressed.downArrow || pressed.rightArrow) become(moveWithin(current.current, 1));
    else if (pressed.return) enter();
    else if (key === " ") become(pick(current.current));
    // At a form, typed text is meant for the server: it must not become a message.
    else if (isPage) return false;
    else if (!pressed.ctrl && !pressed.meta) become(pickByLetter(current.current, key));
    return true;
  };
  const readable = useQuestionKeys({ isActive, unreadMs, follows, hasField: !isPage, keyPlace, onTyped, onKey });
  const answers = isPage ? ["No, decline", "Yes, I open it in my browser"] : [`Send to ${server}`, "Decline"];

  return (
    <QuestionFrame columns={columns} colour={colour} border="cyan">
      <ScrolledText {...shown} colour={colour} />
      {fields.slice(first, first + fit).map((one, index) =>
        one !== field ? (
          <Text key={one.name} wrap="truncate-end">
            {say`  ${nameOf(one)}: ${shownValue(one, form.inputs[first + index] ?? noInput) || "–"}`.text}
          </Text>
        ) : (
          <Box key={one.name} flexDirection="column" flexShrink={0}>
            {focused.map(({ key, text, ...look }) => (
              <Text key={key} {...look} wrap="truncate-end">
                {text}
              </Text>
            ))}
            {isWritten && readable && isActive && (
              <TextField
                prompt="  "
                edited={input?.edited ?? noInput.edited}
                columns={inside}
                mostRows={mostWritten}
                placeholder={kindWords[one.kind]}
                onChange={(edited) => {
                  if (current.current.at === form.at) become(write(current.current, edited));
                }}
                onSubmit={() => {}}
                onCancel={() => props.onAnswer({ action: "cancel" })}
                onKey={(key, edited) => {
                  if (key === "escape") return false;
                  if (current.current.at === form.at)
                    become(moveBy(write(current.current, edited), key === "up" ? -1 : 1));
                  return true;
                }}
              />
            )}
            {form.problem !== "" && (
              <Text {...(colour ? { color: "red" } : {})} wrap="truncate-end">
                {`    ${form.problem}`}
              </Text>
            )}
          </Box>
        ),
      )}
      <Box flexDirection="column" flexShrink={0}>
        {answers.map((label, index) => (
          <Text key={label} inverse={form.at === fields.length + index} wrap="truncate-end">
            {`${form.at === fields.length + index ? "❯" : " "} ${label}`}
          </Text>
        ))}
        {!isActive && <Warning colour={colour}>{turnHint}</Warning>}
        <Text dimColor wrap="truncate-end">
          {`${readable ? `${isPage ? "↑↓" : "Tab ↑↓ Space"} Enter · Esc: cancel` : "…"}${more > 0 ? ` · ${more} more after this` : ""}`}
        </Text>
      </Box>
    </QuestionFrame>
  );
}

const noFields: readonly ElicitedField[] = [];
const noInput = { edited: { text: "", at: 0 }, cursor: 0, picked: [] };
const mostOptions = 6;
const mostDescribed = 3;
const mostWritten = 3;

interface FormRow {
  readonly key: string;
  readonly text: string;
  readonly bold?: true;
  readonly dimColor?: true;
  readonly inverse?: boolean;
}

function nameOf({ title, name, required }: ElicitedField): string {
  return say`${title ?? name}${required ? "*" : ""}`.text;
}

/** The focused field: its name, description and options. */
function focusedRows({ fields, inputs, at }: Form, columns: number): readonly FormRow[] {
  const field = fields[at];
  if (field === undefined) return [];
  const { description = "", kind } = field;
  const { cursor, picked } = inputs[at] ?? noInput;
  const options = optionsOf(field) ?? [];
  const described = viewOn({ colour: false, columns }).wrap(say`    ${description}`).text.split("\n");
  const [yes, no] = kind === "choices" ? ["[x]", "[ ]"] : ["(•)", "( )"];
  const first = Math.max(0, Math.min(cursor - mostOptions + 1, options.length - mostOptions));
  return [
    { key: "name", text: `❯ ${nameOf(field)}`, bold: true },
    ...(description === ""
      ? []
      : [{ key: "description", text: described.slice(0, mostDescribed).join("\n"), dimColor: true } as const]),
    ...options.slice(first, first + mostOptions).map(({ title, value }, index) => ({
      key: `option ${value}`,
      text: say`    ${picked.includes(first + index) ? yes : no} ${title}`.text,
      inverse: first + index === cursor,
    })),
    ...(options.length > mostOptions
      ? [{ key: "place", text: `    ${Math.max(1, cursor + 1)} of ${options.length}`, dimColor: true } as const]
      : []),
  ];
}
