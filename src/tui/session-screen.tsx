import { Box, Text, useAnimation, useInput, useStdout, useWindowSize } from "ink";
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { painter } from "../cli/render/shown.ts";
import { wrapper } from "../cli/render/wrap.ts";
import { ElicitationDialog } from "./elicitation-dialog.tsx";
import { liveLines, writtenLine } from "./live-lines.ts";
import { PermissionDialog } from "./permission-dialog.tsx";
import { emptyDraft, PromptLine } from "./prompt-line.tsx";
import { renderItem } from "./render-item.ts";
import type { ScreenStore } from "./screen-store.ts";
import type { SessionDriver } from "./session-driver.ts";
import { StatusBar } from "./status-bar.tsx";

interface Props {
  readonly store: ScreenStore;
  readonly driver: SessionDriver;
  readonly colour: boolean;
  files(): readonly string[];
  quit(): void;
}

/**
 * What has ended is written above, once; only what moves is drawn again. So what goes to the terminal for a line
 * depends on the line, not on all that came before it.
 */
export function SessionScreen({ store, driver, colour, files, quit }: Props): ReactNode {
  const screen = useSyncExternalStore(store.subscribe, store.screen);
  const { write } = useStdout();
  const { columns, rows } = useWindowSize();
  const [question, ...others] = screen.questions;
  const [elicitation, ...laterOnes] = screen.elicitations;
  const isAsked = question !== undefined || elicitation !== undefined;
  const moves = screen.working && !isAsked;
  const { frame } = useAnimation({ interval: 120, isActive: moves });
  const [warned, setWarned] = useState(false);
  const [draft, setDraft] = useState(emptyDraft);
  const paint = useRef(painter({ colour }));
  const width = useRef(columns);

  useEffect(() => {
    width.current = columns;
  }, [columns]);

  useEffect(() => {
    store.attach((items) => {
      const wrap = wrapper({ columns: width.current });
      const options = { wrap, columns: width.current };
      write(items.map((item) => renderItem(item, paint.current, options).text).join(""));
    });
  }, [store, write]);

  useInput((input, key) => {
    if (key.ctrl && input === "c") {
      if (screen.working && !warned) driver.interrupt();
      if (warned) return quit();
      setWarned(true);
      return;
    }
    if (warned) setWarned(false);
    if (key.tab && key.shift && !isAsked) driver.nextMode();
    if (key.ctrl && input === "o" && !isAsked) store.apply({ kind: "output_wanted" });
  });

  const live = liveLines(screen, { paint: paint.current, frame, columns }).text.trimEnd();
  const written = writtenLine(screen, { paint: paint.current, columns }).text;
  // A frame that fills the window could not be drawn over: what moves gives way to what is typed.
  return (
    <Box flexDirection="column" width={columns} maxHeight={Math.max(6, rows - 1)} overflow="hidden">
      {!isAsked && (
        <Box flexDirection="column" flexShrink={1} minHeight={0} overflow="hidden">
          {written !== "" && <Text wrap="hard">{written}</Text>}
          {live !== "" && <Text wrap="truncate-end">{live}</Text>}
        </Box>
      )}
      {!isAsked ? (
        <Box marginTop={1} flexDirection="column" flexShrink={0}>
          <PromptLine
            draft={draft}
            onDraft={setDraft}
            columns={columns}
            rows={rows}
            working={screen.working}
            files={files}
            choices={driver.choices}
            onSubmit={driver.submit}
            onEscape={() => screen.working && driver.interrupt()}
          />
        </Box>
      ) : question !== undefined ? (
        <PermissionDialog
          key={question.id}
          request={question}
          more={others.length + screen.elicitations.length}
          colour={colour}
          columns={columns}
          rows={rows}
          onAnswer={driver.answer}
        />
      ) : (
        elicitation !== undefined && (
          <ElicitationDialog
            key={elicitation.id}
            question={elicitation}
            more={laterOnes.length}
            colour={colour}
            columns={columns}
            rows={rows}
            onAnswer={(answer) => driver.answerServer(elicitation.id, answer)}
          />
        )
      )}
      {warned ? (
        <Text {...(colour ? { color: "yellow" } : {})}>Ctrl+C again quits</Text>
      ) : (
        <StatusBar screen={screen} columns={columns} colour={colour} />
      )}
    </Box>
  );
}
