import { Box, Text, useInput } from "ink";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { renderPrompt } from "../cli/render/prompt.ts";
import { say } from "../cli/render/shown.ts";
import { viewOn } from "../cli/render/wrap.ts";
import type { PermissionAnswer, PermissionRequest } from "../contract/verdict.ts";
import { choicesFor } from "./answer-keys.ts";
import { type EditedText, emptyText } from "./line-editor.ts";
import { TextField } from "./text-field.tsx";

interface Props {
  readonly request: PermissionRequest;
  readonly more: number;
  readonly colour: boolean;
  readonly columns: number;
  readonly rows: number;
  /** No key is taken before it has been there this long. */
  readonly unreadMs?: number;
  onAnswer(answer: PermissionAnswer): void;
}

/** Below this nothing is broken into rows any more; the terminal cuts. */
const narrowest = 32;

/**
 * The question of the gate. It starts on No, and the end of a word that was being typed when it came is no answer:
 * for a moment it takes none.
 */
export function PermissionDialog({ request, more, colour, columns, rows, unreadMs = 250, onAnswer }: Props): ReactNode {
  const choices = useMemo(() => choicesFor(request), [request]);
  const [at, setAt] = useState(0);
  /** The reason for a no, while it is being written. */
  const [why, setWhy] = useState<EditedText>();
  const [whole, setWhole] = useState(false);
  /** Lines that the view was moved up from the end. */
  const [up, setUp] = useState(0);
  const [readable, setReadable] = useState(unreadMs === 0);
  useEffect(() => {
    const timer = setTimeout(() => setReadable(true), unreadMs);
    return () => clearTimeout(timer);
  }, [unreadMs]);
  const inside = Math.max(narrowest, columns - 4);
  const text = useMemo(() => {
    const { shown, leftOut } = renderPrompt(request, { ...viewOn({ colour, columns: inside }), whole });
    return { lines: shown.text.trim().split("\n"), leftOut };
  }, [request, whole, colour, inside]);
  const fold = viewOn({ colour: false, columns: inside - 2 }).fold;
  const labels = choices.map(({ key, label }) => fold(say`${key}  ${label}`).text.split("\n"));
  const taken = labels.reduce((sum, rows) => sum + rows.length, 0);
  // What stands around the text, and a row to spare: a frame that fills the window would wipe what is above it.
  const room = Math.max(3, rows - taken - 8);
  const most = Math.max(0, text.lines.length - room);
  const above = Math.max(0, most - up);
  const answer = (index: number) => {
    const chosen = choices[index];
    if (chosen === undefined) return;
    if (chosen.answer === undefined) setWhy(emptyText);
    else onAnswer({ request: request.id, ...chosen.answer });
  };
  useInput(
    (input, key) => {
      if (!readable) return;
      if (key.upArrow || (key.tab && key.shift)) setAt((at + choices.length - 1) % choices.length);
      else if (key.downArrow || key.tab) setAt((at + 1) % choices.length);
      else if (key.return) answer(at);
      else if (key.escape) onAnswer({ request: request.id, answer: "deny", by: "person at the terminal" });
      else if (key.pageUp) setUp(Math.min(most, up + room - 1));
      else if (key.pageDown) setUp(Math.max(0, up - room + 1));
      else if (input === "v") setWhole(!whole);
      else answer(choices.findIndex((choice) => choice.key === input || String(choices.indexOf(choice) + 1) === input));
    },
    { isActive: why === undefined },
  );
  return (
    <Box flexDirection="column" borderStyle="round" borderColor="yellow" paddingX={1} width={columns}>
      {/* The end of it says what it touches, so that is what is seen first. */}
      {above > 0 && <Text color="yellow">{`↑ ${above} lines above: PgUp`}</Text>}
      <Text wrap="truncate-end">{text.lines.slice(above, above + room).join("\n")}</Text>
      {above < most && <Text dimColor>{`↓ ${most - above} lines below: PgDn`}</Text>}
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
        <Box flexDirection="column" marginTop={1}>
          {/* All of a rule is seen before it is agreed to. */}
          {labels.map((label, index) => (
            <Text key={choices[index]?.key} inverse={index === at} wrap="truncate-end">
              {label.map((row, line) => `${index === at && line === 0 ? "❯" : " "} ${row}`).join("\n")}
            </Text>
          ))}
          <Text dimColor wrap="truncate-end">
            {`${readable ? "↑↓ Enter · Esc: no" : "…"}${text.leftOut > 0 || whole ? ` · v: ${whole ? "less" : "all of it"}` : ""}${more > 0 ? ` · ${more} more after this` : ""}`}
          </Text>
        </Box>
      )}
    </Box>
  );
}
