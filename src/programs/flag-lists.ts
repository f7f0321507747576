/** `flags("ab", "long other")` names -a, -b, --long and --other. */
export function flags(short: string, long = ""): readonly string[] {
  const longs = long.split(" ").filter((name) => name !== "");
  return [...[...short].map((letter) => `-${letter}`), ...longs.map((name) => `--${name}`)];
}

/** Flags whose value is plain text, neither a path nor a program. */
export function text(names: string): Readonly<Record<string, "text">> {
  return Object.fromEntries(names.split(" ").map((name) => [name, "text" as const]));
}

/** `listed("a b")` is a list of words that is easier to read. */
export function listed(text: string): readonly string[] {
  return text.split(" ");
}
