import type { DoorNotice } from "../contract/door.ts";
import { painter, say } from "./render/shown.ts";
import { oneLine } from "./render/table.ts";
import type { Surface } from "./surface.ts";

export interface StatusLine {
  notice(notice: DoorNotice): void;
  clear(): void;
}

/** What turns while something is under way. */
export const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const eraseLine = "\r\u001b[2K";

/** What is running, on the last line of a terminal and nowhere else; what hooks say, on lines of their own. */
export function statusLine(surface: Pick<Surface, "stderr">): StatusLine {
  const paint = painter(surface.stderr);
  const tell = ({ event, hook, message }: Extract<DoorNotice, { kind: "hook" }>) =>
    void surface.stderr.write(
      `${say`${paint("warning", `${event} hook`)} ${oneLine(hook)}: ${oneLine(message)}`.text}\n`,
    );
  if (!surface.stderr.terminal) {
    return { notice: (notice) => void (notice.kind === "hook" && tell(notice)), clear: () => {} };
  }
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
      if (notice.kind === "hook") {
        clear();
        return tell(notice);
      }
      if (notice.kind === "server" || notice.kind === "menu_changed") return;
      text = notice.kind === "progressed" ? notice.progress.message : notice.title;
      timer ??= setInterval(draw, 120).unref();
    },
  };
}
