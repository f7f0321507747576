import { Box, Text, useInput } from "ink";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { renderPrompt } from "../cli/render/prompt.ts";
import { say } from "../cli/render/shown.ts";
import { counted } from "../cli/render/table.ts";
import { viewOn } from "../cli/render/wrap.ts";
import type { PermissionAnswer, PermissionRequest } from "../contract/verdict.ts";
import { choicesFor } from "./answer-keys.ts";
import { type EditedText, emptyText } from "./line-editor.ts";
import { TextField } from "./text-field.tsx";
import { useReadable } from "./use-readable.ts";

interface Props {
  readonly request: PermissionRequest;
  readonly more: number;
  readonly colour: boolean;
  readonly columns: number;
  readonly rows: number;
  /** No key is taken before it has been there this long, nor before nothing was typed for three times as long. */
  readonly unreadMs?: number;
  onAnswer(answer: PermissionAnswer): void;
}

/** Below this nothing is broken into rows any more; the terminal cuts. */
const narrowest = 32;

/** Fewer beside the choices, and they are shortened. */
const leastRows = 16;

/**
 * The question of the gate. It starts on No, and the end of a word that was being typed when it came is no answer:
 * for a moment it takes none.
 */
export function PermissionDialog({ request, more, colour, columns, rows, unreadMs = 250, onAnswer }: Props): ReactNode {
  const choices = useMemo(() => choicesFor(request), [request]);
  const [at, setAt] = useState(0);
  /** Keys may come faster than it is drawn: an Enter must meet what the arrow before it chose. */
  const chosen = useRef(0);
  const move = (by: number) => {
    chosen.current = (chosen.current + by + choices.length) % choices.length;
    setAt(chosen.current);
  };
  /** The reason for a no, while it is being written. */
  const [why, setWhy] = useState<EditedText>();
  const [whole, setWhole] = useState(false);
  /** Lines that the view was moved down. What is asked, the command and the risk stand at the beginning. */
  const [down, setDown] = useState(0);
  const { readable, stillTyping } = useReadable(unreadMs);
  const inside = Math.max(narrowest, columns - 4);
  const text = useMemo(() => {
    const { shown } = renderPrompt(request, { ...viewOn({ colour, columns: inside }), whole, paged: true });
    return shown.text.trim().split("\n");
  }, [request, whole, colour, inside]);
  const fold = viewOn({ colour: false, columns: inside - 2 }).fold;
  const folded = choices.map(({ key, label }) => fold(say`${key}  ${label}`).text.split("\n"));
  // All of a rule is seen before it is agreed to: of the others, where there is no room, only the beginning.
  const tight = rows - folded.flat().length < leastRows;
  // In the smallest windows the other answers are there, one arrow away, and what is asked about is seen.
  const tiny = rows - choices.length < leastRows - 5;
  const labels = folded.map((label, index) =>
    index === at ? label : label.slice(0, tiny ? 0 : tight ? 1 : undefined),
  );
  const taken = labels.flat().length;
  // What stands around the text, and a row to spare: a frame that fills the window would wipe what is above it.
  const room = Math.max(1, rows - taken - (tight ? 7 : 8));
  const most = Math.max(0, text.length - room);
  const above = Math.min(most, down);
  const answer = (index: number) => {
    const choice = choices[index];
    if (choice === undefined) return;
    if (choice.answer === undefined) setWhy(emptyText);
    else onAnswer({ request: request.id, ...choice.answer });
  };
  /** By its own key. What is shortened is shown whole first, and agreed to when the key comes again. */
  const choose = (index: number) => {
    const shortened = labels[index]?.length !== folded[index]?.length && chosen.current !== index;
    if (shortened) move(index - chosen.current);
    else answer(index);
  };
  useInput(
    (input, key) => {
      // Who still types has not seen it: the letters of a sentence are no answers.
      if (!readable) return stillTyping();
      if (key.upArrow || (key.tab && key.shift)) move(-1);
      else if (key.downArrow || key.tab) move(1);
      else if (key.return) answer(chosen.current);
      else if (key.escape) onAnswer({ request: request.id, answer: "deny", by: "person at the terminal" });
      else if (key.pageDown) setDown((now) => Math.min(most, now + room));
      else if (key.pageUp) setDown((now) => Math.max(0, Math.min(most, now) - room));
      else if (key.end) setDown(most);
      else if (key.home) setDown(0);
      else if (input === "v") setWhole((now) => !now);
      else choose(choices.findIndex((choice, index) => choice.key === input || String(index + 1) === input));
    },
    { isActive: why === undefined },
  );
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
      {why !== undefined ? (
        <TextField
          prompt="Why not? "
          edited={why}
          onChange={setWhy}
          columns={columns - 4}
          mostRows={3}
          onSubmit={(message) =>
            onAnswer({
              request: request.id,
              answer: "deny",
              by: "person at the terminal",
              ...(message.trim() === "" ? {} : { message: message.trim() }),
            })
          }
          onCancel={() => setWhy(undefined)}
        />
      ) : (
        <Box flexDirection="column" marginTop={tight ? 0 : 1} flexShrink={0}>
          {labels.map((label, index) =>
            label.length === 0 ? null : (
              <Text key={choices[index]?.key} inverse={index === at} wrap="truncate-end">
                {label.map((row, line) => `${index === at && line === 0 ? "❯" : " "} ${row}`).join("\n")}
              </Text>
            ),
          )}
          <Text dimColor wrap="truncate-end">
            {`${tiny ? `${at + 1}/${choices.length} ` : ""}${readable ? "↑↓ Enter · Esc: no" : "…"} · v: ${whole ? "less" : "all of it"}${more > 0 ? ` · ${more} more after this` : ""}`}
          </Text>
        </Box>
      )}
    </Box>
  );
}
