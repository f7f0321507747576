export interface SizedFile {
  readonly file: string;
  readonly size: number;
}

export interface ContentReading {
  /** Throws where the file cannot be read. */
  readonly digest: (file: string) => string | undefined;
  /** Is it allowed to read so much more? */
  readonly mayRead: (bytes: number) => boolean;
}

/** Files by their content. Each file is read once at most, and only where another one has its size. */
export interface ContentIndex {
  /** The indexed files with the same content, as one list each time; `undefined` where more would have to be read than may be. */
  sameAs(file: SizedFile): readonly string[] | undefined;
}

export function indexContent(files: readonly SizedFile[], { digest, mayRead }: ContentReading): ContentIndex {
  const bySize = Map.groupBy(files, ({ size }) => size);
  const groups = new Map<number, SizeGroup | undefined>();
  const digests = new Map<string, string | undefined>();

  /** `undefined` where it may not be read. */
  function digestOf({ file, size }: SizedFile): string | undefined {
    if (!digests.has(file)) digests.set(file, mayRead(size) ? digestOrUnreadable(file) : undefined);
    return digests.get(file);
  }

  function digestOrUnreadable(file: string): string {
    try {
      return digest(file) ?? unreadable;
    } catch {
      return unreadable;
    }
  }

  function groupOf(size: number): SizeGroup | undefined {
    if (!groups.has(size)) groups.set(size, readGroup(bySize.get(size) ?? []));
    return groups.get(size);
  }

  function readGroup(members: readonly SizedFile[]): SizeGroup | undefined {
    const byDigest = Map.groupBy(members, digestOf);
    if (byDigest.has(undefined)) return undefined;
    const all = members.map(({ file }) => file);
    const unclear = (byDigest.get(unreadable) ?? []).map(({ file }) => file);
    const same = new Map([...byDigest].map(([key, ones]) => [key, [...ones.map(({ file }) => file), ...unclear]]));
    return { all, unclear, same };
  }

  return {
    sameAs(file) {
      if (!bySize.has(file.size)) return none;
      const group = groupOf(file.size);
      const own = digestOf(file);
      if (group === undefined || own === undefined) return undefined;
      return own === unreadable ? group.all : (group.same.get(own) ?? group.unclear);
    },
  };
}

/** Files of one size. What cannot be read cannot be told apart. */
interface SizeGroup {
  readonly all: readonly string[];
  readonly unclear: readonly string[];
  readonly same: ReadonlyMap<string | undefined, readonly string[]>;
}

const unreadable = "unreadable";
const none: readonly string[] = [];
