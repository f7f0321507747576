import { flags, listed, text } from "./flag-lists.ts";
import { readByRoles } from "./path-operands.ts";
import { notUnderstood, type ProgramEntry } from "./program-entry.ts";
import { type Reader, refusing, runs } from "./readings.ts";

const xxdFlags = listed("-a -b -C -E -e -i -p -ps -plain -u -d -r");
const xxdValues = listed("-c -cols -g -l -len -o -s -seek");

/** Checksums, dumps, encodings and what is inside object files. */
export const bytes: readonly ProgramEntry[] = [
  {
    names: ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum"],
    flags: flags("bctzw", "binary check text tag zero"),
    values: text("-l --length"),
    operands: refusing(
      { "-c": "reads the names from a file", "--check": "reads the names from a file" },
      { rest: "read" },
    ),
    anyFlagReads: true,
  },
  {
    names: ["cksum", "sum"],
    flags: flags("rsz", "sysv tag untagged zero"),
    values: text("-a -l --algorithm --length"),
    operands: { rest: "read" },
    anyFlagReads: true,
  },
  {
    names: ["shasum"],
    flags: flags("bt", "binary text"),
    values: text("-a --algorithm"),
    operands: { rest: "read" },
    anyFlagReads: true,
  },
  {
    names: ["base64", "base32", "base16", "basenc"],
    flags: flags("di", "decode ignore-garbage base64 base64url base32 base32hex base16"),
    values: text("-w --wrap"),
    operands: { first: ["read"] },
    anyFlagReads: true,
  },
  {
    names: ["od"],
    flags: flags("abcdfiloxsv", "output-duplicates"),
    optional: ["-w", "--width"],
    values: text("-A -j -N -S -t --address-radix --endian --skip-bytes --read-bytes --format"),
    operands: { rest: "read" },
    anyFlagReads: true,
  },
  {
    names: ["xxd"],
    flags: xxdFlags,
    values: text(xxdValues.join(" ")),
    operands: (call, place) => {
      // It reads the beginning of a flag and forgets the rest: `-ac 5` is -a, and then a file named 5.
      const glued = call.words.find(
        ({ value }) =>
          value.startsWith("-") &&
          value !== "-" &&
          ![...xxdFlags, ...xxdValues].includes(value) &&
          !/^-[cgls](?:\d+|0x[\da-f]+)$/.test(value),
      );
      if (glued !== undefined) return notUnderstood(`write the flags of xxd ${glued.text} one by one`);
      const [, output] = call.operands;
      return output === undefined
        ? readByRoles(call, { first: ["read"] }, place)
        : notUnderstood(`xxd writes its second operand ${output.text}`);
    },
  },
  {
    names: ["hexdump", "hd"],
    flags: flags("bcCdovx", "canonical no-squeezing one-byte-octal one-byte-char two-bytes-hex"),
    values: { ...text("-n -s -e --length --skip --format"), "-f": "read", "--format-file": "read" },
    operands: { rest: "read" },
    anyFlagReads: true,
  },
  {
    names: ["strings"],
    flags: flags("adfow", "all data print-file-name include-all-whitespace"),
    values: text("-n -t -e -s --bytes --radix --encoding --output-separator"),
    count: true,
    operands: withoutArgumentFile({ rest: "read" }),
  },
  {
    names: ["nm"],
    flags: flags(
      "aABCDegjnopPrSsuUWX",
      "debug-syms print-file-name demangle no-demangle dynamic extern-only just-symbols numeric-sort no-sort portability reverse-sort print-size print-armap size-sort special-syms undefined-only defined-only no-weak quiet",
    ),
    values: text("-f -t --format --radix"),
    operands: withoutArgumentFile({ rest: "read" }),
  },
  {
    names: ["objdump"],
    flags: flags(
      "afphxdDsgetTrRCwF",
      "archive-headers file-headers private-headers section-headers headers all-headers disassemble-all full-contents debugging syms dynamic-syms reloc dynamic-reloc demangle no-show-raw-insn wide no-addresses",
    ),
    optional: ["--disassemble"],
    values: text("-j -M -m -b --section --disassembler-options --start-address --stop-address"),
    operands: withoutArgumentFile({ rest: "read" }),
  },
  {
    names: ["readelf"],
    flags: flags(
      "ahlSgtesCnrudVAcDWIT",
      "all file-header program-headers segments section-headers sections section-groups section-details headers syms symbols dyn-syms notes relocs unwind dynamic version-info arch-specific archive-index wide histogram demangle",
    ),
    values: text("-x -p -R --hex-dump --string-dump --relocated-dump"),
    operands: withoutArgumentFile({ rest: "read" }),
  },
  {
    names: ["size"],
    flags: flags("ABGodxt", "totals common"),
    values: text("--format --radix"),
    operands: withoutArgumentFile({ rest: "read" }),
  },
  {
    names: ["c++filt"],
    flags: flags("npt_", "no-params no-verbose types strip-underscore no-strip-underscore"),
    operands: withoutArgumentFile({ rest: "text" }),
  },
  {
    names: ["ldd"],
    verbatim: true,
    operands: (call, place) => {
      const reading = runs(call, "the program that it looks at");
      return { ...reading, effects: [...readByRoles(call, { rest: "read" }, place).effects, ...reading.effects] };
    },
  },
];

/** Programs of this family take more arguments, `--plugin` among them, from a file that is written `@file`. */
function withoutArgumentFile(roles: Parameters<typeof readByRoles>[1]): Reader {
  return (call, place) => {
    const file = call.words.find((word) => word.value.startsWith("@") || word.unknown !== undefined);
    if (file !== undefined) return notUnderstood(`${call.name} may read its arguments from ${file.text}`);
    return readByRoles(call, roles, place);
  };
}
