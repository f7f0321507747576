import { writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";

/**
 * Bundles the entries into `outDir`. Dynamic imports stay files of their own, so that a command loads only
 * what it needs. A feature that is off takes the modules behind its guard with it. With `scripts`, the result is
 * CommonJS that `bin/load-program.cjs` loads; modules that are named in `apart` stay modules then, and are imported
 * from where they are said to be. What `derived` holds by the name of a tool is added to its definition.
 * Gives what was written, and out of which sources.
 */
export async function bundle({ entries, outDir, features, scripts = false, apart = {}, derived = {} }) {
  const { rolldown } = await import("rolldown");
  const build = await rolldown({
    input: entries,
    platform: "node",
    preserveEntrySignatures: scripts ? "allow-extension" : "exports-only",
    plugins: [withDerived(derived)],
    external: [/^node:/, ...builtinModules, /^@vscode\/ripgrep/, "react-devtools-core", ...Object.keys(apart)],
    transform: {
      target: "node24",
      inject: { Headers: [path.join(import.meta.dirname, "plain-headers.mjs"), "Headers"] },
      define: {
        // What React and Ink bring for those who develop with them is left out, and so never asks for its tools.
        "process.env.NODE_ENV": '"production"',
        "process.env.DEV": '"false"',
        ...Object.fromEntries(Object.entries(features).map(([name, on]) => [`FEATURES.${name}`, String(on)])),
      },
    },
    onLog(level, log) {
      if (level === "warn") throw new Error(log.message);
    },
  });
  try {
    const { output } = await build.write({
      dir: outDir,
      ...(scripts
        ? {
            format: "cjs",
            strict: true,
            entryFileNames: "[name].cjs",
            chunkFileNames: "[name]-[hash].cjs",
            paths: apart,
            codeSplitting: { includeDependenciesRecursively: false, groups: [servers] },
          }
        : { format: "esm", entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" }),
      comments: { legal: true, annotation: false, jsdoc: false },
    });
    const chunks = output.filter((file) => file.type === "chunk");
    for (const { fileName, code } of chunks) {
      const text = scripts ? asciiText(plainRequires(code)) : narrowText(plainBuiltins(code));
      writeFileSync(path.join(outDir, fileName), text);
    }
    if (scripts) writeFileSync(path.join(outDir, "import-module.mjs"), importModule);
    return chunks.map((chunk) => ({ fileName: chunk.fileName, modules: chunk.moduleIds }));
  } finally {
    await build.close();
  }
}

const known = [
  ...["accepting-command", "bounded-text", "call-result", "check-input", "configured-status", "create-server-host"],
  ...["definitions", "failure-hint", "kept-definitions", "menu-names", "recent-stamps", "server-state", "start-times"],
  "wrap-tool",
];

/** What every session with servers needs of them before its first request, in one file instead of eight. */
const servers = {
  name: "servers",
  test: new RegExp(`/src/(?:mcp/(?:host/(?:${known.join("|")})|call-limits|is-deeper)|compose/servers)\\.ts$`),
};

/** Only our own tools: another one with the same name is another tool. */
function withDerived(derived) {
  const tools = path.join(import.meta.dirname, "../src/tools/");
  const contract = path.join(import.meta.dirname, "../src/contract/tool.ts");
  const ownTools = "\0own-tools";
  return {
    name: "derived-schemas",
    resolveId: (source, importer) =>
      source.endsWith("/contract/tool.ts") && importer?.startsWith(tools) ? ownTools : undefined,
    load: (id) =>
      id !== ownTools
        ? undefined
        : `import { defineTool as define } from ${JSON.stringify(contract)};
           export * from ${JSON.stringify(contract)};
           const derived = ${JSON.stringify(derived)};
           export const defineTool = (definition) => define({ ...definition, ...derived[definition.name] });`,
  };
}

/**
 * An import of a module of Node asks for everything that it exports, and with it loads parts of Node that nobody
 * uses. What is taken out of the module itself costs what it is.
 */
function plainBuiltins(code) {
  return code.replace(/^import (.+?) from "(node:[a-z_/]+)";$/gm, (_, clause, module) => {
    const parts = /^(?:(?<whole>[\w$]+)(?:, )?)?(?:\* as (?<all>[\w$]+)|\{ (?<named>.+) \})?$/.exec(clause)?.groups;
    if (parts === undefined) throw new Error(`An import of ${module} that is not understood: ${clause}`);
    const { whole, all, named } = parts;
    const targets = [whole, all, named && `{ ${named.replaceAll(" as ", ": ")} }`].filter(Boolean);
    return targets.map((target) => `const ${target} = globalThis.process.getBuiltinModule("${module}");`).join(" ");
  });
}

/**
 * Scripts that somebody else loads cannot import, so a module does it for them. And where copies of Node's modules would
 * be made, a function for every name that they have, the modules themselves will do.
 */
function plainRequires(code) {
  const imported = code.replace(/\bimport\(("[^"]+")\)/g, 'require("./import-module.mjs").importModule($1)');
  const left = /(?<![.\w$])import\(.{0,40}/.exec(imported);
  if (left !== null) throw new Error(`An import that a script cannot make: ${left[0]}`);
  return lateRequires(imported.replace(/^(node_\w+) = .*__toESM\(\1, 1\);$/gm, "$1 = { __proto__: $1, default: $1 };"));
}

/** These are there before the program is. */
const atOnce = ["node:buffer", "node:fs", "node:path", "node:path/posix", "node:process"];

/**
 * What is not ours is loaded when something of it is first used: many parts of Node cost a start a millisecond or two.
 * Our own files are not: a program that is replaced while it runs has to have what it needs.
 */
function lateRequires(code) {
  const late = [];
  const declared = code.replace(
    /^(?:let|const) (\w+) = require\("([^."][^"]*)"\);\n(\1 = .+\n)?/gm,
    (line, name, module, whole) => {
      if (atOnce.includes(module)) return line;
      late.push(name);
      const value = whole === undefined ? "loaded" : "{ __proto__: loaded, default: loaded }";
      return `let ${name} = () => { const loaded = require("${module}"), value = ${value}; ${name} = () => value; return value; };\n`;
    },
  );
  return late.reduce(
    (text, name) =>
      text.replaceAll(new RegExp(`\\b(new )?${name}\\.`, "g"), (_, made) => (made ? `new (${name}()).` : `${name}().`)),
    declared,
  );
}

const importModule = "export const importModule = (name) => import(name);\n";

function asciiText(code) {
  return code.replace(/[^\0-\x7f]/g, escaped);
}

/** One wide character anywhere makes the whole source take two bytes a character for as long as the program runs. */
function narrowText(code) {
  return code.replace(/[^\0-\xff]/g, escaped);
}

function escaped(character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
