/** `@` where a word begins, then a name, in quotes where it holds blanks. */
const mention = /(?<![^\s([{])@(?:"([^"\n]+)"|([^\s"]+))/g;
const closing = /[.,;:!?)\]}'"`>]+$/;

/**
 * What a message names as `@path` or `@"path"`, each as the names that it may mean, the likeliest first: a sentence
 * may end behind a name, and a name may end like a sentence.
 */
export function mentionsIn(message: string): readonly (readonly string[])[] {
  return [...message.matchAll(mention)].map(([, quoted, plain = ""]) =>
    [quoted ?? plain, plain.replace(closing, "")].filter((name) => name !== ""),
  );
}

/** Written as only a file is: not the name of a person, nor that of a package. */
export function looksLikeFile(name: string): boolean {
  return /^(?:\.{0,2}|~)\//.test(name) || /[^/.][^/]*\.\w{1,10}$/.test(name) || name.split("/").length > 2;
}
