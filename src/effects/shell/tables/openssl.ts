import { readByRoles } from "../path-operands.ts";
import { notUnderstood, type ProgramEntry } from "../program-entry.ts";
import { flags, listed, text } from "./flag-lists.ts";
import { flagValue } from "./readings.ts";

const digests = listed("-md5 -sha1 -sha224 -sha256 -sha384 -sha512 -sha3-256 -sha3-512 -blake2b512 -blake2s256");

/** The parts of openssl that neither connect, sign nor write. */
export const openssl: readonly ProgramEntry[] = [
  {
    names: ["openssl dgst", ...listed("md5 sha1 sha224 sha256 sha384 sha512").map((name) => `openssl ${name}`)],
    flags: [...digests, ...listed("-r -c -hex -binary")],
    operands: { rest: "read" },
    examples: {
      match: ["openssl dgst -sha256 a", "openssl sha1 -r a b"],
      noMatch: ["openssl dgst -sign a b", "openssl dgst -out y a", "openssl dgst -engine x a", "openssl sha256 *"],
    },
  },
  {
    names: ["openssl rand"],
    flags: listed("-hex -base64"),
    operands: { first: ["text"] },
    examples: { match: ["openssl rand -hex 16"], noMatch: ["openssl rand -out y 16", "openssl rand -rand a 16"] },
  },
  {
    names: ["openssl x509"],
    flags: [
      ...digests,
      ...listed(
        "-noout -text -subject -issuer -dates -startdate -enddate -serial -fingerprint -purpose -pubkey -email",
      ),
    ],
    values: { ...text("-inform -nameopt -certopt -ext -checkend"), "-in": "read" },
    operands: (call, place) => {
      const address = flagValue(call, "-in");
      if (address?.value.includes(":")) return notUnderstood(`openssl opens the address ${address.text}`);
      return readByRoles(call, {}, place);
    },
    examples: {
      match: ["openssl x509 -in a -noout -text", "openssl x509 -noout -dates -in a"],
      noMatch: [
        "openssl x509 -in a -out y",
        "openssl x509 -in a -signkey b",
        "openssl x509 -CA a",
        "openssl x509 -in file:/x",
      ],
    },
  },
  {
    names: ["openssl list"],
    flags: flags("1", "").concat(listed("-digest-commands -cipher-commands -commands")),
    operands: {},
    examples: { match: ["openssl list -digest-commands"], noMatch: ["openssl list -provider x", "openssl list x"] },
  },
];
