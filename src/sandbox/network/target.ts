import { type HostAndPort, parseHost } from "../../contract/network.ts";

/** `host:port` as a CONNECT request names it. */
export function parseAuthority(text: string, defaultPort?: number): HostAndPort | undefined {
  const colon = text.lastIndexOf(":");
  if (colon === -1 && defaultPort === undefined) return undefined;
  const host = parseHost(colon === -1 ? text : text.slice(0, colon));
  const port = colon === -1 ? defaultPort : parsePort(text.slice(colon + 1));
  return host === undefined || port === undefined ? undefined : { ...host, port };
}

export interface PlainTarget extends HostAndPort {
  /** From the first slash on, as it was written. */
  readonly path: string;
}

/** `http://host[:port]/path`. Everything else goes through CONNECT or nowhere. */
export function parsePlainUrl(text: string): PlainTarget | undefined {
  const [, authority, rest = ""] = /^[hH][tT][tT][pP]:\/\/([^/?#]*)([/?][\x21\x23-\x7e]*)?$/.exec(text) ?? [];
  if (authority === undefined || rest.includes("#")) return undefined;
  const target = parseAuthority(authority, 80);
  return target && { ...target, path: rest.startsWith("/") ? rest : `/${rest}` };
}

function parsePort(text: string): number | undefined {
  const port = /^[1-9][0-9]{0,4}$/.test(text) ? Number(text) : undefined;
  return port !== undefined && port <= 65_535 ? port : undefined;
}
