import path from "node:path";

const containers = /^(?:docker|podman|nerdctl)$/;
const volume = /^(?:-v|--volume)=?(.*)$/;
const mount = /^--mount=?(.*)$/;

/** `docker run -v .:/app node /app/x.js`: a word in a container, by the name that it has here. */
export function mountedNames(words: readonly string[]): readonly (readonly [at: number, name: string])[] {
  if (!words.some((word) => containers.test(path.basename(word)))) return [];
  const mounts = words.flatMap((word, at) => {
    const next = words[at + 1] ?? "";
    const ofVolume = volume.exec(word);
    if (ofVolume !== null) return ofPair((ofVolume[1] || next).split(":"));
    const ofMount = mount.exec(word);
    return ofMount === null ? [] : ofPair(ofFields(ofMount[1] || next));
  });
  return words.flatMap((word, at) =>
    mounts.flatMap(({ here, there }) =>
      word.startsWith(`${there}/`) ? [[at, path.join(here, word.slice(there.length))] as const] : [],
    ),
  );
}

function ofFields(text: string): readonly string[] {
  const fields = new Map(text.split(",").map((field) => [field.split("=")[0], field.split("=").slice(1).join("=")]));
  const [here, there] = [
    fields.get("source") ?? fields.get("src"),
    fields.get("target") ?? fields.get("dst") ?? fields.get("destination"),
  ];
  return [here ?? "", there ?? ""];
}

function ofPair([here = "", there = ""]: readonly string[]): readonly { here: string; there: string }[] {
  return here === "" || there === "" ? [] : [{ here, there: there.replace(/\/+$/, "") }];
}
