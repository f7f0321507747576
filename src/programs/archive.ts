import type { Effect } from "../contract/effect.ts";
import { flags, text } from "./flag-lists.ts";
import { pathEffect, readByRoles } from "./path-operands.ts";
import { picksSecrets } from "./picks-secrets.ts";
import {
  type CommandReading,
  notUnderstood,
  type Place,
  type ProgramCall,
  type ProgramEntry,
  type ShellWord,
} from "./program-entry.ts";
import { readArguments } from "./read-arguments.ts";
import { hasFlag, isLiteral, refusing } from "./readings.ts";

const unpacks = "unpacks files whose names only the archive knows";

/** Archives and compressed files: listing them and printing what is inside. Unpacking writes what nobody foresees. */
export const archive: readonly ProgramEntry[] = [
  {
    names: ["tar"],
    verbatim: true,
    operands: readTar,
  },
  {
    names: ["unzip"],
    flagsFirst: true,
    flags: flags("lvtpczZq1CT"),
    needs: ["-l", "-v", "-t", "-p", "-c", "-z", "-Z"],
    operands: refusing({ "-T": "changes the time of the archive" }, zipMembers),
  },
  {
    names: ["zipinfo"],
    flagsFirst: true,
    flags: flags("12smlvhtTzC"),
    operands: zipMembers,
  },
  {
    names: ["zcat", "bzcat", "xzcat", "lzcat", "zstdcat"],
    flags: flags("fqv", "force quiet verbose"),
    operands: { rest: "read" },
    anyFlagReads: true,
  },
  {
    names: ["gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "lzma", "unlzma", "zstd", "unzstd"],
    flags: flags("cdfklqtv123456789", "stdout to-stdout decompress list test keep force quiet verbose"),
    needs: ["-c", "-l", "-t", "--stdout", "--to-stdout", "--list", "--test"],
    // Of -t, -l and -d the last one counts for most of them, and -d by itself replaces the file.
    operands: (call, place) =>
      hasFlag(call, "-d", "--decompress") && !hasFlag(call, "-c", "--stdout", "--to-stdout")
        ? notUnderstood(`${call.name} -d replaces the file`)
        : readByRoles(call, { rest: "read" }, place),
  },
  {
    names: ["jar"],
    verbatim: true,
    operands: (call, place) => {
      const [mode, ...operands] = call.operands;
      if (mode === undefined || !isLiteral(mode) || !/^-?t?v?t?f$/.test(mode.value) || !mode.value.includes("t")) {
        return notUnderstood("jar writes or unpacks archives");
      }
      const odd = operands.find((word) => !isLiteral(word) || /^[-@]/.test(word.value));
      return odd === undefined
        ? readByRoles({ ...call, operands }, { first: ["read"], rest: "text" }, place)
        : notUnderstood(`jar with ${odd.text} is not in the tables`);
    },
  },
  {
    names: ["ar"],
    verbatim: true,
    operands: (call, place) => {
      const [mode, ...operands] = call.operands;
      const odd = operands.find((word) => !isLiteral(word) || /^[-@]/.test(word.value));
      if (mode === undefined || !isLiteral(mode) || !/^-?(?:t|tv|vt|p|tO)$/.test(mode.value) || odd !== undefined) {
        return notUnderstood("ar changes or unpacks archives");
      }
      return readByRoles({ ...call, operands }, { first: ["read"], rest: "text" }, place);
    },
  },
  {
    names: [
      "zip",
      "7z",
      "7za",
      "7zr",
      "rar",
      "unrar",
      "cpio",
      "pax",
      "zipcloak",
      "zipsplit",
      "compress",
      "uncompress",
      "split",
      "csplit",
    ],
    verbatim: true,
    operands: (call) => notUnderstood(`${call.name} packs or ${unpacks}`),
  },
];

/** The first operand is the archive, which may not be a pattern; behind it stand names inside. */
function zipMembers(call: ProgramCall, place: Place): CommandReading {
  const [file, ...members] = call.operands;
  if (file === undefined) return notUnderstood(`${call.name} lacks its archive`);
  if (isLiteral(file) && /[*?[\]]/.test(file.value)) return notUnderstood(`${call.name} looks for archives by itself`);
  const odd = members.find((word) => !isLiteral(word) || word.value.startsWith("-"));
  if (odd !== undefined) return notUnderstood(`${call.name} with ${odd.text} behind the archive`);
  return picksSecrets(members)
    ? notUnderstood(`${call.name} takes a closed file out of an archive`)
    : readByRoles(call, { first: ["read"], rest: "text" }, place);
}

const tarFlags: Omit<ProgramEntry, "operands"> = {
  names: ["tar"],
  flags: flags(
    "txcvzjJaOphk",
    "list extract get create verbose gzip bzip2 xz zstd lzma auto-compress to-stdout wildcards no-wildcards anchored no-anchored numeric-owner full-time no-recursion ignore-case show-stored-names",
  ),
  values: {
    ...text(
      "-f --file -C --directory --exclude --strip-components --transform --owner --group --mtime --sort --format",
    ),
    "-T": "read",
    "--files-from": "read",
    "-X": "read",
    "--exclude-from": "read",
  },
};

function readTar(call: ProgramCall, place: Place): CommandReading {
  const words = dashed(call.words);
  if (words === undefined) return notUnderstood("tar is written in an unusual way");
  const tar = readArguments({ ...tarFlags, operands: {} }, "tar", words);
  if ("why" in tar) return notUnderstood(tar.why);
  const archives = tar.values.filter(({ flag }) => flag === "-f" || flag === "--file").map(({ word }) => word);
  const [file = standardInput] = archives;
  if (archives.length > 1) return notUnderstood("tar with more than one archive");
  if (hasFlag(tar, "-T", "--files-from")) return notUnderstood("tar -T takes names, and flags among them, from a file");
  if (!isLiteral(file)) return notUnderstood(`what ${file.text} becomes is not certain`);
  if (/^[^/]*:/.test(file.value)) return notUnderstood(`${file.text} may be an archive on another machine`);
  const lists = hasFlag(tar, "-t", "--list");
  const takesOut = hasFlag(tar, "-x", "--extract", "--get");
  const packs = hasFlag(tar, "-c", "--create");
  if ([lists, takesOut, packs].filter(Boolean).length !== 1)
    return notUnderstood("tar with more or less than one task");
  if (packs) return pack(tar, file, place);
  if (takesOut && picksSecrets(tar.operands)) return notUnderstood("tar takes a closed file out of an archive");
  if (takesOut && !hasFlag(tar, "-O", "--to-stdout")) return notUnderstood(`tar -x ${unpacks}`);
  const archive = readByRoles({ ...tar, values: [], operands: [file] }, { rest: "read" }, place);
  const members = readByRoles(tar, { rest: "text" }, place);
  const reason = takesOut ? "tar prints files of an archive" : "tar lists an archive";
  return { effects: [...archive.effects, ...members.effects], reason };
}

/** Where GNU tar looks when it is not told. */
const standardInput: ShellWord = { text: "-", value: "-", glob: false, tilde: false };

function pack(tar: ProgramCall, file: ShellWord, place: Place): CommandReading {
  if (
    tar.values.some(({ flag, role }) => flag === "-C" || flag === "--directory" || role === "read") ||
    hasFlag(tar, "-h")
  ) {
    return notUnderstood("tar -c with files from elsewhere");
  }
  if (tar.operands.length === 0) return notUnderstood("tar -c lacks its files");
  const sources = readByRoles({ ...tar, values: [] }, { rest: "read-tree" }, place).effects;
  const target: readonly Effect[] = file.value === "-" ? [] : [pathEffect("write", file, "file", place)];
  return { effects: [...sources, ...target], reason: `tar packs into ${file.text}` };
}

/** `tar tzf a` as `tar -t -z -f a`: in the old style letters take their values from the words behind, in order. */
function dashed(words: readonly ShellWord[]): readonly ShellWord[] | undefined {
  const [first, ...rest] = words;
  if (first === undefined || !isLiteral(first)) return undefined;
  if (first.value.startsWith("-")) {
    // `-tfI x`: the letters behind f are its value, which is easily misread.
    return words.some((word) => /^-[a-zA-Z]*f[a-zA-Z]/.test(word.value)) ? undefined : words;
  }
  if (!/^[txcvzjJaOphkf]+$/.test(first.value)) return undefined;
  const ahead = rest.toReversed();
  const spelled: ShellWord[] = [];
  for (const letter of first.value) {
    spelled.push({ text: `-${letter}`, value: `-${letter}`, glob: false, tilde: false });
    if (letter !== "f") continue;
    const value = ahead.pop();
    if (value === undefined) return undefined;
    spelled.push(value);
  }
  return [...spelled, ...ahead.toReversed()];
}
