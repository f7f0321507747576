import { Box, Text, useAnimation, useInput, usePaste, useStdout, useWindowSize } from "ink";
import { type ReactNode, useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { type Paint, painter } from "../cli/render/shown.ts";
import { oneLine } from "../cli/render/table.ts";
import { wrapper } from "../cli/render/wrap.ts";
import { contextSummary } from "./command-texts.ts";
import type { KeyPlace } from "./input/keyboard.ts";
import { type EditedText, edits, emptyText, remember, rowsInView } from "./input/line-editor.ts";
import { type Draft, draftWith, PromptLine } from "./input/prompt-line.tsx";
import { asTyped } from "./input/text-field.tsx";
import { liveLines, queueRows, writtenLine } from "./live-lines.ts";
import { ElicitationDialog } from "./questions/elicitation-dialog.tsx";
import { PermissionDialog } from "./questions/permission-dialog.tsx";
import { Warning } from "./questions/question-frame.tsx";
import { type QuestionProps, useFocus } from "./questions/use-question.ts";
import { renderItem } from "./render-item.ts";
import type { Screen, ScreenStore } from "./screen.ts";
import type { SessionDriver } from "./session-driver.ts";

interface SessionProps {
  readonly store: ScreenStore;
  readonly driver: SessionDriver;
  readonly colour: boolean;
  files(): readonly string[];
  keyPlace(): KeyPlace;
  quit(): void;
}

/**
 * What has ended is written above once; only what still changes is redrawn. So the output for a line does not grow with
 * the length of the session.
 */
export function SessionScreen({ store, driver, colour, files, keyPlace, quit }: SessionProps): ReactNode {
  const screen = useSyncExternalStore(store.subscribe, store.screen);
  const { write } = useStdout();
  const { columns, rows } = useWindowSize();
  const isAsked = screen.questions.length + screen.elicitations.length > 0;
  const { frame } = useAnimation({ interval: 120, isActive: screen.working && !isAsked });
  const [warning, setWarning] = useState<CtrlCWarning>();
  const [draft, setDraft] = useState(() => draftWith(driver.history()));
  const written = useRef(draft);
  const change = useCallback((next: (before: Draft) => Draft) => {
    written.current = next(written.current);
    setDraft(written.current);
  }, []);
  const isWriting = draft.edited.text !== "";
  const { focus, turnTo, follows, typed, answered } = useFocus(isAsked, { isWriting, now: () => performance.now() });
  const paint = useRef(painter({ colour }));
  useFinishedItems({ store, driver, paint: paint.current, columns, change });

  const pressCtrlC = () => {
    if (written.current.edited.text !== "" && focus === "draft") {
      change((before) => ({ history: remember(before.history, before.edited.text), edited: emptyText }));
      return setWarning({ text: "Cleared; Up brings it back · ", quits: !screen.working });
    }
    if (warning?.quits) return quit();
    if (screen.working) driver.interrupt();
    setWarning({ text: "", quits: true });
  };
  useInput((input, key) => {
    if (key.ctrl && input === "c") return pressCtrlC();
    setWarning(undefined);
    if (isAsked) return;
    if (screen.working) typed();
    if (key.ctrl && input === "d" && written.current.edited.text === "") return quit();
    if (key.tab && key.shift) driver.nextMode();
    if (key.ctrl && input === "l") write(clearWindow);
    if (key.ctrl && input === "o") store.apply({ kind: "output_wanted" });
  });
  usePaste(() => setWarning(undefined));

  const onTyped = (text: string) => {
    change((before) => ({ ...before, edited: edits.insert(before.edited, asTyped(text)) }));
    turnTo("draft");
  };
  const onEscape = () => {
    if (isAsked) turnTo("question");
    else if (screen.working) driver.interrupt();
  };
  // Only one row: the question needs the space.
  const queued = isAsked ? queueRows(screen, { paint: paint.current, columns, most: 1 }) : [];
  const taken = focus === "draft" ? draftRows(draft.edited, { columns, rows }) : isWriting ? 1 : 0;
  const view = { colour, columns, rows: rows - taken - queued.length };
  const keys = { isActive: focus === "question", follows, keyPlace, onTyped };
  const live = liveLines(screen, { paint: paint.current, frame, columns }).text.trimEnd();
  const line = writtenLine(screen, { paint: paint.current, columns }).text;
  // Ink cannot redraw a frame that fills the window, so this part shrinks first. When the window narrows, the frame is
  // drawn once before the size is read again: it must not be wider than the new window.
  return (
    <Box flexDirection="column" width="100%" maxHeight={Math.max(6, rows - 1)} overflow="hidden">
      {isAsked ? (
        <OpenQuestion screen={screen} driver={driver} answered={answered} {...view} {...keys} />
      ) : (
        <Box flexDirection="column" flexShrink={1} minHeight={0} overflow="hidden">
          {line !== "" && <Text wrap="hard">{line}</Text>}
          {live !== "" && <Text wrap="truncate-end">{live}</Text>}
        </Box>
      )}
      {queued.length > 0 && (
        <Box flexShrink={0}>
          <Text wrap="truncate-end">{queued.map(({ text }) => text).join("\n")}</Text>
        </Box>
      )}
      {focus === "draft" ? (
        <Box marginTop={isAsked ? 0 : 1} flexDirection="column" flexShrink={0}>
          <PromptLine
            draft={draft}
            onDraft={change}
            columns={columns}
            rows={isAsked ? rowsBesideQuestion(rows) : rows}
            working={screen.working}
            files={files}
            keyPlace={keyPlace}
            choices={driver.choices}
            borrowed={driver.borrowed}
            onSubmit={driver.submit}
            onEscape={onEscape}
            onTab={() => isAsked && turnTo("question")}
          />
        </Box>
      ) : (
        isWriting && <Text dimColor wrap="truncate-end">{`› ${oneLine(draft.edited.text, columns)}`}</Text>
      )}
      {warning !== undefined ? (
        <Warning colour={colour}>{`${warning.text}Ctrl+C again ${warning.quits ? "quits" : "interrupts"}`}</Warning>
      ) : (
        <StatusBar screen={screen} columns={columns} colour={colour} />
      )}
    </Box>
  );
}

/** Writes what has ended above the frame, at the width that the window has then. */
function useFinishedItems({
  store,
  driver,
  paint,
  columns,
  change,
}: Pick<SessionProps, "store" | "driver"> & {
  readonly paint: Paint;
  readonly columns: number;
  change(next: (before: Draft) => Draft): void;
}): void {
  const { write } = useStdout();
  const width = useRef(columns);
  useEffect(() => {
    width.current = columns;
  }, [columns]);
  useEffect(() => {
    store.attach({
      write(items) {
        const options = { wrap: wrapper({ columns: width.current }), columns: width.current };
        const texts = items.map((item) => {
          const whole = item.kind === "output" ? { ...item, observation: driver.whole(item.observation) } : item;
          return renderItem(whole, paint, options).text;
        });
        write(texts.join(""));
      },
      giveBack: (texts) => change((before) => ({ ...before, edited: inFront(before.edited, texts) })),
    });
  }, [store, driver, write, paint, change]);
}

interface OpenQuestionProps extends Omit<QuestionProps<never>, "more" | "onAnswer"> {
  readonly screen: Screen;
  readonly driver: SessionDriver;
  answered(): void;
}

function OpenQuestion({ screen, driver, answered, ...shared }: OpenQuestionProps): ReactNode {
  const [question, ...others] = screen.questions;
  const [elicitation, ...laterOnes] = screen.elicitations;
  if (question !== undefined) {
    return (
      <PermissionDialog
        key={question.id}
        {...shared}
        request={question}
        more={others.length + screen.elicitations.length}
        onAnswer={(answer) => {
          answered();
          driver.answer(answer);
        }}
      />
    );
  }
  return (
    elicitation && (
      <ElicitationDialog
        key={elicitation.id}
        {...shared}
        question={elicitation}
        more={laterOnes.length}
        onAnswer={(answer) => {
          answered();
          driver.answerServer(elicitation.id, answer);
        }}
      />
    )
  );
}

const clearWindow = "\u001b[H\u001b[2J";

interface CtrlCWarning {
  readonly text: string;
  readonly quits: boolean;
}

function rowsBesideQuestion(rows: number): number {
  return rows < 20 ? 6 : 9;
}

function draftRows(edited: EditedText, window: { readonly columns: number; readonly rows: number }): number {
  const most = rowsBesideQuestion(window.rows) / 3;
  const { rows, above, below } = rowsInView(edited, { columns: window.columns - 3, most });
  return rows.length + (above + below > 0 ? 1 : 0);
}

function inFront({ text, at }: EditedText, texts: readonly string[]): EditedText {
  const before = texts.map((one) => `${one}\n`).join("");
  const all = text === "" ? before.slice(0, -1) : before + text;
  return { text: all, at: text === "" ? all.length : before.length + at };
}

interface StatusBarProps {
  readonly screen: Screen;
  readonly columns: number;
  readonly colour: boolean;
}

const longestName = 40;

export function StatusBar({ screen, columns, colour }: StatusBarProps): ReactNode {
  const { model, mode, context, costUsd, usage } = screen;
  const cost = costUsd === undefined || usage.inputTokens === 0 ? "" : `$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`;
  const parts = [
    mode,
    awaited(screen),
    model.length > longestName ? `…${model.slice(-longestName)}` : model,
    contextSummary(context),
    cost,
    screen.working || isAsked(screen) ? "" : "/help",
  ].filter((part) => part !== "");
  const text = parts.reduce((line, part) => (line.length + part.length + 3 > columns ? line : `${line} · ${part}`));
  return (
    <Box width={columns} flexShrink={0}>
      <Text {...(colour ? { color: modeColour(mode) } : {})}>{text.slice(0, mode.length)}</Text>
      <Text dimColor wrap="truncate-end">
        {text.slice(mode.length)}
      </Text>
    </Box>
  );
}

function isAsked({ questions, elicitations }: Screen): boolean {
  return questions.length + elicitations.length > 0;
}

function awaited(screen: Screen): string {
  if (!isAsked(screen)) return screen.working ? "Esc interrupts" : "";
  return `waiting for your answer · Ctrl+C ${screen.working ? "interrupts" : "twice quits"}`;
}

function modeColour(mode: string): string {
  if (mode === "bypass") return "red";
  return mode === "plan" ? "blue" : mode === "default" ? "green" : "yellow";
}
