const longest = 24 * 60 * 60 * 1000;

/** How long the provider asks to wait, by any of the ways in which they say so. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, body: string, now: number): number | undefined {
  const milliseconds = numberOf(headers["retry-after-ms"]);
  if (milliseconds !== undefined) return bounded(milliseconds);
  const written = headers["retry-after"];
  if (written !== undefined) {
    const seconds = numberOf(written);
    const until = seconds === undefined ? Date.parse(written) - now : seconds * 1000;
    if (!Number.isNaN(until)) return bounded(until);
  }
  // Google's RetryInfo stands in the body.
  const delay = numberOf(/"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1]);
  return delay === undefined ? undefined : bounded(delay * 1000);
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

function bounded(milliseconds: number): number {
  return Math.min(Math.max(0, Math.ceil(milliseconds)), longest);
}
