import { Box, Text } from "ink";
import { type ReactNode, useRef, useState } from "react";
import { visibleText } from "../../base/text.ts";
import type { BorrowedCommand } from "../../contract/app/borrowed-commands.ts";
import { slashCommands } from "../slash-commands.ts";
import type { KeyPlace } from "./keyboard.ts";
import {
  type EditedText,
  emptyHistory,
  emptyText,
  isLookingBack,
  lookBack,
  type MessageHistory,
  moveLine,
  remember,
} from "./line-editor.ts";
import { type FieldKey, TextField } from "./text-field.tsx";

export interface Draft {
  readonly edited: EditedText;
  readonly history: MessageHistory;
}

export function draftWith(past: readonly string[]): Draft {
  return { edited: emptyText, history: past.reduce(remember, emptyHistory) };
}

interface PromptLineProps {
  readonly draft: Draft;
  onDraft(change: (before: Draft) => Draft): void;
  readonly columns: number;
  readonly rows: number;
  readonly working: boolean;
  keyPlace(): KeyPlace;
  files(): readonly string[];
  choices(command: string): readonly string[];
  borrowed(): readonly BorrowedCommand[];
  onSubmit(text: string): void;
  onEscape(): void;
  onTab(): void;
}

interface Completion {
  readonly label: string;
  readonly hint: string;
  readonly edited: EditedText;
}

interface Lookup {
  readonly of: string;
  readonly found: readonly string[];
}

export function PromptLine(props: PromptLineProps): ReactNode {
  const { draft, onDraft, columns, rows, working, keyPlace, files, choices, borrowed, onSubmit, onEscape, onTab } =
    props;
  const { edited, history } = draft;
  const third = Math.max(2, Math.floor(rows / 3));
  const [chosen, setChosen] = useState(0);
  const [closed, setClosed] = useState(false);
  const lookup = useRef<Lookup>(undefined);
  /** The read in which a completion was taken: an Enter in the same read must not send text that was not seen. */
  const takenIn = useRef<number>(undefined);
  const lookUp = (of: string, find: () => readonly string[]) => {
    if (lookup.current?.of !== of) lookup.current = { of, found: find() };
    return lookup.current.found;
  };
  const offersOn = (now: EditedText) =>
    isLookingBack(history, now.text) ? [] : offersFor(now, { lookUp, files, choices, borrowed });
  const offers = closed ? [] : offersOn(edited);
  if (offers.length === 0 && !closed && edited.text === "") lookup.current = undefined;
  const at = Math.min(chosen, Math.max(0, offers.length - 1));
  const first = Math.max(0, Math.min(at - third + 1, offers.length - third));
  const labelled = Math.min(mostLabel, Math.max(0, ...offers.map(({ label }) => label.length)));

  const change = (next: EditedText) => {
    if (next.text !== edited.text) {
      setClosed(false);
      setChosen(0);
    }
    onDraft((before) => ({ ...before, edited: next }));
  };
  const onKey = (key: FieldKey, now: EditedText): EditedText | boolean => {
    const { read } = keyPlace();
    if (key === "return" && takenIn.current === read) return true;
    // Keys may come faster than it is drawn: an Enter must apply to what was typed before it.
    const isDrawn = now.text === edited.text;
    const offer = isDrawn ? offers[at] : offersOn(now)[0];
    if (offer !== undefined) {
      if (key === "up" || key === "down") {
        setChosen((now) => (now + (key === "up" ? offers.length - 1 : 1)) % offers.length);
        return true;
      }
      const isOther = offer.edited.text.trim() !== now.text.trim();
      if (key === "tab" || (key === "return" && isOther)) {
        if (isOther) takenIn.current = read;
        return offer.edited;
      }
      if (key === "escape") {
        setClosed(true);
        return true;
      }
    }
    if (key === "escape") {
      onEscape();
      return true;
    }
    if (key === "tab") {
      onTab();
      return true;
    }
    if ((key === "up" || key === "down") && moveLine(now, key === "up" ? -1 : 1) === undefined) {
      const found = lookBack(history, key === "up" ? -1 : 1, now.text);
      if (found === undefined) return true;
      onDraft((before) => ({ ...before, history: found.history }));
      return { text: found.text, at: found.text.length };
    }
    return false;
  };
  return (
    <Box flexDirection="column">
      <TextField
        prompt="› "
        edited={edited}
        columns={columns}
        mostRows={third}
        placeholder={working ? "working; messages sent now are queued" : "What would you like to do?"}
        onKey={onKey}
        onChange={change}
        onSubmit={(text) => {
          if (text.trim() !== "") onDraft((before) => ({ ...before, history: remember(before.history, text) }));
          onSubmit(text);
        }}
      />
      {offers.slice(first, first + third).map(({ label, hint }, index) => (
        <Text key={label} inverse={first + index === at} wrap="truncate-end">
          {`  ${visibleText(label).padEnd(labelled)}  `}
          <Text dimColor>{hint}</Text>
        </Text>
      ))}
      {offers.length > third && <Text dimColor>{`  ${at + 1} of ${offers.length}, ↑↓ for more`}</Text>}
    </Box>
  );
}

