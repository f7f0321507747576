import { flags, text } from "./flag-lists.ts";
import { readByRoles } from "./path-operands.ts";
import { notUnderstood, type ProgramEntry } from "./program-entry.ts";
import { hasFlag, isLiteral } from "./readings.ts";

/** Programs that page through texts. A command has no terminal, so they print and never take a key. */
export const viewers: readonly ProgramEntry[] = [
  {
    names: ["less", "more"],
    flags: flags("NRSFXnieEqsdflcu", "LINE-NUMBERS RAW-CONTROL-CHARS chop-long-lines quit-if-one-screen no-init"),
    count: true,
    operands: (call, place) => {
      const command = call.operands.find((word) => !isLiteral(word) || word.value.startsWith("+"));
      return command === undefined
        ? readByRoles(call, { rest: "read" }, place)
        : notUnderstood(`${call.name} takes ${command.text} for keys`);
    },
  },
  {
    names: ["bat", "batcat"],
    flags: flags("pAn", "plain show-all number no-paging"),
    values: text("-r -l -H --line-range --language --highlight-line --style --color --paging --wrap --theme --tabs"),
    operands: (call, place) => {
      const [first] = call.operands;
      if (first?.value === "cache") return notUnderstood(`${call.name} cache builds a cache`);
      return readByRoles(call, { rest: "read" }, place);
    },
  },
  {
    names: ["man"],
    flags: flags("kfwa", "apropos whatis where path all"),
    values: text("-s --sections"),
    operands: (call, place) => {
      const page = call.operands.find((word) => !isLiteral(word) || word.value.includes("/"));
      return page === undefined
        ? readByRoles(call, { rest: "text" }, place)
        : notUnderstood(`man formats ${page.text}, which is no page of the machine`);
    },
  },
  {
    names: ["top"],
    flags: flags("bcHi"),
    values: text("-n -o -p -d -u -U -w"),
    needs: ["-b"],
    operands: (call, place) =>
      hasFlag(call, "-n") ? readByRoles(call, {}, place) : notUnderstood("top without -n never ends"),
  },
];
