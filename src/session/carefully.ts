import type { DoorNotice } from "../contract/door.ts";

/** Nothing that a listener does changes a call. */
export function carefully(notify: (notice: DoorNotice) => void): (notice: DoorNotice) => void {
  return (notice) => {
    try {
      notify(notice);
    } catch {
      // It was told; what it makes of that is its own affair.
    }
  };
}
