import type { DoorNotice } from "../contract/app/door.ts";
import { painter, say } from "./render/shown.ts";
import { oneLine } from "./render/table.ts";
import type { Surface } from "./surface.ts";

export interface StatusLine {
  notice(notice: DoorNotice): void;
  /** What is under way beside calls. */
  show(text: string): void;
  clear(): void;
}

/** What turns while something is under way. */
export const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 120;
const eraseLine = "\r\u001b[2K";

/** What is running and for how long, on the last line of a terminal and nowhere else; what hooks say, on lines of their own. */
export function statusLine(surface: Pick<Surface, "stderr">): StatusLine {
  const paint = painter(surface.stderr);
  const tell = ({ event, hook, message }: Extract<DoorNotice, { kind: "hook" }>) =>
    void surface.stderr.write(
      `${say`${paint("warning", `${event} hook`)} ${oneLine(hook)}: ${oneLine(message)}`.text}\n`,
    );
  if (!surface.stderr.terminal) {
    return { notice: (notice) => void (notice.kind === "hook" && tell(notice)), show: () => {}, clear: () => {} };
  }
  const room = Math.min(72, (surface.stderr.columns ?? 80) - 12);
  const running = new Map<string, string>();
  let text = "";
  let drawn = 0;
  let begun = 0;
  let timer: NodeJS.Timeout | undefined;
  const draw = () => {
    const spinner = frames[drawn % frames.length] ?? "";
    const seconds = Math.floor(((++drawn - begun) * frameMs) / 1000);
    const since = seconds === 0 ? say`` : paint("quiet", ` (${seconds} s)`);
    void surface.stderr.write(eraseLine + say`${paint("accent", spinner)} ${oneLine(text, room)}${since}`.text);
  };
  const clear = () => {
    if (timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
    void surface.stderr.write(eraseLine);
  };
  const show = (next: string) => {
    if (timer === undefined || next !== text) begun = drawn;
    text = next;
    timer ??= setInterval(draw, frameMs).unref();
  };
  return {
    clear,
    show,
    notice: (notice) => {
      switch (notice.kind) {
        case "queued":
        case "started":
          running.set(notice.intentId, notice.title);
          return show(notice.title);
        case "progressed":
          return show(notice.progress.message);
        case "observed": {
          running.delete(notice.observation.intentId);
          const other = [...running.values()].at(-1);
          return other === undefined ? clear() : show(other);
        }
        case "hook":
          clear();
          return tell(notice);
        case "server":
        case "menu_changed":
        case "resource_updated":
          return;
      }
    },
  };
}
