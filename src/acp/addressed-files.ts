import { fileURLToPath } from "node:url";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { Embedded } from "./prompt-text.ts";

/** The files that an address may lead to. */
interface AddressedFiles {
  /** What it names as a whole, whether that exists or not. Absent where its kind need not name a file. */
  readonly file?: string;
  /** What else it means where such a file exists. */
  readonly perhaps: readonly string[];
}

const nowhere = fail("bad_request", "the address leads to no file of this machine");

/** A failure where it cannot be told which file is meant. */
export function addressedFiles({ uri }: Embedded): Outcome<AddressedFiles> {
  const found = filesAt(uri);
  if (!found.ok) return found;
  const { file, perhaps } = found.value;
  // Who opens a file may stop reading its name there.
  return [file ?? "", ...perhaps].some((name) => name.includes("\0")) ? nowhere : found;
}

function filesAt(uri: string): Outcome<AddressedFiles> {
  // An editor that writes a path instead of an address means that path.
  if (!URL.canParse(uri)) return ok({ file: uri, perhaps: shorterNames(uri) });
  const url = new URL(uri);
  if (url.protocol !== "file:") {
    // Editors have schemes of their own for files, and `name.md:1` is a path that only looks like an address.
    const names = [uri, decoded(url.pathname), url.searchParams.get("path") ?? ""].filter((name) => name !== "");
    return ok({ perhaps: [...new Set(names.flatMap((name) => [name, ...shorterNames(name)]))] });
  }
  try {
    const file = fileURLToPath(url);
    return ok({ file, perhaps: shorterNames(file) });
  } catch {
    return nowhere;
  }
}

/** Without the place in the file that may stand behind its name. A directory on the way may have these signs as well. */
function shorterNames(name: string): readonly string[] {
  const last = name.lastIndexOf("/") + 1;
  const cut = [name.replace(/[#?][^#?]*$/, ""), name.slice(0, last) + upToSign(name.slice(last)), upToSign(name)];
  const names = [name, ...cut].flatMap((one) => [one, withoutLine(one), withoutLine(withoutLine(one))]);
  return [...new Set(names.map((one) => one.trim()))].filter((one) => one !== name && one !== "");
}

function upToSign(name: string): string {
  return name.replace(/[#?].*$/s, "");
}

function withoutLine(name: string): string {
  return name.replace(/:\d{1,9}(?:-\d{1,9})?$/, "");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
