import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { openForReading } from "./database.ts";

const killedInside = `
const { DatabaseSync } = require("node:sqlite");
const database = new DatabaseSync(process.argv[1]);
database.exec("CREATE TABLE events (data); INSERT INTO events VALUES (1); PRAGMA cache_size = 1; BEGIN IMMEDIATE");
for (let row = 0; row < 2_000; row += 1) database.exec("INSERT INTO events VALUES (zeroblob(1_000))");
process.kill(process.pid, "SIGKILL");
`;

test("a file whose writer was killed before it was in WAL mode can be read", () => {
  const directory = mkdtempSync(path.join(os.tmpdir(), "gauntlet-database-"));
  try {
    const file = path.join(directory, "session.db");
    expect(spawnSync(process.execPath, ["-e", killedInside, file]).signal).toBe("SIGKILL");
    expect(existsSync(`${file}-journal`)).toBe(true);
    const database = openForReading(file);
    expect(database.prepare("SELECT count(*) AS rows FROM events").get()).toMatchObject({ rows: 1 });
    database.close();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
