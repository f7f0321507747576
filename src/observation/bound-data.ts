const maxDataChars = 64_000;
const maxDepth = 24;

export function boundData(
  data: Readonly<Record<string, unknown>>,
  clean: (text: string) => string,
): Record<string, unknown> {
  const room = { chars: maxDataChars };
  const copy = copyJson(data, { clean, room, depth: 0 });
  if (room.chars < 0 || typeof copy !== "object" || copy === null) {
    return {
      omitted: `more than ${maxDataChars} characters of data`,
      fields: Object.keys(data).slice(0, 50).map(clean),
    };
  }
  return { ...copy };
}

export function mapStrings<Value>(value: Value, change: (text: string) => string): Value;
export function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapStrings(inner, change)]));
}

interface CopyState {
  readonly clean: (text: string) => string;
  readonly room: { chars: number };
  readonly depth: number;
}

function copyJson(value: unknown, copying: CopyState): unknown {
  const { room, clean } = copying;
  room.chars -= 2;
  if (room.chars < 0 || copying.depth > maxDepth) return null;
  switch (typeof value) {
    case "string": {
      const text = clean(value);
      room.chars -= text.length;
      return text;
    }
    case "number":
      return Number.isFinite(value) ? value : null;
    case "boolean":
      return value;
    case "bigint":
      return String(value);
    case "object":
      break;
    default:
      return undefined;
  }
  if (value === null) return null;
  const deeper = { ...copying, depth: copying.depth + 1 };
  if (Array.isArray(value)) return value.map((item) => copyJson(item, deeper) ?? null);
  const entries: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const copied = copyJson(inner, deeper);
    room.chars -= key.length;
    if (copied !== undefined) entries.push([key, copied]);
  }
  return Object.fromEntries(entries);
}
