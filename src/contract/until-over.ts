/** Nothing as soon as nobody waits any more. What is under way then ends by itself, and nobody hears how. */
export async function untilOver<Value>(work: Promise<Value>, over: AbortSignal): Promise<Value | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = () => resolve(undefined);
  over.addEventListener("abort", end, { once: true });
  if (over.aborted) end();
  try {
    return await Promise.race([promise, work]);
  } finally {
    over.removeEventListener("abort", end);
  }
}
