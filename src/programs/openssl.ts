import { flags, listed, text } from "./flag-lists.ts";
import { readByRoles } from "./path-operands.ts";
import { notUnderstood, type ProgramEntry } from "./program-entry.ts";
import { flagValue } from "./readings.ts";

const digests = listed("-md5 -sha1 -sha224 -sha256 -sha384 -sha512 -sha3-256 -sha3-512 -blake2b512 -blake2s256");

/** The parts of openssl that neither connect, sign nor write. */
export const openssl: readonly ProgramEntry[] = [
  {
    names: ["openssl dgst", ...listed("md5 sha1 sha224 sha256 sha384 sha512").map((name) => `openssl ${name}`)],
    flags: [...digests, ...listed("-r -c -hex -binary")],
    operands: { rest: "read" },
  },
  {
    names: ["openssl rand"],
    flags: listed("-hex -base64"),
    operands: { first: ["text"] },
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
  },
  {
    names: ["openssl list"],
    flags: flags("1", "").concat(listed("-digest-commands -cipher-commands -commands")),
    operands: {},
  },
];
