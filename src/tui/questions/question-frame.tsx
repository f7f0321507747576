import { Box, type Key, Text } from "ink";
import { type ReactNode, useState } from "react";
import { counted } from "../../cli/render/table.ts";

interface FrameProps {
  readonly columns: number;
  readonly colour: boolean;
  readonly border: "yellow" | "cyan";
  readonly children: ReactNode;
}

export function QuestionFrame({ columns, colour, border, children }: FrameProps): ReactNode {
  return (
    <Box
      flexDirection="column"
      borderStyle="round"
      {...(colour ? { borderColor: border } : {})}
      paddingX={1}
      width={columns}
      flexShrink={1}
    >
      {children}
    </Box>
  );
}

interface ScrolledRows {
  readonly text: string;
  readonly above: number;
  readonly below: number;
}

/** `scroll` gives whether the key was one for scrolling. */
export function useScroll(
  rows: readonly string[],
  room: number,
): { readonly shown: ScrolledRows; scroll(key: Key): boolean } {
  const [down, setDown] = useState(0);
  const most = Math.max(0, rows.length - room);
  const above = Math.min(most, down);
  return {
    shown: { text: rows.slice(above, above + room).join("\n"), above, below: most - above },
    scroll(key) {
      if (key.pageDown) setDown((now) => Math.min(most, now + room));
      else if (key.pageUp) setDown((now) => Math.max(0, Math.min(most, now) - room));
      else if (key.end) setDown(most);
      else if (key.home) setDown(0);
      else return false;
      return true;
    },
  };
}

export function ScrolledText({ text, above, below, colour }: ScrolledRows & { readonly colour: boolean }): ReactNode {
  return (
    <>
      {above > 0 && <Text dimColor>{`↑ ${counted(above, "line")} above: PgUp`}</Text>}
      <Box flexShrink={1} minHeight={1} overflow="hidden">
        <Text wrap="truncate-end">{text}</Text>
      </Box>
      {below > 0 && <Warning colour={colour}>{`↓ ${counted(below, "line")} below: PgDn`}</Warning>}
    </>
  );
}

export function Warning({ colour, children }: { readonly colour: boolean; readonly children: string }): ReactNode {
  return (
    <Text {...(colour ? { color: "yellow" } : {})} wrap="truncate-end">
      {children}
    </Text>
  );
}
