import type { MenuEntry } from "../contract/menu.ts";
import { privateFiles } from "./private-files.ts";

export interface MenuCatalogue {
  keep(menuHash: string, menu: readonly MenuEntry[]): void;
  /** Writes what is not written yet. */
  flush(): void;
}

const name = "managed-tools.json";

/** The menu as a file, for programs and people. Nothing reads it back, nobody waits for it, and one that is current stays. */
export function createMenuCatalogue(directory: string): MenuCatalogue {
  const files = privateFiles(directory);
  let pending: string | undefined;
  function flush(): void {
    if (pending !== undefined) files.write(name, pending);
    pending = undefined;
  }
  return {
    keep(menuHash, menu) {
      const head = `{"menuHash":${JSON.stringify(menuHash)},`;
      const before = files.read(name);
      if (before.ok && before.value?.startsWith(head)) return;
      const tools = menu.map(({ aliases: _, bytes: __, visible: ___, ...entry }) => entry);
      pending = `${head}"tools":${JSON.stringify(tools, null, 1)}}\n`;
      setImmediate(flush);
    },
    flush,
  };
}
