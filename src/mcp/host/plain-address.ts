/** The name of a host, or an address with or without brackets, and a port. */
const plainHost = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d+)?$/;

/** The address of a page as RFC 3986 spells it; nothing where there is no such spelling, or it would lead elsewhere. */
export function plainAddress(text: string): string | undefined {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, username, password, host, pathname, search, hash } = new URL(text);
  // What stands before an `@` reads like the host, and is not.
  if (username !== "" || password !== "" || !plainHost.test(host)) return undefined;
  const fragment = hash === "" ? "" : `#${spelled(hash.slice(1))}`;
  const address = `${protocol}//${host}${spelled(pathname)}${search === "" ? "" : `?${spelled(search.slice(1))}`}${fragment}`;
  return URL.canParse(address) && new URL(address).href === address ? address : undefined;
}

/** What a URL leaves as it is although it has no place there. */
function spelled(part: string): string {
  return part.replace(/%(?![\da-f]{2})|[^\w\-.~!$&'()*+,;=:@/?%]/gi, encodeURIComponent);
}
