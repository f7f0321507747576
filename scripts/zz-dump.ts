import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { judgeAll, recordDirectory } from "../test/verdicts/judged-rows.ts";
import path from "node:path";
const out: unknown[] = [];
for (const file of readdirSync(recordDirectory)) {
  const recorded = readFileSync(path.join(recordDirectory, file), "utf8").trim().split("\n").map((l) => JSON.parse(l));
  out.push(...(await judgeAll(recorded.map((r: {command: string}) => r.command))).map((r) => ({ file, ...r })));
}
writeFileSync(process.argv[2]!, out.map((r) => JSON.stringify(r)).join("\n"));
