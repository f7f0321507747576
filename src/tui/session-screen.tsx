import { Box, Text, useAnimation, useInput, usePaste, useStdout, useWindowSize } from "ink";
import { type ReactNode, useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { painter } from "../cli/render/shown.ts";
import { oneLine } from "../cli/render/table.ts";
import { wrapper } from "../cli/render/wrap.ts";
import type { KeyPlace } from "./input/keyboard.ts";
import { type EditedText, edits, emptyText, remember, rowsInView } from "./input/line-editor.ts";
import { type Draft, draftWith, PromptLine } from "./input/prompt-line.tsx";
import { asTyped } from "./input/text-field.tsx";
import { liveLines, queueRows, writtenLine } from "./live-lines.ts";
import { ElicitationDialog } from "./questions/elicitation-dialog.tsx";
import { PermissionDialog } from "./questions/permission-dialog.tsx";
import { useFocus } from "./questions/use-question.ts";
import { renderItem } from "./render-item.ts";
import type { ScreenStore } from "./screen.ts";
import type { Item } from "./screen-state.ts";
import type { SessionDriver } from "./session-driver.ts";
import { StatusBar } from "./status-bar.tsx";

interface Props {
  readonly store: ScreenStore;
  readonly driver: SessionDriver;
  readonly colour: boolean;
  files(): readonly string[];
  keyPlace(): KeyPlace;
  quit(): void;
}

/**
 * What has ended is written above, once; only what moves is drawn again. So what goes to the terminal for a line
 * depends on the line, not on all that came before it.
 */
export function SessionScreen({ store, driver, colour, files, keyPlace, quit }: Props): ReactNode {
  const screen = useSyncExternalStore(store.subscribe, store.screen);
  const { write } = useStdout();
  const { columns, rows } = useWindowSize();
  const [question, ...others] = screen.questions;
  const [elicitation, ...laterOnes] = screen.elicitations;
  const isAsked = question !== undefined || elicitation !== undefined;
  const moves = screen.working && !isAsked;
  const { frame } = useAnimation({ interval: 120, isActive: moves });
  const [warning, setWarning] = useState<Warning>();
  const [draft, setDraft] = useState(() => draftWith(driver.history()));
  const written = useRef(draft);
  const change = useCallback((next: (before: Draft) => Draft) => {
    written.current = next(written.current);
    setDraft(written.current);
  }, []);
  const isWriting = draft.edited.text !== "";
  const { focus, turnTo, follows, typed, answered } = useFocus(isAsked, { isWriting, now: () => performance.now() });
  const paint = useRef(painter({ colour }));
  const width = useRef(columns);

  useEffect(() => {
    width.current = columns;
  }, [columns]);

  useEffect(() => {
    store.attach({
      write(items) {
        const wrap = wrapper({ columns: width.current });
        const options = { wrap, columns: width.current };
        const whole = (item: Item) =>
          item.kind === "output" ? { ...item, observation: driver.whole(item.observation) } : item;
        write(items.map((item) => renderItem(whole(item), paint.current, options).text).join(""));
      },
      giveBack: (texts) => change((before) => ({ ...before, edited: inFront(before.edited, texts) })),
    });
  }, [store, driver, write, change]);

  useInput((input, key) => {
    if (key.ctrl && input === "c") {
      if (written.current.edited.text !== "" && focus === "draft") {
        change((before) => ({ history: remember(before.history, before.edited.text), edited: emptyText }));
        return setWarning({ text: "Cleared; Up brings it back · ", quits: !screen.working });
      }
      if (warning?.quits) return quit();
      if (screen.working) driver.interrupt();
      return setWarning({ text: "", quits: true });
    }
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
  // Beside a question there is room for one: what is asked about must be seen.
  const queued = isAsked ? queueRows(screen, { paint: paint.current, columns, most: 1 }) : [];
  const taken = focus === "draft" ? draftRows(draft.edited, { columns, rows }) : isWriting ? 1 : 0;
  const asked = {
    colour,
    columns,
    rows: rows - taken - queued.length,
    isActive: focus === "question",
    follows,
    keyPlace,
    onTyped,
  };
  const live = liveLines(screen, { paint: paint.current, frame, columns }).text.trimEnd();
  const line = writtenLine(screen, { paint: paint.current, columns }).text;
  // A frame that fills the window could not be drawn over: what moves gives way to what is typed. When the window
  // narrows, it is drawn once before this is asked again: it must not be wider than the window is then.
  return (
    <Box flexDirection="column" width="100%" maxHeight={Math.max(6, rows - 1)} overflow="hidden">
      {!isAsked && (
        <Box flexDirection="column" flexShrink={1} minHeight={0} overflow="hidden">
          {line !== "" && <Text wrap="hard">{line}</Text>}
          {live !== "" && <Text wrap="truncate-end">{live}</Text>}
        </Box>
      )}
      {question !== undefined ? (
        <PermissionDialog
          key={question.id}
          {...asked}
          request={question}
          more={others.length + screen.elicitations.length}
          onAnswer={(answer) => {
            answered();
            driver.answer(answer);
          }}
        />
      ) : (
        elicitation !== undefined && (
          <ElicitationDialog
            key={elicitation.id}
            {...asked}
            question={elicitation}
            more={laterOnes.length}
            onAnswer={(answer) => {
              answered();
              driver.answerServer(elicitation.id, answer);
            }}
          />
        )
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
        isWriting && (
          <Text dimColor wrap="truncate-end">
            {`› ${oneLine(draft.edited.text, columns)}`}
          </Text>
        )
      )}
      {warning !== undefined ? (
        <Text {...(colour ? { color: "yellow" } : {})} wrap="truncate-end">
          {`${warning.text}Ctrl+C again ${warning.quits ? "quits" : "interrupts"}`}
        </Text>
      ) : (
        <StatusBar screen={screen} columns={columns} colour={colour} />
      )}
    </Box>
  );
}

const clearWindow = "\u001b[H\u001b[2J";

interface Warning {
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
