/** What each room may import besides itself. A room that does not stand here may import nothing and be imported by nobody. */
const ground = ["contract", "base"];
const stages = ["settings", "registry", "provider", "effects", "gate", "sandbox", "execution", "observation", "log"];
const matrix = {
  base: [],
  contract: ["base"],
  programs: [...ground, "effects"],
  shell: [...ground, "programs", "effects"],
  effects: [...ground, "programs", "shell"],
  host: ground,
  registry: [...ground, "programs"],
  gate: [...ground, "programs", "shell"],
  observation: ground,
  execution: ground,
  settings: [...ground, "host", "programs"],
  provider: [...ground, "host"],
  sandbox: [...ground, "host"],
  log: [...ground, "host"],
  tools: [...ground, "effects", "shell", "programs"],
  session: [...ground, ...stages, "tools", "host", "programs", "shell"],
  agent: [...ground, ...stages, "tools", "host", "programs", "shell", "session"],
  history: [...ground, ...stages, "tools", "host", "programs", "shell", "session"],
  mcp: [...ground, "settings", "effects", "gate", "sandbox", "host", "programs"],
  skills: [...ground, "host", "programs"],
  acp: ground,
  cli: ground,
  // One way to show things to people: the terminal interface draws with what the command line renders.
  tui: [...ground, "cli"],
};

/** These wire the rooms together and may import everything. */
const compositionRoot = "^src/(compose/[a-z-]+|index|main|launch|version)\\.ts$";
/** `skills` looks at the folders of skills. */
const systemRooms = "^src/(host|sandbox|log|skills)/";
const tests = "\\.(test|fixture)\\.tsx?$|^test/";

/** Modules that reach the system, or a way to load one that no import shows. */
const systemModules = [
  ...["fs", "fs/promises", "child_process", "cluster", "worker_threads", "os", "sqlite", "wasi"],
  ...["net", "tls", "dns", "dns/promises", "http", "https", "http2", "dgram", "inspector", "inspector/promises"],
  ...["module", "process", "vm", "repl", "v8"],
];
const modelPackages = "(^|node_modules/)(ai|openai|@ai-sdk/[^/]+|@anthropic-ai/[^/]+|@google/genai)(/|$)";

const anyOf = (names) => `(${names.join("|")})`;
const rooms = Object.keys(matrix);

const roomRules = Object.entries(matrix).map(([room, allowed]) => ({
  name: `${room}-imports`,
  comment: `${room} may import ${allowed.length === 0 ? "nothing" : allowed.join(", ")} besides itself.`,
  severity: "error",
  from: { path: `^src/${room}/`, pathNot: tests },
  to: { path: "^src/", pathNot: [`^src/${anyOf([room, ...allowed])}/`, tests] },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...roomRules,
    {
      name: "known-rooms",
      comment: "Every folder of src is a room of the matrix, and beside the rooms stands only the composition root.",
      severity: "error",
      from: {},
      to: { path: "^src/", pathNot: [`^src/${anyOf(rooms)}/`, compositionRoot, tests] },
    },
    {
      name: "known-rooms-import",
      comment: "A folder that is no room of the matrix imports nothing.",
      severity: "error",
      from: { path: "^src/", pathNot: [`^src/${anyOf(rooms)}/`, compositionRoot, tests] },
      to: {},
    },
    {
      name: "system-modules",
      comment:
        "Only host, sandbox, log, skills and the composition root touch the system. Everyone else is handed a port.",
      severity: "error",
      from: { path: "^src/", pathNot: [systemRooms, compositionRoot, tests] },
      to: { dependencyTypes: ["core"], path: `^(node:)?${anyOf(systemModules)}$` },
    },
    {
      name: "model-packages",
      comment: "Only provider knows the models' own packages.",
      severity: "error",
      from: { path: "^src/", pathNot: ["^src/provider/", tests] },
      to: { path: modelPackages },
    },
    {
      name: "tests-stay-outside",
      comment: "The product does not import its tests, benchmarks or scripts.",
      severity: "error",
      from: { path: "^src/", pathNot: tests },
      to: { path: [tests, "^(bench|scripts|bin|dist|docs)/"] },
    },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-orphans",
      comment: "A module that nobody imports and that imports nothing is litter.",
      severity: "error",
      from: { orphan: true, pathNot: [compositionRoot, tests] },
      to: {},
    },
    { name: "resolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "declared-packages",
      comment: "The product uses what package.json lists under dependencies.",
      severity: "error",
      from: { path: "^src/", pathNot: tests },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown", "npm-optional", "npm-peer"] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default", "types"] },
  },
};
