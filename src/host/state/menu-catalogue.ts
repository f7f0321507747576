import { sha256 } from "../../base/digest.ts";
import type { MenuEntry } from "../../contract/tool-facts.ts";
import { privateFiles } from "./private-text.ts";

interface MenuCatalogue {
  keep(menuHash: string, menu: () => readonly MenuEntry[]): void;
  flush(): void;
}

export function menuDirectory(workspace: string): string {
  return `menus/${sha256(workspace).slice(0, 16)}`;
}

export const menuFile = "managed-tools.json";
const laterMs = 25;

export function createMenuCatalogue(directory: string): MenuCatalogue {
  const files = privateFiles(directory);
  let pending: (() => void) | undefined;
  function flush(): void {
    pending?.();
    pending = undefined;
  }
  return {
    keep(menuHash, menu) {
      if (pending === undefined) setTimeout(flush, laterMs).unref();
      pending = () => {
        const head = `{"menuHash":${JSON.stringify(menuHash)},`;
        const before = files.read(menuFile);
        if (before.ok && before.value?.startsWith(head)) return;
        const tools = menu().map(({ aliases: _, bytes: __, visible: ___, ...entry }) => entry);
        files.write(menuFile, `${head}"tools":${JSON.stringify(tools, null, 1)}}\n`);
      };
    },
    flush,
  };
}
