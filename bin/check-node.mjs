// Read by whatever Node there is, as bin/gauntlet.cjs is.
if (Number(process.versions.node.split(".")[0]) < 24) {
  throw new Error(
    `gauntlet needs Node 24 or newer, and this is ${process.version}. ` +
      "`npm install --save-dev node@24` brings one, which `npx node` starts.",
  );
}
