import { readByRoles } from "../path-operands.ts";
import { notUnderstood, type ProgramEntry } from "../program-entry.ts";
import { flags, text } from "./flag-lists.ts";
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
    examples: {
      match: ["less a", "less -RFX a", "more a b"],
      noMatch: ["less +F a", "less -o out a", "less -k x a", "less --lesskey-src=x a", "less *"],
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
    examples: {
      match: ["bat a", "bat -p --paging=never a", "batcat -r 1:9 a"],
      noMatch: ["bat --pager=x a", "bat --diff a", "bat -P x --map-syntax a", "bat *"],
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
    examples: {
      match: ["man ls", "man -k copy", "man 5 passwd", "man -w bash"],
      noMatch: ["man -P x ls", "man ./page", "man -H ls", "man -l a", "man -C x ls", "man --html=x ls"],
    },
  },
  {
    names: ["top"],
    flags: flags("bcHi"),
    values: text("-n -o -p -d -u -U -w"),
    needs: ["-b"],
    operands: (call, place) =>
      hasFlag(call, "-n") ? readByRoles(call, {}, place) : notUnderstood("top without -n never ends"),
    examples: { match: ["top -bn1", "top -b -n 1 -o %CPU"], noMatch: ["top", "top -b", "top -n 1", "top x"] },
  },
];
