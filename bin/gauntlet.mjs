#!/usr/bin/env node
// Read by whatever Node there is: nothing newer than dynamic import may stand here.
const major = Number(process.versions.node.split(".")[0]);

if (major < 24) {
  console.error(`gauntlet: Node 24 or newer is needed, this is ${process.version}.`);
  process.exit(2);
}

const main = new URL("../dist/main.js", import.meta.url).href;

import(main).catch((error) => {
  if (error.code === "ERR_MODULE_NOT_FOUND" && error.url === main) {
    console.error("gauntlet: it is not built yet; run `npm install` in its directory.");
    process.exit(2);
  }
  console.error(error);
  process.exit(1);
});
