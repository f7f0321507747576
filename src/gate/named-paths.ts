import type { EffectPart } from "../contract/effect.ts";
import type { WorkspaceFacts } from "../contract/ports.ts";
import { codeIn } from "./inline-code.ts";
import { pathOf, pathsNamedIn, wordsOf } from "./running-parts.ts";

/** Where the words of a part may lead, as paths and as modules. */
export function namedBy(part: EffectPart, from: string, workspace: WorkspaceFacts): readonly string[] {
  const isModule = /\s-\w*m/.test(part.text) || codeIn(part) !== "";
  return wordsOf(part)
    .flatMap((word) => [word, ...(isModule ? modulesOf(word) : [])])
    .map((word) => pathOf(word, from, workspace));
}

/** `tools.publish`, behind `-m` or in code, is `tools/publish.py`. */
function modulesOf(word: string): readonly string[] {
  return /^\w+(?:\.\w+)+$/.test(word) ? [word.replaceAll(".", "/")] : [];
}

/** `PYTHONPATH=lib python3 -m tool`: what is put in front of a program is no word of its part. */
export function assignedIn(text: string): readonly string[] {
  const values = [...text.matchAll(/\b[A-Za-z_]\w*=(?:"([^"]*)"|'([^']*)'|(\S+))/g)];
  const words = values.flatMap(([, double, single, plain]) => pathsNamedIn(double ?? single ?? plain ?? ""));
  return [...new Set(words)];
}
