export type Sdk = typeof import("@modelcontextprotocol/client");

export const loadSdk = (): Promise<Sdk> => import("@modelcontextprotocol/client");