const mostFiles = 20;
const mostLabel = 28;

interface OfferSources extends Pick<PromptLineProps, "files" | "choices" | "borrowed"> {
  lookUp(of: string, find: () => readonly string[]): readonly string[];
}

function offersFor(
  { text, at }: EditedText,
  { lookUp, files, choices, borrowed }: OfferSources,
): readonly Completion[] {
  const mention = mentionAt(text, at);
  if (mention !== undefined) {
    const known = lookUp(`@${mention.from}`, files);
    return fittingFiles(known, mention.typed, mostFiles).map((file) => {
      const named = `${text.slice(0, mention.from)}${mentionOf(file)} `;
      return { label: file, hint: "", edited: { text: named + text.slice(at), at: named.length } };
    });
  }
  const [, command, begun] = /^\/([\w:.-]*)(?: (\S*))?$/.exec(text) ?? [];
  if (command === undefined) return [];
  if (begun !== undefined) {
    const fitting = lookUp(`/${command}`, () => choices(command)).filter((choice) => choice.startsWith(begun));
    return fitting.map((choice) => offer(choice, "", `/${command} ${choice}`));
  }
  return [...slashCommands, ...borrowed()]
    .filter(({ name }) => name.startsWith(command))
    .toSorted((a, b) => Number(b.name === command) - Number(a.name === command))
    .map(({ name, argument = "", summary }) =>
      offer(`/${name} ${argument}`.trim(), summary, argument === "" ? `/${name}` : `/${name} `),
    );
}

function offer(label: string, hint: string, text: string): Completion {
  return { label, hint, edited: { text, at: text.length } };
}

interface Mention {
  readonly from: number;
  readonly typed: string;
}

export function mentionAt(text: string, at: number): Mention | undefined {
  const found = /(?:^|[\s([{])@("[^"\n]*|[^\s"]*)$/.exec(text.slice(0, at));
  const typed = found?.[1];
  return typed === undefined ? undefined : { from: at - typed.length - 1, typed: typed.replace(/^"/, "") };
}

export function mentionOf(file: string): string {
  return /\s/.test(file) ? `@"${file}"` : `@${file}`;
}

export function fittingFiles(files: readonly string[], typed: string, most: number): readonly string[] {
  const wanted = typed.toLowerCase();
  const rated: { readonly file: string; readonly rate: number }[] = [];
  for (const file of files) {
    // A name with control characters or line ends could write text in the user's name.
    if (/\s/.test(file.replaceAll(" ", "")) || visibleText(file) !== file) continue;
    const rate = rateOf(file.toLowerCase(), wanted);
    if (rate !== undefined) rated.push({ file, rate });
  }
  return rated
    .toSorted((a, b) => a.rate - b.rate || a.file.length - b.file.length || (a.file < b.file ? -1 : 1))
    .slice(0, most)
    .map(({ file }) => file);
}

function rateOf(file: string, wanted: string): number | undefined {
  if (wanted === "") return file.split("/").length;
  const name = file.slice(file.lastIndexOf("/") + 1);
  if (name.startsWith(wanted)) return 0;
  if (file.startsWith(wanted)) return 1;
  if (name.includes(wanted)) return 2;
  if (file.includes(wanted)) return 3;
  let at = 0;
  for (const letter of wanted) {
    at = file.indexOf(letter, at) + 1;
    if (at === 0) return undefined;
  }
  return 4;
}
