import { Box, type Key, Text } from "ink";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { fewestLines, renderPrompt } from "../../cli/render/prompt.ts";
import { say } from "../../cli/render/shown.ts";
import { viewOn } from "../../cli/render/wrap.ts";
import type { PermissionAnswer, PermissionRequest } from "../../contract/verdict.ts";
import { type EditedText, emptyText } from "../input/line-editor.ts";
import { TextField } from "../input/text-field.tsx";
import { type AnswerChoice, by, choicesFor, missingChoices, widens } from "./answer-keys.ts";
import { ChangeSelection } from "./change-selection.tsx";
import { QuestionFrame, ScrolledText, useScroll, Warning } from "./question-frame.tsx";
import { narrowest, type QuestionProps, turnHint, useQuestionKeys } from "./use-question.ts";

interface PermissionProps extends QuestionProps<PermissionAnswer> {
  readonly request: PermissionRequest;
}

/**
 * Starts on No. A single letter never allows more than this one call, and any text that is not an answer starts a
 * message: a sentence that the user is typing answers nothing.
 */
export function PermissionDialog(props: PermissionProps): ReactNode {
  const { request, more, colour, columns, rows, isActive, follows, unreadMs = 250, keyPlace, onTyped } = props;
  const choices = useMemo(() => choicesFor(request), [request]);
  const [at, setAt] = useState(0);
  /** Keys may come faster than it is drawn: an Enter must meet what the arrow before it chose. */
  const chosen = useRef(0);
  const [opened, setOpened] = useState<"reason" | "selection">();
  const [reason, setReason] = useState<EditedText>(emptyText);
  const [whole, setWhole] = useState(false);
  const inside = Math.max(narrowest, columns - 4);
  const missing = missingChoices(request);
  const { folded, labels, tight, tiny } = answerLabels(choices, { at, columns: inside - 2, rows });
  // Keeps a spare row: a frame that fills the window would erase what is above it.
  const room = Math.max(1, rows - labels.flat().length - (tight ? 7 : 8) - (missing === "" || tight ? 0 : 1));
  const text = useMemo(
    () => questionRows(request, { colour, columns: inside, whole, room }),
    [request, whole, colour, inside, room],
  );
  const { shown, scroll } = useScroll(text, room);
  const answer = (given: Omit<PermissionAnswer, "request">) => props.onAnswer({ request: request.id, ...given });
  const move = (steps: number) => {
    chosen.current = (chosen.current + steps + choices.length) % choices.length;
    setAt(chosen.current);
  };
  const take = (choice: AnswerChoice | undefined) => {
    if (choice?.opens === "diff") setWhole((now) => !now);
    else if (choice?.opens !== undefined) setOpened(choice.opens);
    else if (choice?.answer !== undefined) answer(choice.answer);
  };
  const onKey = (input: string, key: Key): boolean => {
    if (key.upArrow || (key.tab && key.shift)) move(-1);
    else if (key.downArrow || key.tab) move(1);
    else if (key.return) {
      if (keyPlace().isFirst) take(choices[chosen.current]);
    } else if (key.escape) answer({ answer: "deny", by });
    else if (scroll(key)) return true;
    else if (key.ctrl || key.meta) return false;
    else if (input === "v") setWhole((now) => !now);
    else {
      const index = choices.findIndex(
        ({ key, also }, at) => key === input || also === input || String(at + 1) === input,
      );
      if (index === -1) return false;
      const isCut = labels[index]?.length !== folded[index]?.length && chosen.current !== index;
      if (isCut || widens(choices[index])) move(index - chosen.current);
      else take(choices[index]);
    }
    return true;
  };
  const readable = useQuestionKeys({
    ...{ unreadMs, follows, keyPlace, onTyped, onKey },
    isActive: isActive && opened === undefined,
    hasField: false,
  });
  if (opened === "selection")
    return (
      <ChangeSelection
        {...props}
        changes={request.prompt.changes ?? []}
        onBack={() => setOpened(undefined)}
        onSelected={(only) => answer({ answer: "allow", remember: "once", by, only })}
      />
    );
  const keys = [
    tiny ? `${at + 1}/${choices.length}` : "",
    readable ? (widens(choices[at]) ? "Enter confirms" : "↑↓ Enter") : "…",
    "Esc: no",
    `v: ${whole ? "less" : "full text"}`,
    more > 0 ? `${more} more after this` : "",
  ];
  return (
    <QuestionFrame columns={columns} colour={colour} border="yellow">
      <ScrolledText {...shown} colour={colour} />
      {opened === "reason" ? (
        <ReasonField
          reason={reason}
          onChange={setReason}
          columns={columns - 4}
          onReason={(message) => answer({ answer: "deny", by, message })}
          onBack={() => setOpened(undefined)}
        />
      ) : (
        <Box flexDirection="column" marginTop={tight ? 0 : 1} flexShrink={0}>
          {labels.map((label, index) =>
            label.length === 0 ? null : (
              <Text key={choices[index]?.key} inverse={isActive && index === at} wrap="truncate-end">
                {label.map((row, line) => `${isActive && index === at && line === 0 ? "❯" : " "} ${row}`).join("\n")}
              </Text>
            ),
          )}
          {missing !== "" && !tight && (
            <Text dimColor wrap="truncate-end">
              {`  ${missing}`}
            </Text>
          )}
          {isActive ? (
            <Text dimColor wrap="truncate-end">
              {keys.filter((words) => words !== "").join(" · ")}
            </Text>
          ) : (
            <Warning colour={colour}>{turnHint}</Warning>
          )}
        </Box>
      )}
    </QuestionFrame>
  );
}

