// Runs the program of a directory with the arguments that follow, and keeps what V8 has compiled by the end of the run
// beside it. What earlier runs kept is in it too.
const { mkdirSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const { compiledIn, loadProgram } = require("../bin/load-program.cjs");

const [directory] = process.argv.splice(2, 1);
const compiled = compiledIn(directory);
mkdirSync(compiled, { recursive: true });
const parts = loadProgram(directory);
process.on("exit", () => {
  for (const [name, { script }] of parts) writeFileSync(path.join(compiled, name), script.createCachedData());
});
