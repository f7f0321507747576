import { Box, type Key, Text } from "ink";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { fewestLines, renderPrompt } from "../../cli/render/prompt.ts";
import { say } from "../../cli/render/shown.ts";
import { counted } from "../../cli/render/table.ts";
import { type View, viewOn } from "../../cli/render/wrap.ts";
import type { PermissionAnswer, PermissionRequest } from "../../contract/verdict.ts";
import { type EditedText, emptyText } from "../input/line-editor.ts";
import { TextField } from "../input/text-field.tsx";
import { choicesFor, missingChoices, widens } from "./answer-keys.ts";
import { ChangeSelection } from "./change-selection.tsx";
import { narrowest, type QuestionProps, turnHint, useQuestionKeys } from "./use-question.ts";

interface Props extends QuestionProps<PermissionAnswer> {
  readonly request: PermissionRequest;
}

const leastRows = 16;

/**
 * The question of the gate. It starts on No. A letter alone never agrees to more than this once, and what is no answer
 * is the beginning of a message: a sentence that somebody is writing answers nothing.
 */
export function PermissionDialog(props: Props): ReactNode {
  const { request, more, colour, columns, rows, isActive, follows, unreadMs = 250, onAnswer } = props;
  const choices = useMemo(() => choicesFor(request), [request]);
  const [at, setAt] = useState(0);
  /** Keys may come faster than it is drawn: an Enter must meet what the arrow before it chose. */
  const chosen = useRef(0);
  const move = (by: number) => {
    chosen.current = (chosen.current + by + choices.length) % choices.length;
    setAt(chosen.current);
  };
  const [why, setWhy] = useState<EditedText>(emptyText);
  const [isTold, setTold] = useState(false);
  const [isSelecting, setSelecting] = useState(false);
  const [whole, setWhole] = useState(false);
  const [down, setDown] = useState(0);
  const inside = Math.max(narrowest, columns - 4);
  const { fold, wrap } = viewOn({ colour: false, columns: inside - 2 });
  const folded = choices.map(({ key, label }) => fitted(`${key}  ${label}`, { wrap, fold }));
  const missing = missingChoices(request);
  // All of a rule is seen before it is agreed to: of the others, where there is no room, only the beginning.
  const tight = rows - folded.flat().length < leastRows;
  // In the smallest windows the other answers are there, one arrow away, and what is asked about is seen.
  const tiny = rows - choices.length < leastRows - 5;
  const labels = folded.map((label, index) => (index === at || !tight ? label : tiny ? [] : firstOf(label)));
  const taken = labels.flat().length;
  // What stands around the text, and a row to spare: a frame that fills the window would wipe what is above it.
  const room = Math.max(1, rows - taken - (tight ? 7 : 8) - (missing === "" || tight ? 0 : 1));
  const text = useMemo(
    () => questionRows(request, { colour, columns: inside, whole, room }),
    [request, whole, colour, inside, room],
  );
  const most = Math.max(0, text.length - room);
  const above = Math.min(most, down);
  const answer = (index: number) => {
    const choice = choices[index];
    if (choice?.opens === "reason") setTold(true);
    else if (choice?.opens === "selection") setSelecting(true);
    else if (choice?.opens === "diff") setWhole((now) => !now);
    else if (choice?.answer !== undefined) onAnswer({ request: request.id, ...choice.answer });
  };
  const choose = (index: number) => {
    const shortened = labels[index]?.length !== folded[index]?.length && chosen.current !== index;
    if (shortened || widens(choices[index])) move(index - chosen.current);
    else answer(index);
  };
  const enter = () => {
    if (props.keyPlace().isFirst) answer(chosen.current);
  };
  const onKey = (input: string, key: Key): boolean => {
    if (key.upArrow || (key.tab && key.shift)) move(-1);
    else if (key.downArrow || key.tab) move(1);
    else if (key.return) enter();
    else if (key.escape) onAnswer({ request: request.id, answer: "deny", by: "person at the terminal" });
    else if (key.pageDown) setDown((now) => Math.min(most, now + room));
    else if (key.pageUp) setDown((now) => Math.max(0, Math.min(most, now) - room));
    else if (key.end) setDown(most);
    else if (key.home) setDown(0);
    else if (input === "v" && !key.ctrl && !key.meta) setWhole((now) => !now);
    else {
      const index = choices.findIndex(
        ({ key, also }, at) => key === input || also === input || String(at + 1) === input,
      );
      if (index === -1 || key.ctrl || key.meta) return false;
      choose(index);
    }
    return true;
  };
  const readable = useQuestionKeys({
    isActive: isActive && !isTold && !isSelecting,
    unreadMs,
    follows,
    hasField: false,
    keyPlace: props.keyPlace,
    onTyped: props.onTyped,
    onKey,
  });
  if (isSelecting)
    return (
      <ChangeSelection
        {...props}
        changes={request.prompt.changes ?? []}
        onBack={() => setSelecting(false)}
        onSelected={(only) =>
          onAnswer({
            request: request.id,
            answer: "allow",
            remember: "once",
            by: "person at the terminal",
            only,
          })
        }
      />
    );
  const keys = [
    tiny ? `${at + 1}/${choices.length}` : "",
    readable ? (widens(choices[at]) ? "Enter agrees to this" : "↑↓ Enter") : "…",
    "Esc: no",
    `v: ${whole ? "less" : "all of it"}`,
    more > 0 ? `${more} more after this` : "",
  ];
  return (
    <Box
      flexDirection="column"
      borderStyle="round"
      {...(colour ? { borderColor: "yellow" } : {})}
      paddingX={1}
      width={columns}
      flexShrink={1}
    >
      {above > 0 && <Text dimColor>{`↑ ${counted(above, "line")} above: PgUp`}</Text>}
      <Box flexShrink={1} minHeight={1} overflow="hidden">
        <Text wrap="truncate-end">{text.slice(above, above + room).join("\n")}</Text>
      </Box>
      {above < most && (
        <Text {...(colour ? { color: "yellow" } : {})}>{`↓ ${counted(most - above, "line")} below: PgDn`}</Text>
      )}
      {isTold ? (
        <Box flexDirection="column" flexShrink={0}>
          <TextField
            prompt="Why not? "
            edited={why}
            onChange={setWhy}
            columns={columns - 4}
            mostRows={3}
            placeholder="the model reads it"
            onSubmit={(message) =>
              onAnswer({
                request: request.id,
                answer: "deny",
                by: "person at the terminal",
                message: message.trim() || undefined,
              })
            }
            onCancel={() => setTold(false)}
          />
          <Text dimColor wrap="truncate-end">
            Enter: no, with this · Esc: back to the answers
          </Text>
        </Box>
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
            <Text {...(colour ? { color: "yellow" } : {})} wrap="truncate-end">
              {turnHint}
            </Text>
          )}
        </Box>
      )}
    </Box>
  );
}

function fitted(label: string, { wrap, fold }: Pick<View, "wrap" | "fold">): readonly string[] {
  const hasBlanks = /\S {2,}\S/.test(label.slice(keyWidth));
  return (hasBlanks ? fold : wrap)(say`${label}`).text.split("\n");
}

const keyWidth = 3;

function firstOf([first = "", ...rest]: readonly string[]): readonly string[] {
  return [rest.length === 0 ? first : `${first} …`];
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
