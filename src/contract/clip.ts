/** In so many characters: the last one says that there was more. */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, wholeEnd(text, Math.max(0, most - 1)))}…`;
}

/** Where to cut at the latest, so that no character is cut in half. */
export function wholeEnd(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end;
}
