export const eventsUri = "gauntlet://session/events";
export const pendingUri = "gauntlet://pending";
const artifacts = "gauntlet://artifacts/";

export const templates = { artifact: `${artifacts}{id}{?offset}`, events: `${eventsUri}{?from}` } as const;

export function artifactUri(id: string): string {
  return `${artifacts}${id}`;
}

export type Address =
  | { readonly kind: "pending" }
  | { readonly kind: "events"; readonly from: number }
  | { readonly kind: "artifact"; readonly id: string; readonly offset: number };

export function parseAddress(uri: string): Address | undefined {
  const [place = "", query = "", ...rest] = uri.split("?");
  if (rest.length > 0) return undefined;
  if (place === pendingUri) return query === "" ? { kind: "pending" } : undefined;
  if (place === eventsUri) {
    const from = numberIn(query, "from", 1);
    return from === undefined ? undefined : { kind: "events", from };
  }
  const offset = numberIn(query, "offset", 0);
  const id = place.slice(artifacts.length);
  if (!place.startsWith(artifacts) || !/^[\w:-]{1,128}$/.test(id) || offset === undefined) return undefined;
  return { kind: "artifact", id, offset };
}

const scheme = "gauntlet-server:";

export interface ServerAddress {
  readonly server: string;
  readonly uri: string;
}

export function serverUri({ server, uri }: ServerAddress): string {
  return `${scheme}${server}/${uri}`;
}

export function parseServerUri(address: string): ServerAddress | undefined {
  const end = address.indexOf("/");
  if (!address.startsWith(scheme) || end < 0) return undefined;
  return { server: address.slice(scheme.length, end), uri: address.slice(end + 1) };
}

function numberIn(query: string, name: string, usual: number): number | undefined {
  if (query === "") return usual;
  const digits = new RegExp(`^${name}=(\\d{1,15})$`).exec(query)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
