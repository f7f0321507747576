export function collectBounded(maxBytes: number): {
  add(chunk: Uint8Array): boolean;
  text(): string;
  full(): boolean;
} {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let overflowed = false;
  return {
    add(chunk) {
      const room = maxBytes - bytes;
      if (chunk.length > room) overflowed = true;
      const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
      if (kept.length > 0) chunks.push(Uint8Array.from(kept));
      bytes += kept.length;
      return !overflowed;
    },
    text: () => Buffer.concat(chunks).toString("utf8"),
    full: () => overflowed,
  };
}