interface ReasonProps {
  readonly reason: EditedText;
  onChange(reason: EditedText): void;
  readonly columns: number;
  onReason(message: string | undefined): void;
  onBack(): void;
}

function ReasonField({ reason, onChange, columns, onReason, onBack }: ReasonProps): ReactNode {
  return (
    <Box flexDirection="column" flexShrink={0}>
      <TextField
        prompt="Reason: "
        edited={reason}
        onChange={onChange}
        columns={columns}
        mostRows={3}
        placeholder="optional, sent to the model"
        onSubmit={(message) => onReason(message.trim() || undefined)}
        onCancel={onBack}
      />
      <Text dimColor wrap="truncate-end">
        Enter: deny with this reason · Esc: back to the answers
      </Text>
    </Box>
  );
}

const leastRows = 16;

/**
 * A rule is shown in full before it can be agreed to. Where there is no room, the other answers show only their
 * beginning; in the smallest windows they are hidden, one arrow away, so that the question stays visible.
 */
function answerLabels(
  choices: readonly AnswerChoice[],
  { at, columns, rows }: { readonly at: number; readonly columns: number; readonly rows: number },
) {
  const { fold, wrap } = viewOn({ colour: false, columns });
  const folded = choices.map(({ key, label }) =>
    (/\S {2,}\S/.test(label) ? fold : wrap)(say`${key}  ${label}`).text.split("\n"),
  );
  const tight = rows - folded.flat().length < leastRows;
  const tiny = rows - choices.length < leastRows - 5;
  const labels = folded.map((label, index) => {
    const [first = "", ...rest] = label;
    if (index === at || !tight) return label;
    return tiny ? [] : [rest.length === 0 ? first : `${first} …`];
  });
  return { folded, labels, tight, tiny };
}

interface QuestionView {
  readonly colour: boolean;
  readonly columns: number;
  readonly whole: boolean;
  readonly room: number;
}

function questionRows(request: PermissionRequest, { colour, columns, whole, room }: QuestionView): readonly string[] {
  const view = { ...viewOn({ colour, columns }), whole, paged: true };
  const rowsWith = (mostLines: number) =>
    renderPrompt(request, { ...view, mostLines })
      .shown.text.trim()
      .split("\n");
  const fewest = rowsWith(fewestLines);
  // A line may take more than one row.
  for (let most = fewestLines + room - fewest.length; most > fewestLines; ) {
    const rows = rowsWith(most);
    if (rows.length <= room) return rows;
    most -= rows.length - room;
  }
  return fewest;
}
