#!/usr/bin/env node
// Read by whatever Node there is: nothing newer than `const` may stand here, and no module may be asked for before the
// version is known.
if (Number(process.versions.node.split(".")[0]) < 24) {
  console.error(`gauntlet: Node 24 or newer is needed, this is ${process.version}.`);
  process.exitCode = 2;
} else {
  start();
}

function start() {
  const program = require("node:path").join(__dirname, "../dist/program");
  if (require("node:fs").existsSync(program)) {
    require("./load-program.cjs").loadProgram(program);
  } else {
    console.error("gauntlet: it is not built yet; run `npm run build` in its directory.");
    process.exitCode = 2;
  }
}
