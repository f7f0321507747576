import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Effect, isInside } from "../../src/contract/effect.ts";
import { assessRisk } from "../../src/effects/assess-risk.ts";
import { readEffect, writeEffect } from "../../src/effects/file-effects.ts";
import { resolvePath } from "../../src/effects/resolve-path.ts";
import { createMetadata } from "../../src/host/files/metadata.ts";
import { startCampaign } from "./campaign.ts";
import { reach } from "./kernel-path.ts";
import { growTree, plantings, type WildTree } from "./wild-tree.ts";

const campaign = startCampaign();
const { seed } = campaign;

/** A path as somebody might write it: names that are there, names that are not, and steps that lead nowhere or up. */
interface Steps {
  readonly steps: readonly (number | string)[];
  readonly absolute: boolean;
}

const steps: fc.Arbitrary<Steps> = fc.record({
  steps: fc.array(fc.oneof({ weight: 6, arbitrary: fc.nat({ max: 60 }) }, fc.constantFrom("..", ".", "", "absent")), {
    minLength: 1,
    maxLength: 7,
  }),
  absolute: fc.boolean(),
});

function written({ steps: wanted, absolute }: Steps, tree: WildTree): string {
  const names = wanted.map((step) => (typeof step === "string" ? step : (tree.names[step % tree.names.length] ?? ".")));
  const relative = names.join("/");
  if (absolute) return `${tree.root}/${relative}`;
  // What looks like a home directory, an address or the root of the disk is another question.
  return relative === "" || /^[~/\\]|^[a-z][a-z0-9+.-]*:\/\//i.test(relative) ? `./${relative}` : relative;
}

describe(`paths, seed ${seed}`, { timeout: campaign.timeoutMs }, () => {
  test("what is judged is what the kernel reaches", () => {
    const metadata = createMetadata();
    fc.assert(
      fc.property(plantings, fc.array(steps, { minLength: 40, maxLength: 60 }), (wanted, paths) => {
        const tree = growTree(wanted);
        try {
          for (const one of paths) compare(written(one, tree), tree);
        } finally {
          tree.remove();
        }
      }),
      { numRuns: campaign.runs(120), seed },
    );

    function compare(text: string, tree: WildTree): void {
      const judged = resolvePath(text, { metadata, base: tree.root, home: `${tree.root}/home` });
      const kernel = reach(text.startsWith("/") ? text : `${tree.root}/${text}`, tree.base);
      const seen = judged.ok ? judged.value : undefined;
      switch (kernel.end) {
        case "there": {
          const { kind, links } = kernel;
          const hardLinked = kind === "file" && links > 1;
          const expected = { written: text, resolved: kernel.path, kind, ...(hardLinked ? { hardLinked } : {}) };
          // Below these every process stands somewhere else, so nobody looks further.
          if (/^\/(?:proc|dev)\//.test(kernel.path)) expect(seen?.kind).toBe("special");
          else expect(seen).toEqual(expected);
          return;
        }
        case "could be made":
          expect(seen).toEqual({ written: text, resolved: kernel.path, kind: "missing" });
          return;
        case "refused":
          // A file with a slash behind it is refused for what it is; everything else must not look as if it were there.
          if (seen !== undefined && seen.kind !== "missing") expect(kernel.errno).toBe("ENOTDIR");
      }
    }
  });

  test("nothing outside, and nothing that is no plain file, is read or written for being inside", () => {
    const metadata = createMetadata();
    fc.assert(
      fc.property(plantings, fc.array(steps, { minLength: 40, maxLength: 60 }), (wanted, paths) => {
        const tree = growTree(wanted);
        const places = { roots: [tree.root], home: `${tree.base}/home`, stateDirectory: `${tree.base}/state` };
        const view = { resolve: (text: string) => resolvePath(text, { metadata, base: tree.root, home: places.home }) };
        const risk = (effect: Effect) => assessRisk({ effects: [effect] }, places).risk;
        try {
          for (const one of paths) {
            const text = written(one, tree);
            const kernel = reach(text.startsWith("/") ? text : `${tree.root}/${text}`, tree.base);
            if (kernel.end === "refused") continue;
            const plain =
              kernel.end === "could be made" ||
              (kernel.kind === "file" ? kernel.links === 1 : kernel.kind !== "special");
            if (plain && isInside(kernel.path, tree.root)) continue;
            expect({ text, kernel, reads: risk(readEffect(view, text, "file")) > "R1" }).toMatchObject({ reads: true });
            expect({ text, kernel, writes: risk(writeEffect(view, text, "file")) > "R2" }).toMatchObject({
              writes: true,
            });
          }
        } finally {
          tree.remove();
        }
      }),
      { numRuns: campaign.runs(80), seed: seed + 1 },
    );
  });
});
