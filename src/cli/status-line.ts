import type { DoorNotice } from "../contract/door.ts";
import { painter, say } from "./render/shown.ts";
import { oneLine } from "./render/table.ts";
import type { Surface } from "./surface.ts";

export interface StatusLine {
  notice(notice: DoorNotice): void;
  clear(): void;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const eraseLine = "\r\u001b[2K";

/** What is running, on the last line of a terminal. Nowhere else. */
export function statusLine(surface: Surface): StatusLine {
  if (!surface.stderr.terminal) return { notice: () => {}, clear: () => {} };
  const paint = painter(surface.stderr);
  const room = Math.min(72, (surface.stderr.columns ?? 80) - 3);
  let text = "";
  let frame = 0;
  let timer: NodeJS.Timeout | undefined;
  const draw = () => {
    const spinner = frames[frame++ % frames.length] ?? "";
    void surface.stderr.write(eraseLine + say`${paint("accent", spinner)} ${oneLine(text, room)}`.text);
  };
  const clear = () => {
    if (timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
    void surface.stderr.write(eraseLine);
  };
  return {
    clear,
    notice: (notice) => {
      if (notice.kind === "observed") return clear();
      text = notice.kind === "progressed" ? notice.progress.message : notice.title;
      timer ??= setInterval(draw, 120).unref();
    },
  };
}
