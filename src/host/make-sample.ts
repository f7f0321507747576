import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { messageOf } from "../base/text.ts";
import { fail, ok } from "../contract/codes.ts";

export function makeSample(files: Readonly<Record<string, string>>, script: string) {
  let remove = () => {};
  try {
    const place = mkdtempSync(path.join(os.tmpdir(), "gauntlet-demo-"));
    remove = () => rmSync(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    const sample = {
      project: path.join(place, "corner-shop"),
      state: path.join(place, "state"),
      script: path.join(place, "model.json"),
      remove,
    };
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(sample.project, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    writeFileSync(sample.script, script);
    return ok(sample);
  } catch (error) {
    remove();
    return fail("bad_request", `The sample project cannot be created: ${messageOf(error)}`, {
      recovery: "Free space in the temporary directory, or set TMPDIR to another directory.",
    });
  }
}
