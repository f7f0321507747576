const { existsSync, readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const path = require("node:path");
const { Script } = require("node:vm");

/**
 * Runs `main.cjs` of a directory. Beside it may lie what V8 made of each file in an earlier run: with it, nothing that
 * ran then is parsed and compiled again. It is code, and trusted because whoever can write there can change the program
 * as well; it is never read from anywhere else. V8 itself takes only what the same version of it has made.
 * Gives the compiled files by name, empty where Node's own loader does the work.
 */
exports.loadProgram = function loadProgram(directory) {
  const compiled = exports.compiledIn(directory);
  const requireModule = createRequire(path.join(directory, "main.cjs"));
  const scripts = new Map();
  if (existsSync(compiled)) load("main.cjs");
  else requireModule("./main.cjs");
  return scripts;

  function load(name) {
    const known = scripts.get(name);
    if (known !== undefined) return known.exports;
    // Not joined by `node:path`, here and below: it goes through both letter by letter, for every file anew.
    const file = `${directory}/${name}`;
    // What the build writes is plain ASCII.
    const source = `(function (exports, require) {${readFileSync(file, "latin1")}\n})`;
    const script = new Script(source, { filename: file, cachedData: readIfThere(`${compiled}/${name}`) });
    const loaded = { script, exports: {} };
    scripts.set(name, loaded);
    script.runInThisContext()(loaded.exports, requirePart);
    return loaded.exports;
  }

  function requirePart(name) {
    return name.endsWith(".cjs") ? load(name.slice("./".length)) : requireModule(name);
  }
};

/** A version of Node and a kind of machine have a directory each. */
exports.compiledIn = (directory) =>
  path.join(directory, "compiled", `${process.version}-${process.platform}-${process.arch}`);

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file) : undefined;
}
