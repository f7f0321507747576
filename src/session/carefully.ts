/** Nothing that a listener does changes a call. */
export function carefully<Notice>(notify: (notice: Notice) => void): (notice: Notice) => void {
  return (notice) => {
    try {
      notify(notice);
    } catch {
      // It was told; what it makes of that is its own affair.
    }
  };
}
