import type { StoredOAuthClientInformation, StoredOAuthTokens } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { CredentialStore } from "./connection.ts";
import { Trouble } from "./failures.ts";

const memory = z.object({
  current: z.string().optional(),
  settingsIssuer: z.string().optional(),
  issuers: z
    .record(
      z.string(),
      z.object({
        client: z.looseObject({ client_id: z.string(), issuer: z.string() }).optional(),
        tokens: z.looseObject({ access_token: z.string(), token_type: z.string(), issuer: z.string() }).optional(),
      }),
    )
    .default({}),
});
type Memory = z.infer<typeof memory>;
type AtIssuer = Memory["issuers"][string];

export type LoginMemory = ReturnType<typeof createLoginMemory>;

/** Stored logins of a server, by authorization server: tokens of one must never reach another. */
export function createLoginMemory(store: CredentialStore, server: string) {
  const read = (): Memory => {
    const kept = store.read(server);
    if (!kept.ok) throw new Trouble(kept.failure);
    const parsed = memory.safeParse(kept.value);
    return parsed.success ? parsed.data : { issuers: {} };
  };
  const write = (value: Memory) => {
    const written = store.write(server, value);
    if (!written.ok) throw new Trouble(written.failure);
  };
  const change = (issuer: string, change: (at: AtIssuer) => AtIssuer, current?: string) => {
    const kept = read();
    write({
      ...kept,
      ...(current !== undefined && { current }),
      issuers: { ...kept.issuers, [issuer]: change(kept.issuers[issuer] ?? {}) },
    });
  };
  return {
    tokens(issuer?: string): StoredOAuthTokens | undefined {
      const kept = read();
      const at = issuer ?? kept.current;
      return at === undefined ? undefined : kept.issuers[at]?.tokens;
    },
    client: (issuer: string): StoredOAuthClientInformation | undefined => read().issuers[issuer]?.client,
    keepTokens(issuer: string, value: StoredOAuthTokens | undefined): void {
      change(issuer, ({ client }) => ({ client, tokens: value && { ...value, issuer } }), issuer);
    },
    keepClient(issuer: string, value: StoredOAuthClientInformation | undefined): void {
      change(issuer, ({ tokens }) => ({ tokens, client: value && { ...value, issuer } }));
    },
    settingsIssuer(issuer: string): string {
      const kept = read();
      if (kept.settingsIssuer === undefined) write({ ...kept, settingsIssuer: issuer });
      return kept.settingsIssuer ?? issuer;
    },
    current: () => read().current,
  };
}
