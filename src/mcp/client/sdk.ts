/** The SDK's package, which is loaded when the first server is reached and not before. */
export type Sdk = typeof import("@modelcontextprotocol/client");

export const loadSdk = (): Promise<Sdk> => import("@modelcontextprotocol/client");
